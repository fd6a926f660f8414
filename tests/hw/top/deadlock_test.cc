// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the machine reports a deadlock if and only if the program has one by the rules of
// isa/semantics/units.h, and then gives the same place of each unit. Space: random programs of
// SYNCs (profile vta: of carriers) with LOADs, STOREs and long GEMMs among them, half of them with
// one change in their tokens, some near the limits of queues and counters; on memory that uses
// every freedom of AXI, started with random flip-flops. Memory that stops answering for thousands
// of cycles, from any cycle on, is no deadlock. Not tested here: the limits one by one
// (limits_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/rng.h"
#include "isa/semantics/units.h"
#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

namespace reg = isa::reg;
using isa::AnyInsn;
using isa::Profile;
using isa::Unit;

// Follows |program| by the rules: whether it ends, and the instruction that fetch holds if it does
// not.
struct Verdict {
  Verdict(const std::vector<AnyInsn>& program, const isa::Config& config, Profile profile)
      : units(config, profile) {
    for (bool moved = true; moved;) {
      moved = false;
      for (; next < program.size(); ++next, moved = true) {
        isa::Fetched fetched;
        EXPECT_FALSE(isa::Route(program[next], &fetched));
        if (fetched.finish && profile == Profile::kTessera) continue;
        if (!units.HasRoom(fetched.unit)) break;
        units.Enqueue({.number = static_cast<uint32_t>(next), .fetched = fetched});
      }
      for (int unit = 0; unit < isa::kUnits; ++unit) {
        for (; units.CanRetire(unit) || units.CanStart(unit); moved = true) {
          if (units.CanRetire(unit)) {
            units.Retire(unit);
          } else {
            units.Start(unit);
          }
        }
      }
    }
    ends = next == program.size() && units.Empty();
    if (next == program.size()) --next;  // FINISH
  }
  isa::Units units;
  size_t next = 0;
  bool ends = false;
};

// An instruction of |unit| with these tokens, as masks over the partners.
AnyInsn Make(Profile profile, Rng& rng, int unit, int64_t pop, int64_t push) {
  const auto has = [](int64_t mask, Unit u) { return mask >> static_cast<int>(u) & 1; };
  if (profile == Profile::kVta) {
    if (unit == static_cast<int>(Unit::kStore)) {
      isa::VtaStore v{.pop_prev = has(pop, Unit::kGemm), .push_prev = has(push, Unit::kGemm)};
      v.memory_type = static_cast<int64_t>(isa::Memory::kOut);
      v.y_size = v.x_size = v.x_stride = rng.OneIn(4) ? 2 : 0;
      return isa::VtaInsn(v);
    }
    isa::VtaLoad v;
    v.y_size = v.x_size = v.x_stride = rng.OneIn(4) ? 3 : 0;
    if (unit == static_cast<int>(Unit::kLoad)) {
      v.memory_type = static_cast<int64_t>(isa::Memory::kInp);
      v.pop_next = has(pop, Unit::kGemm);
      v.push_next = has(push, Unit::kGemm);
    } else {
      v.memory_type = static_cast<int64_t>(isa::Memory::kAcc);
      v.pop_prev = has(pop, Unit::kLoad);
      v.pop_next = has(pop, Unit::kStore);
      v.push_prev = has(push, Unit::kLoad);
      v.push_next = has(push, Unit::kStore);
    }
    return isa::VtaInsn(v);
  }
  const bool works = rng.OneIn(4);
  if (works && unit == static_cast<int>(Unit::kLoad)) {
    return isa::Insn(isa::Load{.pop = pop,
                               .push = push,
                               .memory = static_cast<int64_t>(isa::Memory::kOut),
                               .x_bytes = 1,
                               .x_size = 1,
                               .y_size = rng.Range(1, 20),
                               .z_size = 1,
                               .y_step = 100});
  }
  if (works && unit == static_cast<int>(Unit::kStore)) {
    return isa::Insn(isa::Store{.pop = pop,
                                .push = push,
                                .segment = 1,
                                .x_bytes = 1,
                                .x_size = 1,
                                .y_size = rng.Range(1, 20),
                                .z_size = 1,
                                .y_step = 100});
  }
  if (works && unit == static_cast<int>(Unit::kGemm)) {  // micro-op 0 is zero
    return isa::Insn(isa::Gemm{.pop = pop,
                               .push = push,
                               .uop_count = 1,
                               .iter_out = rng.OneIn(8) ? 60 : 1,
                               .iter_in = rng.Range(1, 60)});
  }
  return isa::Insn(isa::Sync{.pop = pop, .push = push, .unit = unit});
}

// Draws a program that pushes each token before it pops it, and changes the tokens of half of the
// programs once.
std::vector<AnyInsn> Random(Profile profile, const isa::Config& config, Rng& rng) {
  struct Step {
    int unit;
    int64_t pop = 0, push = 0;
  };
  const bool vta = profile == Profile::kVta;
  const auto joined = [&](int a, int b) {
    return a != b && (!vta || (a == 1 && b != 2) || (b == 1 && a != 2));
  };
  std::vector<Step> steps;
  std::array<std::array<int, 4>, 4> tokens{};
  const int64_t count = rng.Range(5, 150);
  while (static_cast<int64_t>(steps.size()) < count) {
    const int unit = static_cast<int>(rng.Range(0, 3));
    if (vta && unit == 2) continue;
    // A run of instructions of one unit, sometimes about as long as its queue.
    const int64_t queue = config.QueueDepth(profile);
    for (int64_t n = rng.OneIn(12) ? rng.Range(queue - 3, queue + 3) : 1; n > 0; --n) {
      Step step{.unit = unit};
      for (int other = 0; other < 4; ++other) {
        if (!joined(unit, other)) continue;
        if (tokens[other][unit] > 0 && rng.OneIn(2)) {
          --tokens[other][unit];
          step.pop |= 1 << other;
        }
        if (tokens[unit][other] < 200 && rng.OneIn(4)) {
          ++tokens[unit][other];
          step.push |= 1 << other;
        }
      }
      steps.push_back(step);
    }
  }
  const auto any = [&] {
    return static_cast<size_t>(rng.Range(0, static_cast<int64_t>(steps.size()) - 1));
  };
  if (rng.OneIn(2)) {
    const size_t at = any(), to = any();
    switch (rng.Range(0, 3)) {
      case 0:  // the step loses its pushes
        steps[at].push = 0;
        break;
      case 1: {  // the step moves elsewhere
        const Step moved = steps[at];
        steps.erase(steps.begin() + static_cast<int64_t>(at));
        steps.insert(steps.begin() + static_cast<int64_t>(std::min(to, steps.size())), moved);
        break;
      }
      case 2:  // about a counter's depth of the same pushes
        steps.insert(steps.begin() + static_cast<int64_t>(at),
                     static_cast<size_t>(config.TokenDepth(profile) + rng.Range(-3, 3)),
                     Step{.unit = steps[at].unit, .pop = 0, .push = steps[at].push});
        break;
      default:  // the step pops from every partner
        for (int other = 0; other < 4; ++other) {
          if (joined(steps[at].unit, other)) steps[at].pop |= 1 << other;
        }
    }
  }
  std::vector<AnyInsn> program;
  for (const Step& s : steps) program.push_back(Make(profile, rng, s.unit, s.pop, s.push));
  return program;
}

// The state of each unit, for a run that does not end.
std::string Standing(RoughTop& top) {
  std::string text;
  for (size_t unit = 0; unit < isa::kUnits; ++unit) {
    text += fmt::format("unit {}: state {:#x} at {}; ", unit, top.Read(reg::kUnitState[unit]),
                        top.Read(reg::kUnitInsn[unit]));
  }
  return text;
}

// Compares what the machine reports with the rules.
void Compare(RoughTop& top, const Verdict& verdict) {
  EXPECT_TRUE(top.memory.idle());
  ASSERT_EQ(top.Error(), !verdict.ends) << std::hex << top.Read(reg::kError);
  if (verdict.ends) return;
  EXPECT_EQ(top.Read(reg::kError),
            static_cast<uint32_t>(isa::MachineError::kDeadlock) | reg::kErrorUnitFetch << 8);
  EXPECT_EQ(top.Read(reg::kErrorInsn), verdict.next);
  for (int unit = 0; unit < isa::kUnits; ++unit) {
    const isa::Issued* waiting = verdict.units.Waiting(unit);
    const uint32_t state = top.Read(reg::kUnitState[static_cast<size_t>(unit)]);
    EXPECT_EQ(state & 1, waiting != nullptr ? 1u : 0u) << "unit " << unit;
    if (waiting == nullptr) continue;
    EXPECT_NE(state & 0xff0, 0u) << "unit " << unit;
    EXPECT_EQ(top.Read(reg::kUnitInsn[static_cast<size_t>(unit)]), waiting->number);
  }
}

class Deadlocks : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Deadlocks, AreReportedIfAndOnlyIfTheRulesSaySo) {
  const uint64_t seed = GetParam();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Rng rng(seed);
  RoughTop top(isa::DramModel::kTsim, seed, seed);
  std::vector<Profile> profiles = {Profile::kTessera};
  if (isa::ValidateVtaProfile(top.config)) profiles.push_back(Profile::kVta);
  int deadlocks = 0, fine = 0;
  for (int n = 0; n < 12; ++n) {
    for (const Profile profile : profiles) {
      SCOPED_TRACE(::testing::Message() << "program " << n << " of " << isa::Text(profile));
      std::vector<AnyInsn> program = Random(profile, top.config, rng);
      top.Load(profile, program);
      top.SetSegment(1, 0x40000, 0x10000);
      program.push_back(profile == Profile::kVta ? AnyInsn(isa::VtaInsn(isa::VtaFinish{}))
                                                 : AnyInsn(isa::Insn(isa::Finish{})));
      const Verdict verdict(program, top.config, profile);
      top.Start(profile);
      ASSERT_TRUE(top.Wait(1'000'000)) << Standing(top);
      Compare(top, verdict);
      ++(verdict.ends ? fine : deadlocks);
    }
  }
  EXPECT_GE(fine, 3);
  EXPECT_GE(deadlocks, 1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Deadlocks, ::testing::Range<uint64_t>(1, DEADLOCK_SEEDS + 1));

// LOAD waits for slow memory, and all other units wait for LOAD, behind a queue that fetch waits
// for.
TEST(Waiting, ForMemoryIsNoDeadlockHoweverLong) {
  Rng rng(1);
  RoughTop top(isa::DramModel::kTsim, 5);
  std::vector<AnyInsn> program;
  const isa::Load load{.push = 0xe,
                       .memory = static_cast<int64_t>(isa::Memory::kOut),
                       .x_bytes = 1,
                       .x_size = 1,
                       .y_size = 8,
                       .z_size = 1,
                       .y_step = 100};
  program.push_back(isa::Insn(load));
  for (int unit = 1; unit < 4; ++unit)
    program.push_back(isa::Insn(isa::Sync{.pop = 1, .unit = unit}));
  program.insert(program.end(), static_cast<size_t>(top.config.queue_depth) + 4,
                 isa::Insn(isa::Sync{.unit = 3}));
  program.push_back(isa::Insn(isa::Store{.push = 1,
                                         .segment = 1,
                                         .x_bytes = 1,
                                         .x_size = 1,
                                         .y_size = 8,
                                         .z_size = 1,
                                         .y_step = 100}));
  program.push_back(isa::Insn(isa::Sync{.pop = 8, .unit = 0}));
  top.Load(Profile::kTessera, program);
  top.SetSegment(1, 0x40000, 0x10000);
  bool ended = false;
  for (int at = 0; !ended; at += 9) {
    SCOPED_TRACE(::testing::Message() << "frozen from cycle " << at);
    top.Start();
    for (int i = 0; i < at; ++i) top.Cycle();
    ended = !top.bench->busy_o;
    top.memory.frozen = true;
    for (int i = 0; i < 3000; ++i) top.Cycle();
    top.memory.frozen = false;
    ASSERT_TRUE(top.Wait());
    ASSERT_FALSE(top.Error()) << std::hex << top.Read(reg::kError);
  }
}

}  // namespace
}  // namespace tessera::hw
