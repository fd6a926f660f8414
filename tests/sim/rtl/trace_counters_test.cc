// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the units' counters that the verilated device samples at each retirement of a
// trace. Expected values: for a copy of |n| tiles through OUT, those that follow from the program
// and hw/rtl/README.md alone; the run's report at the end. Space: copies of 1 to 64 tiles on
// `tiny`, with and without memory stalls. Not tested here: uses of the samples (tests/runtime),
// whole networks (tests/tools).
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "isa/encoding.h"
#include "runtime/device/registry.h"

namespace tessera::trace_counters_test {
namespace {

enum : size_t { kLoad, kGemm, kVector, kStore };

struct Traced {
  std::vector<TraceEntry> trace;
  RunReport report;
};

// LOAD |n| tiles, which STORE waits for and writes back.
Traced Copy(Device& device, int64_t n) {
  const int64_t tile = device.config().out_tile_bytes();
  const isa::Insn program[] = {isa::Load{.push = 8,
                                         .memory = static_cast<int64_t>(isa::Memory::kOut),
                                         .x_bytes = tile,
                                         .x_size = n,
                                         .y_size = 1,
                                         .x_step = tile,
                                         .z_size = 1},
                               isa::Store{.pop = 1,
                                          .x_bytes = tile,
                                          .dram_base = 4096,
                                          .x_size = n,
                                          .y_size = 1,
                                          .x_step = tile,
                                          .z_size = 1},
                               isa::Finish{}};
  std::vector<uint8_t> code;
  for (const isa::Insn& insn : program) {
    const isa::InsnWord word = isa::Encode(insn).value();
    const auto* bytes = reinterpret_cast<const uint8_t*>(word.data());
    code.insert(code.end(), bytes, bytes + sizeof(word));
  }
  EXPECT_TRUE(device.Write(0x10000, code));
  Launch launch{.insn_addr = 0x10000, .insn_count = 3, .segments = {}, .budget = 100'000};
  launch.segments[0] = {0x20000, 0x2000};
  Traced traced;
  EXPECT_TRUE(device.SetTrace(&traced.trace));
  const Result<RunReport> report = device.Run(launch);
  EXPECT_TRUE(device.SetTrace(nullptr));
  EXPECT_TRUE(report) << report.error().message;
  if (report) traced.report = *report;
  return traced;
}

uint64_t Sum(const UnitCounters& c) {
  return c.busy + c.token_wait + c.memory_wait + c.hazard + c.idle;
}

// From |earlier| to |later| the unit was only idle, for |cycles| cycles.
void ExpectIdleSince(const UnitCounters& earlier, const UnitCounters& later, uint64_t cycles) {
  EXPECT_EQ(later.busy, earlier.busy);
  EXPECT_EQ(later.token_wait, earlier.token_wait);
  EXPECT_EQ(later.memory_wait, earlier.memory_wait);
  EXPECT_EQ(later.hazard, earlier.hazard);
  EXPECT_EQ(later.idle, earlier.idle + cycles);
}

class TraceCounters : public ::testing::TestWithParam<uint64_t> {
 protected:
  void SetUp() override {
    SCOPED_TRACE(::testing::Message() << "stall seed " << GetParam());
    const Result<isa::Config> config = isa::LoadConfig("tiny");
    ASSERT_TRUE(config) << config.error().message;
    auto device = OpenDevice(
        "rtl", *config,
        {.memory_bytes = 1 << 20, .values = {{"stall-seed", std::to_string(GetParam())}}});
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
  }
  std::unique_ptr<Device> device_;
};

TEST_P(TraceCounters, FollowFromTheProgramAndEndAsTheReport) {
  for (const int64_t n : {1, 2, 3, 16, 64}) {
    SCOPED_TRACE(::testing::Message() << n << " tiles, stall seed " << GetParam());
    const Traced run = Copy(*device_, n);
    ASSERT_EQ(run.trace.size(), 2u);  // LOAD and STORE; FINISH has no trace entry
    const TraceEntry &load = run.trace[0], &store = run.trace[1];
    ASSERT_EQ(load.unit, isa::Unit::kLoad);
    ASSERT_EQ(store.unit, isa::Unit::kStore);
    for (const TraceEntry& entry : run.trace) {
      for (const UnitCounters& unit : entry.units) EXPECT_EQ(Sum(unit), entry.cycle);
      // Units without a command.
      ExpectIdleSince({}, entry.units[kGemm], entry.cycle);
      ExpectIdleSince({}, entry.units[kVector], entry.cycle);
    }
    // Every tile is one write of LOAD, and LOAD is idle once it has retired.
    EXPECT_GE(load.units[kLoad].busy, static_cast<uint64_t>(n));
    ExpectIdleSince(load.units[kLoad], store.units[kLoad], store.cycle - load.cycle);
    // STORE had nothing to do, or its command waited for LOAD's token.
    EXPECT_EQ(load.units[kStore].busy + load.units[kStore].memory_wait + load.units[kStore].hazard,
              0u);
    EXPECT_GT(load.units[kStore].token_wait, 0u);
    EXPECT_GE(store.units[kStore].busy, static_cast<uint64_t>(n));
    // After the last retirement the units are idle until the run's report.
    ASSERT_GT(run.report.cycles, store.cycle);
    for (size_t u = 0; u < run.report.units.size(); ++u) {
      ExpectIdleSince(store.units[u], run.report.units[u], run.report.cycles - store.cycle);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stalls, TraceCounters, ::testing::Values(0, 7),
                         ::testing::PrintToStringParamName());

// LOAD writes a chunk a cycle when memory keeps up, so each further tile costs LOAD one busy cycle
// and STORE one cycle of waiting.
TEST(TraceCountersSteady, ATileMoreIsACycleMore) {
  auto device = OpenDevice("rtl", isa::LoadConfig("tiny").value(), {.memory_bytes = 1 << 20});
  ASSERT_TRUE(device) << device.error().message;
  const Traced one = Copy(**device, 1), many = Copy(**device, 64);
  ASSERT_EQ(one.trace.size(), 2u);
  ASSERT_EQ(many.trace.size(), 2u);
  const TraceEntry &a = one.trace[0], &b = many.trace[0];
  EXPECT_EQ(b.cycle, a.cycle + 63);
  EXPECT_EQ(b.units[kLoad].busy, a.units[kLoad].busy + 63);
  EXPECT_EQ(b.units[kStore].token_wait, a.units[kStore].token_wait + 63);
}

}  // namespace
}  // namespace tessera::trace_counters_test
