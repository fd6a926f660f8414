// SPDX-License-Identifier: Apache-2.0
//
// What is tested: debugging sessions on the functional simulator: where each kind of breakpoint and
// step stops, the printed contents of scratchpads, memory, units and tokens, a run that starves, a
// run begun again and one that is left, each wrong command with its line; names and ranges.
// Expected values: the product computed here, the program's text. Space: one program of `tiny`. Not
// tested here: tensors of networks, cycles, terminals (tests/tools/debug_test.cc).
#include "sim/debug/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/asm/asm.h"
#include "sim/debug/names.h"
#include "sim/func/func_device.h"
#include "sim/rig/run_image.h"

namespace tessera::sim::session_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kSide = 4;
constexpr int kInput[kSide] = {1, -2, 3, -4};
constexpr int kWeights[kSide][kSide] = {{0, 1, 0, 0}, {2, 0, 0, 0}, {0, 0, -1, 5}, {1, 1, 1, 1}};

constexpr const char* kProgram =
    R"(.profile tessera
.config tiny
.segment uops
  uop dst=0 src=0 wgt=0 init=1
.segment constants
  .hex 00010000020000000000ff0501010101
.segment input
  .hex 01fe03fc
.segment output 4
.code
.source 0 "conv1"
load memory=uop segment=uops x_bytes=8 x_size=1 y_size=1 z_size=1
load memory=wgt segment=constants x_bytes=16 x_size=1 y_size=1 z_size=1
load memory=inp segment=input x_bytes=4 x_size=1 y_size=1 z_size=1 push=gemm
gemm pop=load push=vector uop_count=1 iter_out=1 iter_in=1
.end
.source 1 "scale"
)"
    "requant pop=gemm push=store dst_mem=out round=even lo=-128 hi=127 shift=1 "
    "multiplier=1073741824 per_tensor=1 iter_out=1 iter_in=1"
    R"(
store pop=vector segment=output x_bytes=4 x_size=1 y_size=1 z_size=1
.end
finish
)";

constexpr const char* kStarves = R"(.profile tessera
.config tiny
.code
sync unit=load push=gemm
sync unit=gemm pop=load
sync unit=vector pop=gemm
finish
)";

class Commands : public DebugConsole {
 public:
  Commands(std::vector<std::string> lines, bool interactive)
      : lines_(std::move(lines)), interactive_(interactive) {}
  std::optional<std::string> Read() override {
    if (next_ == lines_.size()) return std::nullopt;
    return lines_[next_++];
  }
  void Print(std::string_view text) override { output += text; }
  bool interactive() const override { return interactive_; }
  std::string place() const override { return interactive_ ? "" : fmt::format("script:{}", next_); }
  std::string output;

 private:
  std::vector<std::string> lines_;
  bool interactive_;
  size_t next_ = 0;
};

struct SessionResult {
  std::string output;
  Status status;
  bool said_no = false;
  int runs = 0;
};

SessionResult Debug(std::vector<std::string> lines, bool interactive = true,
                    const char* program = kProgram) {
  const Result<isa::ProgramImage> image = isa::Assemble(program);
  EXPECT_TRUE(image) << image.error().message;
  DebugTarget target;
  target.config = isa::LoadConfig("tiny").value();
  target.device = "func";
  target.programs = {&*image};
  target.layers = {"conv1", "scale"};
  Commands console(std::move(lines), interactive);
  DebugSession session(target, console);
  SessionResult result;
  const auto device = MakeFuncDevice(target.config, {.memory_bytes = 1 << 20});
  EXPECT_TRUE(device);
  while (session.Prompt()) {
    ++result.runs;
    session.BeginProgram(0);
    auto* const watched = dynamic_cast<WatchedDevice*>(device->get());
    EXPECT_TRUE(watched != nullptr && watched->SetWatcher(&session));
    const auto ran = rig::RunImage(**device, *image, /*trace=*/false);
    session.EndRun(ran ? Status() : std::unexpected(ran.error()));
  }
  result.output = console.output;
  result.status = session.status();
  result.said_no = session.said_no();
  return result;
}

// A row of a printed matrix.
std::string Row(const std::vector<int>& values, int width) {
  std::string text = " ";
  for (const int value : values) text += fmt::format(" {:>{}}", value, width);
  return text + "\n";
}

std::vector<int> Product() {
  std::vector<int> sums;
  for (const auto& row : kWeights) {
    int sum = 0;
    for (int i = 0; i < kSide; ++i) sum += row[i] * kInput[i];
    sums.push_back(sum);
  }
  return sums;
}

TEST(DebugSession, PrintsScratchpadsAsTheyFill) {
  const SessionResult r =
      Debug({"break insn 3", "run", "print scratchpad acc", "print scratchpad inp 0:2",
             "print scratchpad wgt", "p scratchpad uop", "step gemm", "p scratchpad acc", "step",
             "p scratchpad out", "p scratchpad tab 63"});
  EXPECT_TRUE(r.status);
  EXPECT_FALSE(r.said_no);
  std::string weights;
  for (const auto& row : kWeights) weights += Row({row, row + kSide}, 4);
  const std::string zeros = Row({0, 0, 0, 0}, 11);
  const std::string sums = Row(Product(), 11);
  EXPECT_EQ(r.output,
            "breakpoint 1: insn 0:3\n"
            "breakpoint 1 (insn 0:3): gemm takes instruction 3 (layer conv1)\n"
            "     3  gemm pop=load push=vector uop_count=1 iter_out=1 iter_in=1\n"
            "acc tile 0: int32 [1][4]\n" +
                zeros + "inp tile 0: int8 [1][4]\n" + Row({kInput, kInput + kSide}, 4) +
                "inp tile 1: int8 [1][4]\n" + Row({0, 0, 0, 0}, 4) + "wgt tile 0: int8 [4][4]\n" +
                weights +
                "uop 0\n  dst=0 src=0 wgt=0 init=1\n"
                "step: gemm has retired instruction 3 (layer conv1)\n"
                "     3  gemm pop=load push=vector uop_count=1 iter_out=1 iter_in=1\n"
                "acc tile 0: int32 [1][4]\n" +
                sums +
                "step: vector has retired instruction 4 (layer scale)\n"
                "     4  requant pop=gemm push=store dst_mem=out round=even per_tensor=1 lo=-128 "
                "hi=127 iter_out=1 iter_in=1 multiplier=1073741824 shift=1\n"
                "out tile 0: int8 [1][4]\n" +
                Row(Product(), 4) + "tab tile 63: int8 [1][4]\n" + Row({0, 0, 0, 0}, 4));
}

TEST(DebugSession, ShowsDeviceMemoryBeforeAndAfterTheStore) {
  const SessionResult r = Debug({"break insn 5", "run", "x output 4", "x input+2 2", "x 4+0 4",
                                 "continue", "x output+0x0 4"});
  std::string bytes = "output+0x000000:";
  for (const int value : Product()) bytes += fmt::format(" {:02x}", value & 255);
  EXPECT_THAT(r.output, HasSubstr("output+0x000000: 00 00 00 00\n"));
  EXPECT_THAT(r.output, HasSubstr("input+0x000002: 03 fc\n"));
  EXPECT_THAT(r.output, HasSubstr("4+0x000000: 00 00 00 00\n"));
  EXPECT_THAT(r.output, EndsWith("the run is over: 6 instructions of program 0 have retired\n" +
                                 bytes + "\n"));
}

TEST(DebugSession, StopsWhereBreakpointsSay) {
  const SessionResult r =
      Debug({"break layer scale", "break token load->gemm pop", "b token vector->store push", "run",
             "c", "c", "info breaks", "c", "info breaks"});
  const char* const stops[] = {
      "breakpoint 2 (token load->gemm pop): gemm pops a token of load for instruction 3",
      "breakpoint 1 (layer scale): vector takes instruction 4",
      "breakpoint 3 (token vector->store push): vector gives store a token as instruction 4 "
      "retires",
      "the run is over"};
  size_t at = 0;
  for (const char* stop : stops) {
    at = r.output.find(stop, at);
    EXPECT_NE(at, std::string::npos) << stop << " in\n" << r.output;
  }
  EXPECT_THAT(r.output, HasSubstr("breakpoint 1: layer scale, hit 1 times in this run\n"));
  EXPECT_THAT(r.output, Not(HasSubstr("never reached")));
}

TEST(DebugSession, SaysWhichBreakpointsWereNeverReached) {
  const SessionResult r = Debug({"break insn 2", "break token gemm->vector push"}, true, kStarves);
  EXPECT_THAT(r.output, HasSubstr("no instruction pushes a token gemm->vector; pairs of which one "
                                  "does: load->gemm\n"));
  const SessionResult starved = Debug({"break insn 2", "run", "info", "continue"}, true, kStarves);
  EXPECT_TRUE(starved.said_no);
  EXPECT_THAT(starved.output, HasSubstr("breakpoint 1 (insn 0:2) was never reached\n"));
  EXPECT_THAT(starved.output, HasSubstr("the run failed: deadlock"));
  // The session still shows the machine.
  EXPECT_THAT(starved.output, HasSubstr("2 of 4 instructions have retired"));
  EXPECT_THAT(starved.output,
              HasSubstr("  vector  nothing in flight\n"
                        "          queue: 1 of 32, the first is 2: sync pop=gemm unit=vector\n"
                        "          waits for a token of gemm, which no instruction that is left "
                        "gives\n"));
  EXPECT_THAT(starved.output, HasSubstr("tokens: load->gemm 0, gemm->vector 0\n"));
  EXPECT_THAT(starved.output, EndsWith("the run is over; `run` begins it again\n"));
}

TEST(DebugSession, TellsUnitsQueuesAndTokens) {
  const SessionResult r = Debug({"break token gemm->vector push", "run", "info", "list", "layers"});
  EXPECT_THAT(r.output, HasSubstr("program 0 of 1, device func, configuration tiny\n"
                                  "3 of 7 instructions have retired; layer conv1\n"));
  EXPECT_THAT(r.output, HasSubstr("tokens: load->gemm 0, gemm->vector 1, vector->store 0\n"));
  EXPECT_THAT(r.output,
              HasSubstr("          waits for a token of vector, which its instruction 4 gives\n"));
  EXPECT_THAT(r.output, HasSubstr("*     2  load push=gemm"));
  EXPECT_THAT(r.output, HasSubstr(">     3  gemm"));
  EXPECT_THAT(r.output, HasSubstr("      4  requant"));
  EXPECT_THAT(r.output, HasSubstr("   0  conv1: 4 instructions of program 0, 3 retired\n"
                                  "   1  scale: 2 instructions of program 0, 0 retired\n"));
}

TEST(DebugSession, GoesBackByRunningAgain) {
  const SessionResult r = Debug({"goto insn 4", "p scratchpad acc", "goto insn 1",
                                 "p scratchpad acc", "goto insn 0:4", "p scratchpad acc", "run"});
  EXPECT_EQ(r.runs, 3);
  const std::string tile = "acc tile 0: int32 [1][4]\n";
  const size_t first = r.output.find(tile + Row(Product(), 11));
  const size_t second = r.output.find(tile + Row({0, 0, 0, 0}, 11));
  const size_t third = r.output.rfind(tile + Row(Product(), 11));
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_THAT(r.output, HasSubstr("goto: load takes instruction 1 (layer conv1)"));
  EXPECT_THAT(r.output, EndsWith("the run is over: 6 instructions of program 0 have retired\n"));
}

TEST(DebugSession, StepsAndFinishesLayers) {
  const SessionResult r = Debug({"step 2", "finish", "finish", "step vector", "finish", "finish"});
  EXPECT_THAT(r.output, StartsWith("step: load has retired instruction 1 (layer conv1)\n"));
  EXPECT_THAT(r.output, HasSubstr("end of layer conv1: gemm has retired instruction 3"));
  EXPECT_THAT(r.output, HasSubstr("layer conv1 is at its end already\n"));
  EXPECT_THAT(r.output, HasSubstr("step: vector has retired instruction 4"));
  EXPECT_THAT(r.output, HasSubstr("end of layer scale: store has retired instruction 5"));
}

TEST(DebugSession, LeavesTheRunWithQuit) {
  const SessionResult r = Debug({"break insn 1", "run", "quit", "info"});
  EXPECT_EQ(r.runs, 1);
  EXPECT_TRUE(r.status);
  EXPECT_FALSE(r.said_no) << "a run that was left has not failed";
  EXPECT_THAT(r.output, Not(HasSubstr("the run")));
}

TEST(DebugSession, AWrongCommandEndsAScript) {
  const SessionResult r = Debug({"break insn 1", "run", "break insn 7", "info"}, false);
  ASSERT_FALSE(r.status);
  EXPECT_EQ(r.status.error().message, "script:3: instruction 7: program 0 has instructions 0 to 6");
  EXPECT_THAT(r.output, Not(HasSubstr("program 0 of 1")));
}

TEST(DebugSession, RefusesWhatMatchesNothingInOneLine) {
  struct Case {
    const char *command, *says;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"break insn 7", "instruction 7: program 0 has instructions 0 to 6"},
           {"break insn 1:0", "program 1: there are programs 0 to 0"},
           {"break insn 6", "instruction 6 is FINISH, which no unit takes"},
           {"break insn x", "instruction: 'x' is no whole number"},
           {"break layer convX", "no layer 'convX'; layers are: conv1, scale"},
           {"break layer c", "'c' is a part of 2 layers: conv1, scale; give more of the name"},
           {"break write conv1", "a program image has no tensors, only segments"},
           {"break token load->stone", "no unit 'stone'; there are load, gemm, vector, store"},
           {"break token load", "'load' is no pair of units; give FROM->TO"},
           {"break token load->store",
            "no instruction moves a token load->store; pairs of which one does: load->gemm, "
            "gemm->vector, vector->store"},
           {"break token load->gemm both", "'both' is neither push nor pop"},
           {"break cycle 5", "--device func has no clock"},
           {"break", "give break insn [PROGRAM:]N, break layer NAME"},
           {"break fast 3", "nothing to break at is called 'fast'"},
           {"delete 4", "no breakpoint 4"},
           {"goto cycle 3", "--device func has no clock"},
           {"goto", "give goto insn [PROGRAM:]N or goto cycle N"},
           {"step 0", "a step is 1 at least"},
           {"step far", "'far' is no whole number"},
           {"info", "nothing runs; `run` or `step` begins"},
           {"print scratchpad inp", "nothing runs"},
           {"finish", "nothing runs"},
           {"warp", "'warp' is no command; there are break, delete, run"},
           {"z", "'z' is no command"}}) {
    const SessionResult r = Debug({c.command});
    EXPECT_THAT(r.output, HasSubstr(c.says)) << c.command;
    EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
  }
}

TEST(DebugSession, RefusesWhatIsNotThereInOneLine) {
  struct Case {
    const char *command, *says;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"print scratchpad inx", "no scratchpad 'inx'; scratchpads are: uop, wgt, inp, acc"},
           {"print scratchpad out 0:0", "tiles of out: '0:0' is not within 0 to"},
           {"print scratchpad inp 99999999", "tiles of inp: '99999999' is not within 0 to"},
           {"print scratchpad inp 0:300", "300 tiles of inp: 256 are printed at once"},
           {"print", "give print scratchpad NAME [FIRST[:COUNT]] or print tensor NAME"},
           {"print tensor conv1", "a program image has no tensors"},
           {"x", "give x ADDRESS [COUNT]"},
           {"x nowhere", "'nowhere' is no whole number"},
           {"x output+2 4", "bytes 2 to 5: segment output has 4 bytes"},
           {"x 9+0 4", "segment 9: there are 0 to"},
           {"x 0xfffffff0 64", "device memory has 1048576 bytes"},
           {"x output 0", "0 bytes: 1 to 65536 are printed at once"},
           {"diff tensor conv1", "a program image has no tensors"},
           {"diff conv1", "give diff tensor NAME"},
           {"replay", "give replay DEVICE"},
           {"replay rtl w.fst 1 2", "give replay DEVICE"},
           {"replay rtl", "this session cannot run another device"},
           {"list 7", "instruction 7: program 0 has instructions 0 to 6"},
           {"info now", "info takes nothing; 'now' is too much"}}) {
    const SessionResult r = Debug({"step", c.command});
    const std::string answer = r.output.substr(r.output.find('\n', r.output.find('\n') + 1) + 1);
    EXPECT_THAT(answer, HasSubstr(c.says)) << c.command;
    EXPECT_EQ(std::ranges::count(answer, '\n'), 1) << answer;
  }
}

TEST(DebugSession, AnEmptyLineRepeatsAndCommentsAreLeftOut) {
  const SessionResult r = Debug({"step", "", "# step", "", "step # once more"});
  EXPECT_THAT(r.output, HasSubstr("step: gemm has retired instruction 3"));
}

TEST(DebugNames, APartThatOnlyOneHasIsEnough) {
  const std::vector<std::string> names = {"stem", "stage1", "", "stage2", "stage2/Add"};
  EXPECT_EQ(FindNamed("layer", "tem", names).value(), 0u);
  EXPECT_EQ(FindNamed("layer", "stage2", names).value(), 3u) << "the whole name wins";
  EXPECT_EQ(FindNamed("layer", "Add", names).value(), 4u);
  const auto none = FindNamed("layer", "stage9", names);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "no layer 'stage9'; layers are: stage1, stage2, stage2/Add, stem");
  EXPECT_FALSE(FindNamed("layer", "", names));
}

TEST(DebugNames, Ranges) {
  const IndexRange all = RangeOf("r", ":", 7).value();
  EXPECT_EQ(all.first, 0);
  EXPECT_EQ(all.count, 7);
  EXPECT_EQ(RangeOf("r", "6", 7).value().first, 6);
  EXPECT_EQ(RangeOf("r", "5:2", 7).value().count, 2);
  for (const char* bad : {"7", "5:3", "0:0", "-1", "1:", "", "0:18446744073709551615"})
    EXPECT_FALSE(RangeOf("r", bad, 7)) << bad;
}

}  // namespace
}  // namespace tessera::sim::session_test
