// SPDX-License-Identifier: Apache-2.0
//
// What is tested: an .fst waveform of a run is read back, and its signals agree with the run's
// report: clock edges while the machine is busy, the cycle and instruction counters, beats on the
// bus; `tessera trace --wave` records the requested window of a run that ends well and of one that
// fails, and names signals that are in it. Space: a copy and tokens on `tiny`. Not tested here:
// windows of cycles by the device's options, .vcd (rtl_device_test.cc).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "isa/config.h"
#include "runtime/device/registry.h"
#include "tests/sim/rtl/copy.h"
#include "tests/sim/rtl/fst_file.h"
#include "tests/tools/mixed_model.h"

namespace tessera::sim::waveform_test {
namespace {

// The folder of the machine with waveforms, shared by all tests: verilating it takes most of the
// time.
const Folder& Shared() {
  static const Folder folder;
  return folder;
}

TEST(Waveform, AnFstFileSaysWhatTheReportSays) {
  const Folder& folder = Shared();
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
                ++edges;  // flip-flops see the values of |before|
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

// Runs the command, with its output in |log|, and returns its exit code.
int Tessera(const std::string& arguments, const std::string& log = "/dev/null") {
  const int status = std::system((TESSERA_COMMAND " " + arguments + " > " + log + " 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The window of a trace has every signal that the list for GTKWave names, and its cycles are those
// from instruction 1 on.
TEST(Waveform, AWindowOfATraceHasItsSignalsAndCycles) {
  const std::string stem = Shared().path() + "/window";
  struct Case {
    std::string code, from;
    int code_of_exit;
  };
  for (const Case& c :
       {Case{"sync unit=load push=gemm\nsync unit=gemm pop=load\n", "insn:1", 0},
        Case{"sync unit=load push=gemm\nsync unit=gemm pop=vector\n", "failure", 2}}) {
    SCOPED_TRACE(c.from);
    ASSERT_TRUE(WriteFile(stem + ".s", std::string_view(".profile tessera\n.config tiny\n.code\n" +
                                                        c.code + "finish\n")));
    ASSERT_EQ(Tessera("asm " + stem + ".s -o " + stem + ".img"), 0);
    ASSERT_EQ(Tessera(fmt::format("trace {0}.img --device rtl:cache={1} --wave {0}.fst --from {2} "
                                  "--cycles 8 -o {0}.json --dump-dir ''",
                                  stem, Shared().path(), c.from)),
              c.code_of_exit);
    const auto list = ReadFile(stem + ".gtkw");
    ASSERT_TRUE(list) << list.error().message;
    std::istringstream text(std::string(list->begin(), list->end()));
    std::vector<std::string> names;
    for (std::string line; std::getline(text, line);) {
      // The reader handles at most 64 bits.
      if (line.starts_with("TOP.") && line.find("[127:0]") == std::string::npos)
        names.push_back(line.substr(0, line.find('[')));
    }
    EXPECT_GT(names.size(), 20u);
    const std::string cycles = "TOP.tsr_top.trace_cycles_o";
    uint64_t first = ~uint64_t{0}, last = 0;
    const Status read =
        ReadFst(stem + ".fst", names, [&](const SignalValues&, const SignalValues& now) {
          if (!now.contains(cycles)) return;
          first = std::min(first, now.at(cycles));
          last = std::max(last, now.at(cycles));
        });
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_GE(last, first + 8);
    EXPECT_LE(last, first + 8 + 32);
  }
}

// The range of the machine's cycle counter in waveform |path|.
struct Recorded {
  uint64_t first = ~uint64_t{0}, last = 0;
};
Recorded RecordedIn(const std::string& path) {
  const std::string cycles = "TOP.tsr_top.trace_cycles_o";
  Recorded recorded;
  const Status read = ReadFst(path, {cycles}, [&](const SignalValues&, const SignalValues& now) {
    if (!now.contains(cycles)) return;
    recorded.first = std::min(recorded.first, now.at(cycles));
    recorded.last = std::max(recorded.last, now.at(cycles));
  });
  EXPECT_TRUE(read) << read.error().message;
  return recorded;
}

// The window that `trace --from failure` records of |program|, a whole program; expects exit code
// |code|.
Recorded RecordedOfFailure(const std::string& program, int code, std::string& log) {
  const std::string stem = Shared().path() + "/failure";
  EXPECT_TRUE(WriteFile(stem + ".s", std::string_view(program)));
  EXPECT_EQ(Tessera("asm " + stem + ".s -o " + stem + ".img"), 0);
  EXPECT_EQ(
      Tessera(fmt::format("trace {0}.img --device rtl:cache={1} --wave {0}.fst --from failure "
                          "--cycles 40 -o {0}.json --dump-dir ''",
                          stem, Shared().path()),
              stem + ".log"),
      code);
  const auto text = ReadFile(stem + ".log");
  log = text ? std::string(text->begin(), text->end()) : "";
  return RecordedIn(stem + ".fst");
}

// The memory answers the second load's beat with an error: the window contains that cycle.
TEST(Waveform, AWindowIsWhereTheMemoryAnsweredWithAnError) {
  std::string log;
  const Recorded recorded = RecordedOfFailure(
      ".profile vta\n.config tiny\n.segment input 1024\n.code\n"
      "load memory_type=inp dram_base=0 y_size=1 x_size=64\n"
      "load memory_type=inp dram_base=0xfffffff0 y_size=1 x_size=1\nfinish\n",
      2, log);
  EXPECT_NE(log.find("the beat at bus address 0x3ffffffc0 was answered with an error"),
            std::string::npos)
      << log;
  EXPECT_GE(recorded.last, recorded.first + 8);
  EXPECT_LE(recorded.last, recorded.first + 40 + 32);
}

// Two loads race with a store of 256 tiles: the first changes tile 0, which the store has read
// already, the second tile 255, which it has not. func runs whole instructions, and no order of
// them gives that result: the run ends well, and the store is the first wrong instruction.
TEST(Waveform, AWindowIsWhereAResultIsWrong) {
  std::string log;
  const std::string head =
      ".profile tessera\n.config tiny\n.segment constants 8\n.hex 1122334455667788\n"
      ".segment output 1024\n.code\n"
      "store segment=output x_bytes=4 x_size=256 y_size=1 z_size=1 x_step=4\n";
  const Recorded recorded = RecordedOfFailure(
      head +
          "load memory=out segment=constants x_bytes=4 x_size=1 y_size=1 z_size=1\n"
          "load memory=out segment=constants x_bytes=4 sram_base=255 x_size=1 y_size=1 z_size=1\n"
          "finish\n",
      0, log);
  EXPECT_LE(recorded.first, 60u) << "the store was taken early";
  EXPECT_GE(recorded.last, recorded.first + 8);
  EXPECT_LE(recorded.last, recorded.first + 40 + 32);
  // Without a fault the trace records nothing.
  RecordedOfFailure(head + "finish\n", 2, log);
  EXPECT_NE(log.find("nothing failed, and each instruction did what it does on func"),
            std::string::npos)
      << log;
}

// `replay rtl FILE.fst` in a session of the cycle model records the signals around the same cycle.
TEST(Waveform, ASessionOfTheDebuggerRecordsItsPoint) {
  const std::string stem = Shared().path() + "/session";
  ASSERT_TRUE(WriteFile(stem + ".s", std::string_view(".profile tessera\n.config tiny\n"
                                                      ".segment input 1024\n.code\n"
                                                      "load memory=out segment=input x_bytes=4 "
                                                      "x_size=128 y_size=1 z_size=1 x_step=4\n"
                                                      "load memory=out segment=input x_bytes=4 "
                                                      "x_size=128 y_size=1 z_size=1 x_step=4\n"
                                                      "sync unit=gemm\nfinish\n")));
  ASSERT_EQ(Tessera("asm " + stem + ".s -o " + stem + ".img"), 0);
  ASSERT_TRUE(WriteFile(stem + ".txt",
                        std::string_view(fmt::format("step\nstep\nreplay rtl:cache={} {}.fst 30\n",
                                                     Shared().path(), stem))));
  ASSERT_EQ(
      Tessera(fmt::format("debug {0}.img --device cycle --script {0}.txt --json {0}.json", stem),
              stem + ".log"),
      0);
  const auto bytes = ReadFile(stem + ".json");
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto session = nlohmann::json::parse(*bytes);
  const std::string answer = session["commands"][2]["answer"];
  // One of the two loads has retired; rtl took the other meanwhile, so that it is in flight.
  EXPECT_NE(answer.find("in flight on rtl in that cycle"), std::string::npos) << answer;
  EXPECT_NE(answer.find("\n  load         1  load memory=out"), std::string::npos) << answer;
  const uint64_t at = session["commands"][2]["at"]["cycle"];
  const Recorded recorded = RecordedIn(stem + ".fst");
  EXPECT_LE(recorded.first, at);
  EXPECT_GE(recorded.last, at);
  EXPECT_LE(recorded.last, recorded.first + 30 + 32);
}

// A network of two programs: a window by an instruction of the second program is of that program's
// run alone, and begins where the trace says that the instruction was taken.
TEST(Waveform, AWindowIsOfTheProgramThatItNames) {
  const std::string stem = Shared().path() + "/mixed", cache = Shared().path();
  const std::string model = test::WriteMixedModel(stem + ".tflite");
  // Beside a slow processor, so that the second layer stays on the accelerator.
  isa::Config config = *isa::LoadConfig("tiny");
  config.cpu.clock_mhz = 1;
  ASSERT_TRUE(WriteFile(stem + ".config.json", isa::ConfigToJson(config)));
  const std::string trace = fmt::format(
      "trace {} --config {}.config.json --device rtl:cache={} --cycles 50 ", model, stem, cache);
  const auto refused = [&](const std::string& from) {
    EXPECT_EQ(Tessera(fmt::format("{} --wave {}.fst --from {}", trace, stem, from), stem + ".log"),
              2);
    const auto text = ReadFile(stem + ".log");
    return text ? std::string(text->begin(), text->end()) : "";
  };
  EXPECT_NE(refused("insn:7").find("the network has programs 0 to 1; say of which, for example "
                                   "insn:0:7"),
            std::string::npos);
  EXPECT_NE(refused("cycle:2:7").find("the network has programs 0 to 1"), std::string::npos);
  EXPECT_NE(refused("cycle:1:99999999").find("the run did not come there"), std::string::npos);

  ASSERT_EQ(Tessera(fmt::format("{} -o {}.json", trace, stem)), 0);
  const auto bytes = ReadFile(stem + ".json");
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto events = nlohmann::json::parse(*bytes)["traceEvents"];
  std::map<std::pair<int, int>, uint64_t> taken;  // by process (one a program) and instruction
  for (const auto& event : events) {
    if (event["ph"] == "X" && event["args"].contains("taken"))
      taken[{event["pid"], event["args"]["insn"]}] = event["args"]["taken"];
  }
  // Chooses the instruction whose cycles differ most between the programs.
  uint64_t most = 0;
  int chosen = -1;
  for (const auto& [at, cycle] : taken) {
    const auto other = taken.find({2, at.second});
    if (at.first != 1 || other == taken.end()) continue;
    const uint64_t apart = std::max(cycle, other->second) - std::min(cycle, other->second);
    if (apart > most) most = apart, chosen = at.second;
  }
  constexpr uint64_t kWindow = 50 + 32;
  ASSERT_GT(most, 0u);
  ASSERT_EQ(Tessera(fmt::format("{} --wave {}.fst --from insn:1:{}", trace, stem, chosen)), 0);
  const auto expect_window = [&](uint64_t begin) {
    const Recorded recorded = RecordedIn(stem + ".fst");
    EXPECT_LE(recorded.first, begin);
    EXPECT_GE(recorded.first + 32, begin);
    EXPECT_GE(recorded.last, begin);
    EXPECT_LE(recorded.last, begin + kWindow);
  };
  expect_window(taken.at({2, chosen}));
}

TEST(Waveform, WhatIsNoFstFileIsRefused) {
  const Status read =
      ReadFst("/dev/null", {"TOP.tsr_top.clk_i"}, [](const SignalValues&, const SignalValues&) {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "/dev/null: not an fst waveform");
}

}  // namespace
}  // namespace tessera::sim::waveform_test
