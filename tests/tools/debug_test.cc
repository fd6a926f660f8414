// SPDX-License-Identifier: Apache-2.0
//
// What is tested: `tessera debug` on a real model: tensors in their layout, compared with bytes of
// device memory placed here and with the host, breakpoints on layers, stores and cycles, `replay`
// on the RTL, scripts from a file and from a pipe with their exit codes, lines on a terminal, the
// messages for input that does not fit; a failed run of each verb leaves a dump, which opens as
// that run. Space: the Fashion-MNIST model on func and cycle. Not tested here: sessions command by
// command (tests/sim/debug).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "sim/debug/names.h"
#include "tests/tools/command.h"

namespace tessera::test::debug_test {
namespace {

using ::testing::HasSubstr;

// Runs `tessera debug` on the model with its first image and |script|.
CommandResult Debug(const std::string& flags, const std::string& script) {
  const std::string file = TempPath("commands.txt");
  EXPECT_TRUE(WriteFile(file, script));
  return Tessera(fmt::format("debug {} {} --input {} --script {}", kModel, flags, kImages, file));
}

// The numbers behind |begin| in the lines that begin with it.
std::vector<int> Numbers(const std::string& output, const std::string& begin, int base) {
  std::vector<int> numbers;
  for (size_t at = 0; (at = output.find("\n" + begin, at)) != std::string::npos;) {
    at += begin.size() + 1;
    const std::string row = output.substr(at, output.find('\n', at) - at);
    for (const std::string& word :
         sim::SplitWords(row.substr(row.find(base == 10 ? ']' : ':') + 1)))
      numbers.push_back(std::stoi(word, nullptr, base));
  }
  return numbers;
}

// Channel 3 of stem_conv, int8 [1, 16, 28, 28]: on `default` the 16 channels of a pixel are
// contiguous.
TEST(DebugCommand, PrintsATensorInItsLayout) {
  const CommandResult r = Debug("--keep-tensors",
                                "tensors\nrun\n"
                                "print tensor stem 0,3,14,:\nx arena+6272 448\n");
  ASSERT_EQ(r.code, 0) << r.output;
  ASSERT_THAT(r.output,
              HasSubstr("stem_conv/Conv: int8 [1, 16, 28, 28], bytes 0 to 12543 of the arena"));
  std::vector<int> expected;
  const std::vector<int> bytes = Numbers(r.output, "arena+0x", 16);
  ASSERT_EQ(bytes.size(), 28u * 16) << "row 14: 14 * 28 * 16 = 6272";
  for (size_t x = 0; x < 28; ++x) expected.push_back(static_cast<int8_t>(bytes[16 * x + 3]));
  EXPECT_EQ(Numbers(r.output, "[0, 3, 14, ", 10), expected);
  EXPECT_THAT(expected, ::testing::Contains(::testing::Ne(expected[0]))) << "a blank row";
}

// The checksums of both devices equal the host's; the host shares no code with them.
TEST(DebugCommand, EveryTensorIsTheHosts) {
  const std::string script =
      "run\ndiff tensor stem\ndiff tensor stage1_conv2\ndiff tensor stage3_conv2\n"
      "diff tensor pool\ndiff tensor fc/Gemm\nprint tensor fc/Gemm\n";
  const CommandResult func = Debug("--keep-tensors", script);
  const CommandResult cycle = Debug("--keep-tensors --device cycle", script);
  for (const CommandResult& r : {func, cycle}) {
    EXPECT_EQ(r.code, 0) << r.output;
    for (const char* line :
         {"tensor stem_conv/Conv: all 12544 values are the host's",
          "tensor stage1_conv2/Conv+stage1_add/Add: all 12544 values are the host's",
          "tensor stage3_conv2/Conv+stage3_add/Add: all 3136 values are the host's",
          "tensor pool/GlobalAveragePool: all 64 values are the host's",
          "tensor fc/Gemm: all 10 values are the host's",
          "fc/Gemm: int8 [1, 10, 1, 1], complete: its 1 STOREs have retired"}) {
      EXPECT_THAT(r.output, HasSubstr(line));
    }
  }
  EXPECT_EQ(Numbers(func.output, "[0, ", 10), Numbers(cycle.output, "[0, ", 10));
}

TEST(DebugCommand, StopsAtAStoreOfATensorAndAtItsLayersEnd) {
  const CommandResult r = Debug("--keep-tensors --device cycle",
                                "break write stage2_conv1\nrun\ndiff tensor stage2_conv1\n"
                                "finish\ndiff tensor stage2_conv1\n");
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("breakpoint 1 (write stage2_conv1_conv/Conv): store has retired "
                                  "instruction"));
  EXPECT_THAT(r.output, HasSubstr("is not complete: 1 of 7 STOREs that write it have retired"));
  EXPECT_THAT(r.output, HasSubstr("end of layer stage2_conv1_conv/Conv: store has retired"));
  EXPECT_THAT(r.output, HasSubstr("stage2_conv1_conv/Conv: all 6272 values are the host's"));
}

TEST(DebugCommand, StopsInACycleAndTheRtlIsThereToo) {
  const CommandResult r = Debug("--device cycle",
                                "goto cycle 5000\ninfo\nreplay rtl\ngoto cycle 100\nreplay func\n"
                                "break cycle 20000\ncontinue\nreplay rtl\n");
  ASSERT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, ::testing::ContainsRegex("goto: [^\n]*\\(cycle 50[0-9][0-9], layer"));
  EXPECT_THAT(r.output, ::testing::ContainsRegex("goto: [^\n]*\\(cycle 1[0-9][0-9], layer"));
  EXPECT_THAT(r.output,
              ::testing::ContainsRegex("breakpoint 1 \\(cycle 20000\\): [^\n]*\\(cycle 200[0-9]"));
  size_t same = 0, at = 0;
  while ((at = r.output.find("\neach in the same cycle\n", at)) != std::string::npos) ++at, ++same;
  EXPECT_EQ(same, 2u) << r.output;
  EXPECT_THAT(r.output, ::testing::ContainsRegex("func: the same [0-9]+ instructions retired with "
                                                 "the same results\n"));
}

TEST(DebugCommand, ScriptsEndAtAWrongCommand) {
  const CommandResult file = Debug("", "step\n\nbreak layer convX\nstep\n");
  EXPECT_EQ(file.code, 2);
  EXPECT_THAT(file.output, HasSubstr("commands.txt:3: no layer 'convX'; layers are: "));
  const CommandResult pipe =
      Tessera(fmt::format("debug {}", kModel), "printf 'step\\nprint tensor stem\\n' | ");
  EXPECT_EQ(pipe.code, 2);
  EXPECT_THAT(pipe.output,
              HasSubstr("standard input:2: tensor stem_conv/Conv is kept nowhere; --keep-tensors "
                        "keeps it"));
  const CommandResult answer =
      Tessera(fmt::format("debug {} --device cycle --budget 1000", kModel), "echo run | ");
  EXPECT_EQ(answer.code, 1) << answer.output;
  EXPECT_THAT(answer.output, HasSubstr("the run failed: "));
}

// The FILE of a line "...; dump: FILE; open it with tessera debug FILE".
std::string DumpIn(const std::string& output) {
  const size_t at = output.find("; dump: ");
  if (at == std::string::npos) return "";
  const std::string path = output.substr(at + 8, output.find(';', at + 8) - at - 8);
  EXPECT_THAT(output, HasSubstr("; open it with tessera debug " + path));
  return path;
}

TEST(DebugCommand, AFailedRunLeavesADumpThatStopsWhereItFailed) {
  const std::string text = TempPath("stuck.s"), image = TempPath("stuck.img");
  ASSERT_TRUE(WriteFile(text, std::string_view(".profile tessera\n.config tiny\n.code\n"
                                               "sync unit=load push=gemm\nsync unit=gemm pop=load\n"
                                               ".source 1 \"pool\"\nsync unit=vector pop=gemm\n"
                                               ".end\nfinish\n")));
  ASSERT_EQ(Tessera(fmt::format("asm {} -o {}", text, image)).code, 0);
  const CommandResult failed =
      Tessera(fmt::format("trace {} --device cycle -o {}", image, TempPath("stuck.json")));
  EXPECT_EQ(failed.code, 2);
  EXPECT_THAT(failed.output, HasSubstr("deadlock"));
  const std::string dump = DumpIn(failed.output);
  ASSERT_THAT(dump, ::testing::ContainsRegex("/tessera-trace-[0-9a-f]{8}\\.dump$"));
  for (const char* device : {"", "--device func"}) {
    const CommandResult r =
        Tessera(fmt::format("debug {} {}", dump, device), "printf 'info\\nlayers\\n' | ");
    EXPECT_EQ(r.code, 1);
    EXPECT_THAT(r.output, HasSubstr("trace of stuck.img failed on cycle: "));
    EXPECT_THAT(r.output, HasSubstr("the run failed: deadlock"));
    EXPECT_THAT(r.output, HasSubstr(*device != 0 ? "device func" : "device cycle"));
    EXPECT_THAT(r.output, HasSubstr("2 of 4 instructions have retired"));
    EXPECT_THAT(r.output, HasSubstr("queue: 1 of 32, the first is 2: sync pop=gemm unit=vector\n"
                                    "          waits for a token of gemm, which no instruction "
                                    "that is left gives\n"));
    EXPECT_THAT(r.output, HasSubstr("   1  pool: 1 instruction of program 0, 0 retired"));
  }
}

// The dump has the memories from the begin of the run: the same commands print the same as on the
// model itself, also for the input.
TEST(DebugCommand, ADumpOfANetworkIsThatRun) {
  const std::string inputs = fmt::format("--input {}", kImages);
  const CommandResult failed =
      Tessera(fmt::format("run {} {} --first 1 --device func --budget 3000", kModel, inputs));
  EXPECT_EQ(failed.code, 2);
  const std::string dump = DumpIn(failed.output);
  ASSERT_FALSE(dump.empty()) << failed.output;
  const std::string script =
      "printf 'info\\nprint scratchpad inp 560:56\\nprint scratchpad acc 0:9\\nx input "
      "4096\\n' | ";
  const CommandResult from_dump = Tessera("debug " + dump, script);
  const CommandResult from_model =
      Tessera(fmt::format("debug {} {} --device func --budget 3000", kModel, inputs),
              "(echo run; " + script.substr(0, script.size() - 3) + ") | ");
  EXPECT_EQ(from_dump.code, 1);
  const auto answers = [](const std::string& output) {
    return output.substr(std::min(output.find("(debug) info"), output.size()));
  };
  EXPECT_EQ(answers(from_dump.output), answers(from_model.output));
  EXPECT_THAT(from_dump.output, HasSubstr("layer stem_conv/Conv"));
  EXPECT_THAT(from_dump.output, HasSubstr("inp tile 615: int8 [1][16]"));
  // `compare` fails in the same way; another verb leaves a dump of its own.
  const CommandResult compared = Tessera(
      fmt::format("compare {} {} --first 1 --devices cpu,func --budget 3000", kModel, inputs));
  EXPECT_EQ(compared.code, 2);
  EXPECT_THAT(DumpIn(compared.output), ::testing::ContainsRegex("/tessera-compare-[0-9a-f]{8}"));
}

TEST(DebugCommand, ADumpThatCannotBeWrittenKeepsTheError) {
  const std::string run = fmt::format("run {} --input {} --first 1 --budget 3000", kModel, kImages);
  const CommandResult none = Tessera(run, "TESSERA_DUMP_DIR=/no/folder ");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.output, HasSubstr("of the budget of 3000"));
  EXPECT_THAT(none.output, HasSubstr("; no dump: /no/folder/tessera-run-"));
  const CommandResult full = Tessera(run + "1", "ulimit -f 8; ");
  EXPECT_EQ(full.code, 2);
  EXPECT_THAT(full.output, HasSubstr("; no dump: "));
  const CommandResult unwanted = Tessera(run, "TESSERA_DUMP_DIR= ");
  EXPECT_THAT(unwanted.output, ::testing::Not(HasSubstr("dump")));
  for (const CommandResult& r : {none, full, unwanted})
    EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
}

TEST(DebugCommand, DumpsGoWhereTheFlagSays) {
  const std::string folder = TempPath("dumps");
  std::filesystem::create_directory(folder);
  const std::string model = fmt::format("{} --input {} --budget 3001 --dump-dir ", kModel, kImages);
  for (const auto& [verb, flags] : std::initializer_list<std::pair<std::string, std::string>>{
           {"run", "--first 1 --device func"},
           {"compare", "--first 1 --devices cpu,func"},
           {"trace", "--device cycle -o " + TempPath("cut.json")}}) {
    const CommandResult r = Tessera(fmt::format("{} {}{} {}", verb, model, folder, flags),
                                    "TESSERA_DUMP_DIR=/no/folder ");
    EXPECT_THAT(DumpIn(r.output), ::testing::StartsWith(folder + "/tessera-" + verb)) << r.output;
    const CommandResult none = Tessera(fmt::format("{} {}'' {}", verb, model, flags));
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.output, ::testing::Not(HasSubstr("dump"))) << verb;
  }
}

TEST(DebugCommand, WritesASessionAsJson) {
  const std::string script = TempPath("session.txt");
  ASSERT_TRUE(WriteFile(script, std::string_view("break layer pool\nrun\nstep 3\n")));
  const std::string command = fmt::format("debug {} --script {} --json ", kModel, script);
  const CommandResult r = Tessera(command + "-");
  ASSERT_EQ(r.code, 0) << r.output;
  const auto json = nlohmann::json::parse(r.output);
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["device"], "func");
  ASSERT_EQ(json["commands"].size(), 3u);
  EXPECT_EQ(json["commands"][0]["command"], "break layer pool");
  EXPECT_EQ(json["commands"][0]["answer"], "breakpoint 1: layer pool/GlobalAveragePool\n");
  EXPECT_FALSE(json["commands"][0].contains("at")) << "nothing runs yet";
  const auto& stop = json["commands"][1]["at"];
  EXPECT_EQ(stop["layer"], "pool/GlobalAveragePool");
  EXPECT_THAT(json["commands"][1]["answer"].get<std::string>(),
              HasSubstr(fmt::format("takes instruction {}", stop["instruction"].get<int>())));
  EXPECT_EQ(json["commands"][2]["at"]["retired"], stop["retired"].get<int>() + 3);
  EXPECT_FALSE(stop.contains("cycle")) << "func has no clock";
  // A wrong command's line is in the file too.
  const std::string file = TempPath("session.json");
  const CommandResult wrong =
      Tessera(fmt::format("debug {} --json {}", kModel, file), "echo nonsense | ");
  EXPECT_EQ(wrong.code, 2);
  const auto bytes = ReadFile(file);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_THAT(nlohmann::json::parse(*bytes)["error"].get<std::string>(),
              HasSubstr("standard input:1: "));
}

// docs/debugger.md's session: each command runs as shown, and its answer contains the lines that
// the document shows below it.
TEST(DebugCommand, TheDocumentsSessionIsWhatTheToolSays) {
  const auto bytes = ReadFile("docs/debugger.md");
  ASSERT_TRUE(bytes) << bytes.error().message;
  const std::string text(bytes->begin(), bytes->end());
  std::istringstream lines(text.substr(text.find("## A session"),
                                       text.find("## Where it stops") - text.find("## A session")));
  std::string script;
  std::vector<std::vector<std::string>> shown;  // by command
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    (debug) ")) {
      script += line.substr(12, line.find("   ", 12) - 12) + "\n";
      shown.emplace_back();
    } else if (line.starts_with("    ")) {
      ASSERT_FALSE(shown.empty());
      shown.back().push_back(line.substr(4));
    }
  }
  ASSERT_GT(shown.size(), 8u);
  const std::string file = TempPath("document.json");
  const CommandResult r = Debug("--device cycle --keep-tensors --json " + file, script);
  EXPECT_EQ(r.code, 0) << r.output;
  const auto session = ReadFile(file);
  ASSERT_TRUE(session) << session.error().message;
  const auto commands = nlohmann::json::parse(*session)["commands"];
  ASSERT_EQ(commands.size(), shown.size()) << r.output;
  for (size_t c = 0; c < shown.size(); ++c) {
    for (const std::string& line : shown[c])
      EXPECT_THAT(commands[c]["answer"].get<std::string>(), HasSubstr(line + "\n"));
  }
}

#ifdef TESSERA_LIBEDIT
// Runs the command on a terminal and writes the pieces of |typed|, one after each prompt; returns
// its output.
CommandResult OnATerminal(const std::string& image, const std::vector<std::string>& typed) {
  CommandResult result;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    execl(TESSERA_COMMAND, TESSERA_COMMAND, "debug", image.c_str(), nullptr);
    _exit(127);
  }
  size_t next = 0, seen = 0;
  char chunk[1024];
  // At the end of the terminal read() fails.
  for (ssize_t n; (n = read(terminal, chunk, sizeof chunk)) > 0;) {
    result.output.append(chunk, static_cast<size_t>(n));
    const size_t prompt = result.output.find("(debug) ", seen);
    if (prompt == std::string::npos || next == typed.size()) continue;
    seen = prompt + 8;
    EXPECT_EQ(write(terminal, typed[next].data(), typed[next].size()),
              static_cast<ssize_t>(typed[next].size()));
    // The echo may show the prompt again: wait for the end of the line's answer.
    seen = result.output.size();
    ++next;
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

TEST(DebugCommand, CompletesAndRemembersLinesOnATerminal) {
  const std::string text = TempPath("layers.s"), image = TempPath("layers.img");
  ASSERT_TRUE(WriteFile(text, std::string_view(".profile tessera\n.config tiny\n.code\n"
                                               ".source 0 \"stage1\"\nsync unit=load\n.end\n"
                                               ".source 1 \"pooling\"\nsync unit=gemm\n.end\n"
                                               "finish\n")));
  ASSERT_EQ(Tessera(fmt::format("asm {} -o {}", text, image)).code, 0);
  const CommandResult r =
      OnATerminal(image, {"br\tla\tpo\t\n", "ru\t\n", "\x1b[A\x1b[A\n", "quit\n"});
  EXPECT_EQ(r.code, 0) << r.output;
  EXPECT_THAT(r.output, HasSubstr("breakpoint 1: layer pooling"));
  EXPECT_THAT(r.output, HasSubstr("breakpoint 1 (layer pooling): gemm takes instruction 1"));
  EXPECT_THAT(r.output, HasSubstr("breakpoint 2: layer pooling")) << "two lines up is the first";
}
#endif

TEST(DebugCommand, RefusesWhatDoesNotFitInOneLine) {
  struct Case {
    std::string arguments, says;
  };
  for (const Case& c : std::initializer_list<Case>{
           {fmt::format("{} --device rtl", kModel), "func and cycle can be debugged"},
           {fmt::format("{} --device cpu", kModel), "func and cycle can be debugged"},
           {fmt::format("{} --script /no/script", kModel), "/no/script"},
           {"/no/model.onnx", "/no/model.onnx"},
           {"README.md", "README.md"},
           {"tests/corpus/dump/bad_version.dump", "version 2, this program reads 1"},
           {"tests/corpus/dump/bad_length.dump", "the checksum differs"}}) {
    const CommandResult r = Tessera("debug " + c.arguments, "true | ");
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr(c.says));
    EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << r.output;
  }
  for (const auto& [command, says] : std::initializer_list<std::pair<std::string, std::string>>{
           {"print tensor stem 0,16,:,:", "dimension 1 of stem_conv/Conv: '16' is not within 0 to"},
           {"print tensor stem 0,0,0,0,0", "5 ranges, it has 4 dimensions: [1, 16, 28, 28]"},
           {"print tensor stem", "12544 elements of [1, 16, 28, 28] are wanted, 4096 are printed"},
           {"print tensor logits", "tensor logits is the host's, not in device memory"},
           {"replay cycle w.fst", "--wave w.fst: a waveform is of --device rtl"},
           {"replay rtl w.fst 0", "replay: 0 cycles; give 1 or more"},
           {"break layer logits", "layer logits has no instruction of the accelerator"},
           {"break layer stage", "'stage' is a part of 8 layers"},
           {"diff tensor nothing", "no tensor 'nothing'; tensors are: "}}) {
    const CommandResult r = Debug("--keep-tensors", "step\n" + command + "\n");
    EXPECT_EQ(r.code, 2) << r.output;
    EXPECT_THAT(r.output, HasSubstr("commands.txt:2: ")) << command;
    EXPECT_THAT(r.output, HasSubstr(says)) << command;
  }
}

}  // namespace
}  // namespace tessera::test::debug_test
