// SPDX-License-Identifier: Apache-2.0
//
// What is tested: two runs differ in time at the first retirement whose instruction, cycle or
// counters differ, whatever the order of retirements in one cycle, and in each number of their
// reports. Not tested here: the runs of machines (tests/cosim).
#include "sim/rig/timing.h"

#include <gtest/gtest.h>

namespace tessera::rig::timing_test {
namespace {

TraceEntry Entry(uint32_t insn, isa::Unit unit, uint64_t cycle, uint64_t busy = 0) {
  TraceEntry entry{.insn = insn, .unit = unit, .cycle = cycle};
  entry.units[0].busy = busy;
  entry.units[0].idle = cycle - busy;
  return entry;
}

TEST(TimeDifference, IsTheFirstInTime) {
  const std::vector<TraceEntry> want = {Entry(0, isa::Unit::kLoad, 10),
                                        Entry(3, isa::Unit::kGemm, 20),
                                        Entry(1, isa::Unit::kLoad, 20)};
  std::vector<TraceEntry> got = {want[0], want[2], want[1]};  // one cycle, another order
  EXPECT_EQ(TimeDifference(want, got), "");
  got[2].cycle = 21;
  EXPECT_EQ(TimeDifference(want, got), "retirement 2: gemm 3 in cycle 20, not gemm 3 in cycle 21");
  got[0] = Entry(0, isa::Unit::kLoad, 10, 4);
  EXPECT_EQ(
      TimeDifference(want, got),
      "retirement 0 (load 0, cycle 10): load was busy 0 token 0 memory 0 hazard 0 idle 10, not "
      "busy 4 token 0 memory 0 hazard 0 idle 6");
  EXPECT_EQ(TimeDifference(want, {want[0]}), "3 retirements, not 1");
}

TEST(ReportDifference, IsInEachNumber) {
  const RunReport want{.cycles = 9, .instructions = 4, .bytes_read = 64, .bytes_written = 8};
  RunReport got = want;
  EXPECT_EQ(ReportDifference(want, got), "");
  got.bytes_written = 16;
  EXPECT_EQ(ReportDifference(want, got), "bytes 64 and 8, not 64 and 16");
  got.units[3].hazard = 1;
  EXPECT_EQ(
      ReportDifference(want, got),
      "store was busy 0 token 0 memory 0 hazard 0 idle 0, not busy 0 token 0 memory 0 hazard 1 "
      "idle 0");
  got.instructions = 5;
  EXPECT_EQ(ReportDifference(want, got), "4 instructions, not 5");
  got.cycles = 10;
  EXPECT_EQ(ReportDifference(want, got), "9 cycles, not 10");
}

}  // namespace
}  // namespace tessera::rig::timing_test
