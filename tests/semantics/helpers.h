// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the semantics share: machines with random contents, and their comparison.
#ifndef TESSERA_TESTS_SEMANTICS_HELPERS_H_
#define TESSERA_TESTS_SEMANTICS_HELPERS_H_

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "base/rng.h"
#include "isa/semantics/execute.h"

namespace tessera::isa {

inline Config Named(std::string_view name) {
  for (const Config& config : NamedConfigs()) {
    if (config.name == name) return config;
  }
  ADD_FAILURE() << "no configuration " << name;
  return {};
}

// A machine full of random bytes, with |dram_bytes| of device memory that all segments cover.
struct Machine {
  Machine(const Config& config, Rng& rng, int64_t dram_bytes = 4096)
      : memory(dram_bytes), state(config) {
    const auto fill = [&](auto& values) {
      for (auto& value : values)
        value = static_cast<std::remove_reference_t<decltype(value)>>(rng.Next());
    };
    fill(memory), fill(state.uop), fill(state.wgt), fill(state.inp), fill(state.acc),
        fill(state.out), fill(state.prm);
    state.dram = memory;
    for (SegmentRange& segment : state.segments) segment = {0, memory.size()};
  }
  Machine(const Machine& other) : memory(other.memory), state(other.state) { state.dram = memory; }

  template <typename T>
  Stop Run(const T& insn) {
    NoWrites writes;
    return Execute(insn, state, writes);
  }

  std::vector<uint8_t> memory;
  MachineState state;
};

inline void ExpectSame(const Machine& got, const Machine& want) {
  EXPECT_EQ(got.memory, want.memory);
  EXPECT_EQ(got.state.uop, want.state.uop);
  EXPECT_EQ(got.state.wgt, want.state.wgt);
  EXPECT_EQ(got.state.inp, want.state.inp);
  EXPECT_EQ(got.state.acc, want.state.acc);
  EXPECT_EQ(got.state.out, want.state.out);
  EXPECT_EQ(got.state.prm, want.state.prm);
}

}  // namespace tessera::isa

#endif  // TESSERA_TESTS_SEMANTICS_HELPERS_H_
