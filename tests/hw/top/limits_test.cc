// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the exact depths of queues and token counters: they take as much as isa/config.h
// says for the profile, and one instruction more is the machine's error `deadlock`. Space: every
// edge of both profiles; pushes before their pops, pops before their pushes. Not tested here: the
// same through drivers and on the functional simulator (tests/cts, tests/vta), random programs
// (deadlock_test.cc).
#include <gtest/gtest.h>

#include <functional>

#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

namespace reg = isa::reg;
using isa::Profile;
using isa::Unit;

// An instruction that only pushes or pops one token of an edge.
using Carrier = std::function<isa::AnyInsn(bool push)>;

Carrier Tessera(int from, int to) {
  return [=](bool push) -> isa::AnyInsn {
    return isa::Insn(isa::Sync{
        .pop = push ? 0 : 1 << from, .push = push ? 1 << to : 0, .unit = push ? from : to});
  };
}

// COMPUTE's neighbours are LOAD (prev) and STORE (next); the neighbour of both is COMPUTE.
Carrier Vta(Unit from, Unit to) {
  return [=](bool push) -> isa::AnyInsn {
    const Unit unit = push ? from : to, partner = push ? to : from;
    if (unit == Unit::kStore) {
      isa::VtaStore v;
      (push ? v.push_prev : v.pop_prev) = 1;
      v.memory_type = static_cast<int64_t>(isa::Memory::kOut);
      return isa::VtaInsn(v);
    }
    isa::VtaLoad v;
    v.memory_type =
        static_cast<int64_t>(unit == Unit::kLoad ? isa::Memory::kInp : isa::Memory::kUop);
    const bool next = unit == Unit::kLoad || partner == Unit::kStore;
    (push ? (next ? v.push_next : v.push_prev) : (next ? v.pop_next : v.pop_prev)) = 1;
    return isa::VtaInsn(v);
  };
}

class Limits : public ::testing::Test {
 protected:
  // Runs |most| instructions of one kind, as many of the other, and FINISH. With one instruction
  // more of each kind the machine reports a deadlock, and fetch holds the first kind's last one.
  void Try(Profile profile, const Carrier& carrier, bool pushes_first, int64_t most) {
    const auto run = [&](int64_t count) {
      std::vector<isa::AnyInsn> program(static_cast<size_t>(count), carrier(pushes_first));
      program.insert(program.end(), static_cast<size_t>(count), carrier(!pushes_first));
      top_.Load(profile, program);
      top_.Start(profile);
      ASSERT_TRUE(top_.Wait(100'000));
      EXPECT_TRUE(top_.memory.idle());
    };
    run(most);
    EXPECT_EQ(top_.Read(reg::kError), 0u);
    EXPECT_EQ(reg::kStatusLeftover.Get(top_.Status()), 0u);
    EXPECT_EQ(top_.Read(reg::kRetired), 2 * most + 1);
    std::array<uint32_t, 4> next{};
    for (const auto& r : top_.retired) {
      EXPECT_GE(r.num, next[r.unit]) << "unit " << r.unit;
      next[r.unit] = r.num + 1;
    }
    run(most + 1);
    EXPECT_TRUE(top_.Error());
    EXPECT_EQ(top_.Read(reg::kError),
              static_cast<uint32_t>(isa::MachineError::kDeadlock) | reg::kErrorUnitFetch << 8);
    EXPECT_EQ(top_.Read(reg::kErrorInsn), most);
  }
  // Pushes: a counter's depth, the instruction that stalls, and a queue behind it. Pops: a queue.
  void TryEdge(Profile profile, const Carrier& carrier) {
    const isa::Config& c = top_.config;
    Try(profile, carrier, true, c.TokenDepth(profile) + 1 + c.QueueDepth(profile));
    Try(profile, carrier, false, c.QueueDepth(profile));
  }

  TopBench top_;
};

TEST_F(Limits, OfProfileTessera) {
  for (int from = 0; from < isa::kUnits; ++from) {
    for (int to = 0; to < isa::kUnits; ++to) {
      if (from == to) continue;
      SCOPED_TRACE(::testing::Message() << "from " << from << " to " << to);
      TryEdge(Profile::kTessera, Tessera(from, to));
    }
  }
}

TEST_F(Limits, OfProfileVta) {
  if (!isa::ValidateVtaProfile(top_.config))
    GTEST_SKIP() << "VTA has no encoding of this configuration";
  EXPECT_GE(top_.config.QueueDepth(Profile::kVta), 512);
  EXPECT_GE(top_.config.TokenDepth(Profile::kVta), 1024);
  for (const Unit side : {Unit::kLoad, Unit::kStore}) {
    SCOPED_TRACE(::testing::Message() << "COMPUTE and " << isa::Text(side));
    TryEdge(Profile::kVta, Vta(side, Unit::kGemm));
    TryEdge(Profile::kVta, Vta(Unit::kGemm, side));
  }
}

}  // namespace
}  // namespace tessera::hw
