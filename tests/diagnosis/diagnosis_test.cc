// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the messages of the checker and the simulators about hangs and hazards. For each
// class of isa/semantics/diagnosis.h a program of programs/ has a row in the table below with its
// instruction, unit, partner and counts, written by reading the program; all simulators give the
// same message; docs/diagnosis.md shows these messages. Space: configuration tiny. Not tested here:
// programs without an end that the checker accepts (none: tests/rig/token_test), the commands
// (tests/tools).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "isa/asm/asm.h"
#include "isa/check/check.h"
#include "sim/cycle/cycle_device.h"
#include "sim/func/func_device.h"
#include "sim/hls/hls_device.h"
#include "sim/rig/run_image.h"
#include "sim/rtl/rtl_device.h"
#include "sim/trace/race_watch.h"

namespace tessera::diagnosis_test {
namespace {

using isa::DiagnosisClass;
using ::testing::HasSubstr;

struct Row {
  const char* program;
  DiagnosisClass kind;
  Code code;                       // of the device's error; for a race none
  const char* unit;                // the unit that waits
  uint32_t insn;                   // its instruction
  const char* insn_text;           // the instruction's text
  const char* partner;             // the unit that should have pushed
  uint64_t nth;                    // the number of the token that it waits for, from 1; 0: none
  std::vector<const char*> words;  // the rest of the device's message
};

const Row kRows[] = {
    {"lost_token",
     DiagnosisClass::kLostToken,
     Code::kDeadlock,
     "store",
     3,
     "(store pop=load segment=output x_bytes=4 sram_base=1 dram_base=4 x_size=1 y_size=1 z_size=1)",
     "load",
     2,
     {"store's instruction 3 waits for its 2nd token from load, whose instructions push 1 to it",
      "instruction 2 (load memory=out segment=input",
      "is the last of load before it and pushes none", "a pop without its push",
      "gemm has nothing to do", "fetch has passed all 5 instructions"}},
    {"too_few_credits",
     DiagnosisClass::kTooFewCredits,
     Code::kDeadlock,
     "load",
     2,
     "(load pop=store push=store memory=out",
     "store",
     2,
     {"load's instruction 2 waits for its 2nd token from store, which instruction 4 would push",
      "store's instruction 4 waits for its 2nd token from load, which instruction 2 would push",
      "push as many before the loop as there are buffers"}},
    {"cyclic_wait",
     DiagnosisClass::kCyclicWait,
     Code::kDeadlock,
     "vector",
     0,
     "(sync pop=store push=store unit=vector)",
     "store",
     1,
     {"vector's instruction 0 waits for its 1st token from store, which instruction 1 would push",
      "store's instruction 1 waits for its 1st token from vector, which instruction 0 would push",
      "let one of them push before it pops"}},
    {"queue_overflow",
     DiagnosisClass::kQueueOverflow,
     Code::kDeadlock,
     "gemm",
     0,
     "(sync pop=vector unit=gemm)",
     "vector",
     1,
     {"gemm's instruction 0 waits for its 1st token from vector, which instruction 33 would push",
      "fetch waits for room in the queue of gemm (it holds 32) at instruction 32",
      "fetch waits for room in the queue of gemm at instruction 32 (sync pop=vector unit=gemm)"}},
};

const isa::Config& Tiny() {
  for (const isa::Config& config : isa::NamedConfigs()) {
    if (config.name == "tiny") return config;
  }
  return isa::NamedConfigs()[0];
}

isa::ProgramImage Program(const std::string& name) {
  const auto bytes = ReadFile(fmt::format("tests/diagnosis/programs/{}.s", name));
  TESSERA_CHECK(bytes.has_value(), "{}", bytes.error().message);
  const auto image = isa::Assemble(std::string(bytes->begin(), bytes->end()));
  TESSERA_CHECK(image.has_value(), "{}", image.error().message);
  return *image;
}

const Driver& DriverNamed(std::string_view name) {
  static const Driver drivers[] = {sim::FuncDriver(), sim::CycleDriver(), sim::HlsDriver(),
                                   sim::RtlDriver()};
  for (const Driver& driver : drivers) {
    if (driver.name == name) return driver;
  }
  TESSERA_CHECK(false, "{}", name);
}

constexpr const char* kSimulators[] = {"func", "cycle", "hls", "rtl"};

// Runs |image| on |simulator| and returns its outcome.
Result<rig::ImageOutcome> RunOn(const isa::ProgramImage& image, const std::string& simulator,
                                const std::map<std::string, std::string>& options = {},
                                uint64_t budget = 20'000) {
  const Driver& driver = DriverNamed(simulator);
  TESSERA_ASSIGN(const std::unique_ptr<Device> device,
                 OpenDevice(std::span(&driver, 1), simulator, Tiny(),
                            {.memory_bytes = 1 << 20, .values = options}));
  return rig::RunImage(*device, image, false, budget);
}

Error ErrorOf(const Result<rig::ImageOutcome>& outcome) {
  return outcome ? Error(Code::kNotFound, "no error") : outcome.error();
}

// HLS appends the stream at which each top waits.
std::string WithoutTops(const std::string& message) {
  return message.substr(0, message.find("; tops: "));
}

std::string Name(const ::testing::TestParamInfo<Row>& info) { return info.param.program; }
void PrintTo(const Row& row, std::ostream* os) { *os << row.program; }

class Hang : public ::testing::TestWithParam<Row> {};

TEST_P(Hang, TheCheckerSaysWhy) {
  const Row& row = GetParam();
  const isa::CheckReport report = isa::CheckProgram(Program(row.program), Tiny());
  ASSERT_EQ(report.diagnostics.size(), 1u) << report.ToString();
  const isa::Diagnostic& found = report.diagnostics[0];
  EXPECT_EQ(found.finding, isa::Finding::kDeadlock);
  ASSERT_TRUE(found.diagnosis);
  const isa::Diagnosis& d = *found.diagnosis;
  EXPECT_EQ(d.kind, row.kind) << Text(d.kind);
  ASSERT_FALSE(d.waits.empty());
  EXPECT_EQ(isa::UnitName(d.waits[0].unit), row.unit);
  EXPECT_EQ(d.waits[0].insn, row.insn);
  EXPECT_EQ(isa::UnitName(d.waits[0].partner), row.partner);
  EXPECT_EQ(d.waits[0].nth, row.nth);
  for (const char* word : row.words) EXPECT_THAT(found.text, HasSubstr(word));
}

TEST_P(Hang, EverySimulatorSaysTheSame) {
  const Row& row = GetParam();
  const isa::ProgramImage image = Program(row.program);
  const std::string checker = isa::CheckProgram(image, Tiny()).diagnostics.at(0).text;
  for (const char* simulator : kSimulators) {
    SCOPED_TRACE(simulator);
    const Error error = ErrorOf(RunOn(image, simulator));
    EXPECT_EQ(error.code, row.code) << error.message;
    EXPECT_THAT(error.message,
                HasSubstr(fmt::format("{}'s instruction {} waits for", row.unit, row.insn)));
    EXPECT_THAT(error.message,
                HasSubstr(fmt::format("{} waits for a token from {} at instruction "
                                      "{} {}",
                                      row.unit, row.partner, row.insn, row.insn_text)));
    for (const char* word : row.words) EXPECT_THAT(error.message, HasSubstr(word));
    EXPECT_EQ(WithoutTops(error.message), checker);
  }
}

INSTANTIATE_TEST_SUITE_P(Classes, Hang, ::testing::ValuesIn(kRows), Name);

// The checker's message about |code|; expects the same message of func and rtl.
std::string SaidOf(const std::string& code) {
  const auto image = isa::Assemble(
      ".profile tessera\n.config tiny\n.segment input 64\n.segment output 64\n.code\n" + code);
  if (!image) return image.error().message;
  const std::string text = isa::CheckProgram(*image, Tiny()).diagnostics.at(0).text;
  for (const char* simulator : {"func", "rtl"})
    EXPECT_EQ(ErrorOf(RunOn(*image, simulator)).message, text) << simulator;
  return text;
}

// Of three loads the middle one lacks its push: the second STORE takes the third load's token, and
// the third STORE hangs.
TEST(LostToken, IsLookedForWhereTheCountsPart) {
  const std::string text = SaidOf(
      "sync unit=load push=store\nsync unit=store pop=load\n"
      "sync unit=load\nsync unit=store pop=load\n"
      "sync unit=load push=store\nsync unit=store pop=load\nfinish\n");
  EXPECT_THAT(text,
              HasSubstr("store's instruction 5 waits for its 3rd token from load, whose "
                        "instructions push 2 to it; from instruction 3 (sync pop=load "
                        "unit=store) on its pops take tokens of later instructions; "
                        "instruction 2 (sync) is the last of load before it and pushes none"));
}

// LOAD pushes 256 tokens to GEMM before its push to VECTOR. GEMM pops none of them until VECTOR's
// token arrives.
TEST(TooFewCredits, OfACounterThatIsFull) {
  std::string code = "sync unit=gemm pop=vector\nsync unit=vector pop=load push=gemm\n";
  for (int i = 0; i < 256; ++i) code += "sync unit=load push=gemm\n";
  code += "sync unit=load push=vector\n";
  for (int i = 0; i < 256; ++i) code += "sync unit=gemm pop=load\n";
  const std::string text = SaidOf(code + "finish\n");
  EXPECT_THAT(
      text, HasSubstr("too few credits: gemm's instruction 0 waits for its 1st token from vector, "
                      "which instruction 1 would push; vector's instruction 1 waits for its 1st "
                      "token from load, which instruction 258 would push; load's instruction 257 "
                      "waits for room to push its 256th token to gemm (the counter holds 255), "
                      "which instruction 259 would make by its pop; usual cause: "));
}

// No unit pops these tokens.
TEST(QueueOverflow, OfACounterThatNothingEmpties) {
  std::string code;
  for (int i = 0; i < 256; ++i) code += "sync unit=store push=vector\n";
  EXPECT_THAT(SaidOf(code + "finish\n"),
              HasSubstr("queue overflow: store's instruction 255 waits for room to push its 256th "
                        "token to vector (the counter holds 255), whose instructions pop 0; "));
}

// The number in |text| behind |before|.
uint64_t NumberBehind(const std::string& text, const std::string& before) {
  const size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before << " in " << text;
  return at == std::string::npos ? 0 : std::strtoull(&text[at + before.size()], nullptr, 0);
}

TEST(BusNeverAnswers, IsToldByWhoHasABus) {
  constexpr uint64_t kBudget = 5000, kStops = 100, kBytes = 1024;
  const isa::ProgramImage image = Program("bus_never_answers");
  EXPECT_EQ(isa::CheckProgram(image, Tiny()).ToString(), "") << "the program is right";
  const Result<rig::ImageOutcome> good = RunOn(image, "func");
  ASSERT_TRUE(good) << good.error().message;
  const uint64_t end = good->bases[static_cast<size_t>(isa::Segment::kInput)] + kBytes;
  for (const char* simulator : {"cycle", "rtl"}) {
    SCOPED_TRACE(simulator);
    const Error error =
        ErrorOf(RunOn(image, simulator, {{"memory-stops", std::to_string(kStops)}}, kBudget));
    EXPECT_EQ(error.code, Code::kTimeout);
    EXPECT_THAT(error.message, HasSubstr("bus never answers: load's instruction 0 waits for device "
                                         "memory to give "));
    EXPECT_THAT(error.message,
                HasSubstr("load waits for device memory at instruction 0 (load push=store "
                          "memory=out segment=input"));
    EXPECT_THAT(error.message, HasSubstr("store waits for a token from load at instruction 1 ("));
    EXPECT_THAT(error.message, HasSubstr("usual cause: an address at which no memory is"));
    // LOAD has requested all its bytes, so the bytes that memory owes end at the end of the load.
    const uint64_t owed = NumberBehind(error.message, "memory to give ");
    EXPECT_EQ(NumberBehind(error.message, "bytes from address ") + owed, end);
    EXPECT_GT(owed, 0u);
    EXPECT_LT(owed, kBytes) << "some came before the memory stopped";
    const uint64_t silent = NumberBehind(error.message, "done nothing for ");
    EXPECT_GE(silent, kBudget - kStops);
    EXPECT_LE(silent, kBudget - kStops + 16) << "rtl reads registers before it looks";
  }
  // func and hls read memory as an array.
  for (const char* simulator : {"func", "hls"}) {
    const Error error = ErrorOf(RunOn(image, simulator, {{"memory-stops", "100"}}));
    EXPECT_EQ(error.code, Code::kInvalidArgument);
    EXPECT_THAT(error.message, HasSubstr("memory-stops"));
  }
  const std::string ddr3 = ::testing::TempDir() + "diagnosis_ddr3.json";
  ASSERT_TRUE(WriteFile(ddr3, std::string_view("{}")));
  const Error both = ErrorOf(RunOn(image, "cycle", {{"memory-stops", "9"}, {"ddr3", ddr3}}));
  EXPECT_EQ(both.code, Code::kInvalidArgument);
  EXPECT_THAT(both.message, HasSubstr("options ddr3 and memory-stops are given"));
}

TEST(ErrorResponse, IsToldByAll) {
  const isa::ProgramImage image = Program("error_response");
  const isa::CheckReport report = isa::CheckProgram(image, Tiny());
  EXPECT_THAT(report.ToString(), HasSubstr("bounds: instruction 0 (load memory_type=inp"));
  EXPECT_THAT(report.ToString(), HasSubstr("; usual cause: a count, step or base too large"));
  ASSERT_FALSE(report.diagnostics.empty());
  ASSERT_TRUE(report.diagnostics[0].diagnosis);
  EXPECT_EQ(report.diagnostics[0].diagnosis->kind, DiagnosisClass::kBounds);
  for (const char* simulator : kSimulators) {
    SCOPED_TRACE(simulator);
    const Error error = ErrorOf(RunOn(image, simulator));
    EXPECT_EQ(error.code, Code::kDataLoss);
    EXPECT_THAT(error.message, HasSubstr("load: instruction 0 (load memory_type=inp"));
    EXPECT_THAT(error.message, HasSubstr("): bus: "));
    EXPECT_THAT(error.message, HasSubstr("bytes 17179869120 to 17179869124 of segment 2 at "
                                         "address 0"));
    EXPECT_THAT(error.message,
                HasSubstr("; the beat at bus address 0x3ffffffc0 was answered with an error; "));
    EXPECT_THAT(error.message, HasSubstr("usual cause: an address outside the memory"));
  }
}

// The error is in a later row of a LOAD or a later word of a STORE: rtl sees the answer on the bus,
// the other simulators find the beat in the box. Memory ends at 1 MiB, tiles have 4 bytes: the
// third row is at 4 * 270,000; the store's third tile is the first past the end.
TEST(ErrorResponse, NamesTheBeat) {
  const std::string load = "load memory_type=inp dram_base=170000 y_size=4 x_size=3 x_stride=50000";
  const std::string store = "store memory_type=out dram_base=262142 y_size=1 x_size=4";
  for (const auto& [code, unit, beat] :
       {std::tuple(load, "load", "0x107ac0"), std::tuple(store, "store", "0x100000")}) {
    const auto image = isa::Assemble(".profile vta\n.config tiny\n.code\n" + code + "\nfinish\n");
    ASSERT_TRUE(image) << image.error().message;
    for (const char* simulator : kSimulators) {
      SCOPED_TRACE(std::string(unit) + " on " + simulator);
      const Error error = ErrorOf(RunOn(*image, simulator));
      EXPECT_THAT(error.message, HasSubstr(std::string(unit) + ": instruction 0"));
      EXPECT_THAT(error.message, HasSubstr(fmt::format("; the beat at bus address {} was", beat)));
    }
  }
}

TEST(Race, IsToldByTheChecker) {
  const isa::CheckReport report = isa::CheckProgram(Program("race"), Tiny());
  ASSERT_EQ(report.diagnostics.size(), 1u) << report.ToString();
  const isa::Diagnostic& found = report.diagnostics[0];
  EXPECT_EQ(found.finding, isa::Finding::kRace);
  EXPECT_EQ(found.insns, (std::vector<uint32_t>{1, 2}));
  ASSERT_TRUE(found.diagnosis);
  EXPECT_EQ(found.diagnosis->kind, DiagnosisClass::kRace);
  for (const char* word :
       {"race: instruction 1 (store pop=load segment=output", "and instruction 2 (load memory=out",
        "touch out tile 0 and no token path orders them",
        "let store push to load at or after 1, and load pop it at or before 2",
        "usual cause: a push and a pop left out between the two"}) {
    EXPECT_THAT(found.text, HasSubstr(word));
  }
}

// The race watch's message about the race on |simulator|.
std::string WatchedRace(const std::string& simulator) {
  const isa::ProgramImage image = Program("race");
  sim::RaceWatch watch(image, Tiny());
  const Driver& driver = DriverNamed(simulator);
  const auto device =
      OpenDevice(std::span(&driver, 1), simulator, Tiny(), {.memory_bytes = 1 << 20, .values = {}});
  if (!device) return device.error().message;
  if (const Status set = (*device)->SetObserver(&watch); !set) return set.error().message;
  const auto outcome = rig::RunImage(**device, image, false, 20'000);
  if (!outcome) return outcome.error().message;
  const std::vector<std::string> lines = watch.Lines();
  return lines.size() == 1 ? lines[0] : fmt::format("{} races", lines.size());
}

// LOAD's second load directly follows the first, and STORE waits for a token between them: the
// second load and the store collide in every model.
TEST(Race, IsToldOfARun) {
  std::string clocked;
  for (const char* simulator : kSimulators) {
    SCOPED_TRACE(simulator);
    const std::string line = WatchedRace(simulator);
    EXPECT_THAT(line, HasSubstr("race: instruction 1 (store pop=load segment=output"));
    EXPECT_THAT(line, HasSubstr("touch out tile 0"));
    if (!DriverNamed(simulator).clock) {
      EXPECT_THAT(line, ::testing::ContainsRegex("in this run instruction [12] was done first"));
      continue;
    }
    EXPECT_LT(NumberBehind(line, "instruction 2 was taken in cycle "),
              NumberBehind(line, "before 1 retired in cycle "));
    if (clocked.empty()) clocked = line;
    EXPECT_EQ(line, clocked) << "cycle and rtl count alike";
  }
}

// For each program, the machines give the message that docs/diagnosis.md shows.
TEST(Document, ShowsWhatTheMachinesSay) {
  const auto bytes = ReadFile("docs/diagnosis.md");
  ASSERT_TRUE(bytes) << bytes.error().message;
  const std::string text(bytes->begin(), bytes->end());
  const auto shows = [&](const std::string& message) {
    EXPECT_THAT(text, HasSubstr("    " + message + "\n"));
  };
  for (const Row& row : kRows) shows(ErrorOf(RunOn(Program(row.program), "rtl")).message);
  for (const char* program : {"race", "error_response"}) {
    const std::string lines = isa::CheckProgram(Program(program), Tiny()).ToString();
    shows(lines.substr(0, lines.size() - 1));
  }
  shows(WatchedRace("rtl"));
  for (const char* simulator : {"func", "rtl"})
    shows(ErrorOf(RunOn(Program("error_response"), simulator)).message);
  shows(
      ErrorOf(RunOn(Program("bus_never_answers"), "rtl", {{"memory-stops", "100"}}, 5000)).message);
}

}  // namespace
}  // namespace tessera::diagnosis_test
