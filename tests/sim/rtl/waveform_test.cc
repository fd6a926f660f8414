// SPDX-License-Identifier: Apache-2.0
//
// What is tested: an .fst waveform of a run is read back, and its signals say what the run's report
// says: clock edges while the machine is busy, the cycle and instruction counters, beats on the
// bus. Space: a copy on `tiny`. Not tested here: windows of cycles, .vcd (rtl_device_test.cc).
#include <gtest/gtest.h>

#include "runtime/device/registry.h"
#include "tests/sim/rtl/copy.h"
#include "tests/sim/rtl/fst_file.h"

namespace tessera::sim {
namespace {

TEST(Waveform, AnFstFileSaysWhatTheReportSays) {
  const Folder folder;
  const std::string path = folder.path() + "/run.fst";
  const isa::Config config = Named("tiny");
  RunReport report;
  {
    auto device =
        OpenDevice("rtl", config,
                   {.memory_bytes = 1 << 20, .values = {{"wave", path}, {"cache", folder.path()}}});
    ASSERT_TRUE(device) << device.error().message;
    auto ran = CopyTiles(**device);
    ASSERT_TRUE(ran) << ran.error().message;
    report = *ran;
  }  // closes the file
  ASSERT_GT(report.cycles, 50u);

  const std::string top = "TOP.tsr_top.", control = top + "u_control.";
  const std::string clock = top + "clk_i", busy = control + "busy_o";
  const std::string cycles = control + "cycles_o", retired = control + "retired_o";
  const std::string rvalid = top + "m_axi_rvalid_i", rready = top + "m_axi_rready_o";
  uint64_t edges = 0, busy_edges = 0, beats = 0;
  SignalValues last;
  const Status read =
      ReadFst(path, {clock, busy, cycles, retired, rvalid, rready},
              [&](const SignalValues& before, const SignalValues& now) {
                last = now;
                if (!before.contains(clock) || before.at(clock) != 0 || now.at(clock) != 1) return;
                ++edges;  // what flops see is |before|
                busy_edges += before.at(busy);
                beats += before.at(rvalid) & before.at(rready);
              });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_GT(edges, busy_edges);
  EXPECT_EQ(busy_edges, report.cycles);
  EXPECT_EQ(last.at(cycles), report.cycles);
  EXPECT_EQ(last.at(retired), report.instructions);
  EXPECT_EQ(beats * static_cast<uint64_t>(config.bus_bytes()), report.bytes_read);
}

TEST(Waveform, WhatIsNoFstFileIsRefused) {
  const Status read =
      ReadFst("/dev/null", {"TOP.tsr_top.clk_i"}, [](const SignalValues&, const SignalValues&) {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "/dev/null: not an fst waveform");
}

}  // namespace
}  // namespace tessera::sim
