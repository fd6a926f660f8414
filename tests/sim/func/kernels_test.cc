// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every vector kernel that this processor can run against the semantics, on
// machines full of random bytes: the instructions of random programs, and instructions with fields
// from their whole range, out-of-range ones included. Space: all named shapes, both profiles. Not
// tested here: the semantics themselves (tests/semantics).
#include "sim/func/kernels.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/rng.h"
#include "isa/encoding.h"
#include "isa/semantics/execute.h"
#include "sim/rig/program.h"
#include "tests/rig/rig_helpers.h"

namespace tessera::sim::kernels_test {
namespace {

// A machine with random contents and its own device memory.
struct Machine {
  Machine(const isa::Config& config, isa::Profile profile, Rng& rng)
      : memory(1 << 16), state(config) {
    state.profile = profile;
    if (profile == isa::Profile::kVta) state.vta = isa::VtaCodec::Make(config).value();
    const auto fill = [&](auto& values) {
      for (auto& value : values)
        value = static_cast<std::remove_reference_t<decltype(value)>>(rng.Next());
    };
    fill(memory), fill(state.wgt), fill(state.inp), fill(state.acc), fill(state.out),
        fill(state.prm);
    // Parameters as a LOAD keeps them, and micro-ops that decode.
    const int64_t n = config.block_out;
    for (int64_t i = 0; i < config.prm_depth * n; ++i) {
      uint8_t* record = &state.prm[i / n * config.prm_tile_bytes()];
      record[4 * (n + i % n) + 3] &= 0x7f;
      record[8 * n + i % n] = static_cast<uint8_t>(rng.Range(-31, 31));
    }
    for (size_t u = 0; u + 8 <= state.uop.size(); u += 8) {
      const uint64_t word =
          isa::EncodeUop({rng.Range(0, 15), rng.Range(0, 15), rng.Range(0, 15), rng.Range(0, 1)})
              .value();
      std::memcpy(&state.uop[u], &word, 8);
    }
    Attach();
  }
  Machine(const Machine& other) : memory(other.memory), state(other.state) { Attach(); }
  void Attach() {
    state.dram = memory;
    for (isa::SegmentRange& segment : state.segments) segment = {0, memory.size()};
  }
  std::vector<uint8_t> memory;
  isa::MachineState state;
};

bool Same(const Machine& a, const Machine& b) {
  return a.memory == b.memory && a.state.uop == b.state.uop && a.state.wgt == b.state.wgt &&
         a.state.inp == b.state.inp && a.state.acc == b.state.acc && a.state.out == b.state.out &&
         a.state.prm == b.state.prm;
}

// Runs |insn| on |m| by its semantics, and on copies by each kernel. Returns how many kernels ran
// it.
int Compare(const isa::AnyInsn& insn, Machine& m) {
  const Machine before = m;
  isa::NoWrites writes;
  const isa::Stop stop = isa::ExecuteAny(insn, m.state, writes);
  int done = 0;
  for (const TileKernels* kernels : UsableKernels()) {
    Machine copy = before;
    const bool ran = RunKernel(insn, copy.state, *kernels);
    done += ran;
    EXPECT_FALSE(ran && stop) << kernels->name << " ran " << Describe(insn) << " in spite of "
                              << stop.detail;
    EXPECT_TRUE(Same(copy, ran ? m : before)) << kernels->name << " differs on " << Describe(insn);
  }
  if (stop) m.memory = before.memory, m.state = before.state, m.Attach();
  return done;
}

TEST(Kernels, EqualTheSemanticsOnRandomPrograms) {
  for (const char* name : {"default", "tiny", "batch4", "wide"}) {
    for (isa::Profile profile : {isa::Profile::kTessera, isa::Profile::kVta}) {
      const isa::Config config = rig::Named(name);
      if (profile == isa::Profile::kVta && !isa::ValidateVtaProfile(config)) continue;
      int done = 0;
      for (uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
        Rng rng(seed);
        Machine m(config, profile, rng);
        const isa::ProgramImage image = rig::MakeProgram({config, profile, seed, 40});
        for (const isa::Fetched& f : rig::FetchAll(image, config)) {
          done += Compare(f.insn, m);
          ASSERT_FALSE(HasFailure());
        }
      }
      // Profile vta has a kernel for its GEMM only, and only for blocks of 16.
      const bool none = profile == isa::Profile::kVta && config.block_out != 16;
      EXPECT_GE(done, none ? 0 : 20) << name << " " << Text(profile);
    }
  }
}

TEST(Kernels, EqualTheSemanticsOnAllFieldValues) {
  const isa::Config config = rig::Named("default");
  Rng rng(77);
  Machine m(config, isa::Profile::kTessera, rng);
  int done = 0;
  for (uint64_t seed = 1; seed <= 6000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    isa::Insn insn;
    switch (seed % 7) {
      case 0:
        insn = isa::Load{};
        break;
      case 1:
        insn = isa::Store{};
        break;
      case 2:
        insn = isa::Gemm{};
        break;
      case 3:
        insn = isa::Depthwise{};
        break;
      case 4:
        insn = isa::Requant{};
        break;
      case 5:
        insn = isa::Add{};
        break;
      default:
        insn = isa::Alu{};
        break;
    }
    // Counts stay small; other fields take any value, often a small one.
    std::visit(
        [&](auto& v) {
          ForEachField(v, [&](const isa::FieldRow& f, int64_t& value) {
            const bool count = f.name.starts_with("iter") || f.name.starts_with("red_") ||
                               f.name.ends_with("_size") || f.name == "uop_count";
            const int width = static_cast<int>(
                rng.OneIn(3) ? f.width : std::min<int64_t>(f.width, rng.Range(1, 8)));
            value = static_cast<int64_t>(rng.Next() & Mask(width));
            if (f.kind == isa::FieldKind::kSigned)
              value = SignExtend(static_cast<uint64_t>(value), width);
            if (count && !f.name.ends_with("step")) value = rng.Range(0, 4);
            if (f.name.find("pad_") != std::string_view::npos && f.name != "pad_value")
              value = rng.Range(0, 2);
            if (f.name == "x_bytes" && rng.OneIn(2)) value = 16;
            if (f.name == "pop" || f.name == "push") value = 0;
          });
        },
        insn);
    if (CheckFields(insn, config)) continue;
    done += Compare(insn, m);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GE(done, 1000);
}

TEST(Kernels, RescaleAtTheEnds) {
  // Every combination of edge values in lanes that also hold random ones.
  Rng rng(5);
  const int32_t edges[] = {
      0, 1, -1, 2, -2, 0x40000000, -0x40000000, 0x7fffffff, -0x7fffffff - 1, 0x3fffffff};
  const int32_t multipliers[] = {0, 1, 0x40000000, 0x40000001, 0x7fffffff};
  for (const TileKernels* kernels : UsableKernels()) {
    for (isa::Round round : {isa::Round::kTflite, isa::Round::kEven, isa::Round::kHalfUp}) {
      for (int32_t shift = -31; shift <= 31; ++shift) {
        std::vector<int32_t> a, bias, multiplier;
        for (int32_t x : edges) {
          for (int32_t m : multipliers) a.push_back(x), bias.push_back(0), multiplier.push_back(m);
        }
        for (int i = 0; i < 200; ++i) {
          a.push_back(static_cast<int32_t>(rng.Next()) >> rng.Range(0, 31));
          bias.push_back(static_cast<int32_t>(rng.Next()) >> rng.Range(0, 31));
          multiplier.push_back(rng.OneIn(2) ? 1 << rng.Range(0, 30)
                                            : static_cast<int32_t>(rng.Next() & 0x7fffffff));
        }
        const std::vector<int32_t> shifts(a.size(), shift);
        std::vector<int32_t> y(a.size());
        kernels->rescale({a.data(), bias.data(), multiplier.data(), shifts.data(), y.data(),
                          static_cast<int64_t>(a.size()), round});
        for (size_t i = 0; i < a.size(); ++i) {
          ASSERT_EQ(y[i], isa::Rescale(WrapAdd(a[i], bias[i]), multiplier[i], shift, round))
              << kernels->name << " " << Text(round) << " a " << a[i] << " bias " << bias[i]
              << " multiplier " << multiplier[i] << " shift " << shift;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera::sim::kernels_test
