// SPDX-License-Identifier: Apache-2.0
//
// What is tested: verbs that make and read files: compile, asm, disasm, check, config, info; wrong
// use and bad files give one line, exit code 2, no partial file. Space: every verb, each kind of
// bad file once. Not tested here: the messages of importers and readers (their own tests), running
// (run_test).
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "compiler/driver/compile.h"
#include "tests/tools/command.h"

namespace tessera::test::files_test {
namespace {

using ::testing::HasSubstr;

std::string Slurp(const std::string& path) {
  const auto bytes = ReadFile(path);
  return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}

void ExpectRefused(const std::string& arguments, const std::string& says) {
  const CommandResult r = Tessera(arguments);
  EXPECT_EQ(r.code, 2) << arguments << "\n" << r.output;
  EXPECT_THAT(r.output, HasSubstr(says)) << arguments;
  EXPECT_EQ(std::ranges::count(r.output, '\n'), 1) << "one line: " << r.output;
}

const std::vector<std::string> kVerbs = {"compile", "regress", "trace",   "debug",   "quantize",
                                         "tune",    "place",   "explore", "run",     "compare",
                                         "asm",     "disasm",  "check",   "config",  "info",
                                         "boards",  "flash",   "xclbin",  "devices", "serve"};

TEST(Command, EveryVerbHasHelpWithAnExample) {
  EXPECT_EQ(Tessera("--help").code, 0);
  EXPECT_EQ(Tessera("--version").code, 0);
  for (const std::string& verb : kVerbs) {
    const CommandResult r = Tessera(verb + " --help");
    EXPECT_EQ(r.code, 0) << verb;
    EXPECT_THAT(r.output, HasSubstr("Example: tessera ")) << verb;
  }
}

TEST(Command, BadUseExitsWith2) {
  const std::string verbs = fmt::format("{}", fmt::join(kVerbs, ", "));
  ExpectRefused("", "no verb; there are " + verbs + "; tessera --help");
  ExpectRefused("fly", "'fly' is no verb; there are " + verbs);
  ExpectRefused("comprae", "'comprae' is no verb; did you mean 'compare'? there are " + verbs);
  ExpectRefused("--verbose", "'--verbose' is no verb");
  ExpectRefused("run", "model is required; tessera run --help");
  ExpectRefused("config --bogus", "--bogus; tessera config --help");
  ExpectRefused("run x --devices cpu", "; did you mean --device?; tessera run --help");
  ExpectRefused("compare x --inputs=y", "; did you mean --input?; tessera compare --help");
  for (const char* count : {"0", "-3", "many", "1.5", "99999999999999999999"}) {
    ExpectRefused(
        "run x --input y --first " + std::string(count),
        "--first: '" + std::string(count) + "' is not a count; give a whole number from 1");
    ExpectRefused(
        "compare x --input y --threads " + std::string(count),
        "--threads: '" + std::string(count) + "' is not a count; give a whole number from 1");
  }
  ExpectRefused("compile " + std::string(kModel) + " --dump everything -o /dev/null", "everything");
  ExpectRefused("compile " + std::string(kModel), "nothing to do");
  ExpectRefused("compile " + std::string(kModel) + " --target fpga -o x.tsr", "--target fpga");
  ExpectRefused("config nonesuch", "nonesuch");
}

TEST(Command, CompileDumpsEveryLevel) {
  const std::string base = "compile " + std::string(kModel) + " --dump ";
  EXPECT_THAT(Tessera(base + "graph").output, HasSubstr("= conv("));
  EXPECT_THAT(Tessera(base + "te").output, HasSubstr("sum((i32("));
  EXPECT_THAT(Tessera(base + "schedule").output, HasSubstr("contraction"));
  EXPECT_THAT(Tessera(base + "ir").output, HasSubstr("tile.gemm("));
  const CommandResult listing = Tessera(base + "asm");
  EXPECT_EQ(listing.code, 0);
  EXPECT_THAT(listing.output, HasSubstr(".source 2 \"stage1_conv1_conv/Conv\""));
  // Each level of --dump prints, and an unknown level is refused.
  for (const char* level : compiler::kDumpLevels) {
    const CommandResult r = Tessera(base + level);
    EXPECT_EQ(r.code, 0) << level;
    EXPECT_GT(r.output.size(), 200u) << level;
  }
  EXPECT_EQ(Tessera(base + "steps").code, 2);
}

TEST(Command, ArtifactGoesThroughInfoCheckAndDisasm) {
  const std::string net = TempPath("net.tsr"), again = TempPath("again.tsr");
  ASSERT_EQ(Tessera("compile " + std::string(kModel) + " -o " + net).code, 0);
  ASSERT_EQ(Tessera("compile " + std::string(kModel) + " -o " + again).code, 0);
  EXPECT_EQ(Slurp(net), Slurp(again)) << "compiling is not deterministic";
  EXPECT_THAT(Tessera("info " + net).output, HasSubstr("stage1_conv1_conv/Conv"));
  const CommandResult checked = Tessera("check " + net + " --json " + TempPath("check.json"));
  EXPECT_EQ(checked.code, 0) << checked.output;
  EXPECT_TRUE(nlohmann::json::parse(Slurp(TempPath("check.json")))["ok"].get<bool>());

  // The program survives the way through text and back.
  const std::string text = TempPath("net.s"), image = TempPath("net.img"),
                    text2 = TempPath("net2.s");
  ASSERT_EQ(Tessera("disasm " + net + " -o " + text).code, 0);
  const CommandResult assembled = Tessera("asm " + text + " -o " + image);
  ASSERT_EQ(assembled.code, 0) << assembled.output;
  ASSERT_EQ(Tessera("disasm " + image + " -o " + text2).code, 0);
  EXPECT_EQ(Slurp(text), Slurp(text2));
  EXPECT_THAT(Tessera("info " + image).output, HasSubstr("profile tessera"));
}

// The names for --input and --output, in the files' order of dimensions.
TEST(Command, InfoTellsInputsAndOutputs) {
  const std::string net = TempPath("told.tsr"), file = TempPath("told.json");
  ASSERT_EQ(Tessera("compile " + std::string(kModel) + " -o " + net).code, 0);
  for (const std::string& input : {std::string(kModel), net}) {
    const CommandResult r = Tessera("info " + input + " --json " + file);
    ASSERT_EQ(r.code, 0) << r.output;
    EXPECT_THAT(r.output, HasSubstr("\ninput: input float32[1, 1, 28, 28]")) << input;
    EXPECT_THAT(r.output, HasSubstr("\noutput: logits float32[1, 10]")) << input;
    const nlohmann::json j = nlohmann::json::parse(Slurp(file));
    EXPECT_EQ(j["inputs"][0]["name"], "input");
    EXPECT_EQ(j["outputs"][0]["shape"], nlohmann::json({1, 10}));
  }
}

TEST(Command, XclbinIsWrittenAndShown) {
  const std::string file = TempPath("tiny.xclbin");
  const CommandResult written = Tessera("xclbin --config tiny -o " + file);
  EXPECT_EQ(written.code, 0) << written.output;
  EXPECT_THAT(written.output, HasSubstr("for XRT's software emulation"));
  const CommandResult shown = Tessera("xclbin " + file);
  EXPECT_EQ(shown.code, 0) << shown.output;
  EXPECT_THAT(shown.output, HasSubstr("EMBEDDED_METADATA"));
  EXPECT_THAT(shown.output, HasSubstr("kernel tessera, instance tessera_1"));
  EXPECT_THAT(shown.output, HasSubstr("configuration tiny with hash"));
  ExpectRefused("xclbin " + file + " --kernel conv", "no kernel 'conv'; there is tessera");
  ExpectRefused("xclbin " + std::string(kModel), "not an xclbin");
  ExpectRefused("xclbin", "name a FILE to look at, or --config and --output");
  ExpectRefused("xclbin --config tiny", "--config needs --output FILE");
  ASSERT_TRUE(WriteFile(file, std::string_view(Slurp(file)).substr(0, 900)));
  ExpectRefused("xclbin " + file, "truncated: the header says");
}

TEST(Command, CheckFindsAMissingToken) {
  const std::string text = TempPath("race.s"), image = TempPath("race.img");
  ASSERT_TRUE(WriteFile(
      text,
      std::string_view(
          ".profile tessera\n.config default\n.segment uops 8\n  uop init=1\n.segment constants "
          "256\n"
          "  .zero 256\n.segment input 16\n.code\n"
          "load memory=uop segment=uops x_bytes=8 x_size=1 y_size=1 x_step=8 z_size=1\n"
          "load memory=wgt segment=constants x_bytes=256 x_size=1 y_size=1 x_step=256 z_size=1\n"
          "load memory=inp segment=input x_bytes=16 x_size=1 y_size=1 x_step=16 z_size=1\n"
          "gemm uop_count=1 iter_out=1 iter_in=1\nfinish\n")));
  const CommandResult assembled = Tessera("asm " + text + " -o " + image);
  ASSERT_EQ(assembled.code, 0) << assembled.output;
  const CommandResult r = Tessera("check " + image);
  EXPECT_EQ(r.code, 1) << r.output;
  EXPECT_THAT(r.output, HasSubstr("race"));
}

TEST(Command, BadFilesAreRefusedInOneLine) {
  ExpectRefused("info /nonexistent/model.onnx", "/nonexistent/model.onnx");
  const std::string garbage = TempPath("garbage.onnx");
  ASSERT_TRUE(WriteFile(garbage, std::string_view("this is not a model")));
  ExpectRefused("compile " + garbage + " -o " + TempPath("x.tsr"), garbage);
  EXPECT_FALSE(std::filesystem::exists(TempPath("x.tsr")));

  const std::string model = Slurp(kModel), cut = TempPath("cut.onnx");
  ASSERT_TRUE(WriteFile(cut, std::string_view(model).substr(0, model.size() / 2)));
  ExpectRefused("compile " + cut + " -o " + TempPath("x.tsr"), cut);

  const std::string net = TempPath("whole.tsr"), broken = TempPath("broken.tsr");
  ASSERT_EQ(Tessera("compile " + std::string(kModel) + " -o " + net).code, 0);
  std::string bytes = Slurp(net);
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_TRUE(WriteFile(broken, std::string_view(bytes)));
  ExpectRefused("check " + broken, "checksum");
  ExpectRefused("check " + net + " --config tiny", "tiny");

  const std::string text = TempPath("bad.s");
  ASSERT_TRUE(WriteFile(text, std::string_view(".profile tessera\n.config default\n.code\nfly\n")));
  ExpectRefused("asm " + text + " -o " + TempPath("bad.img"), ":4:");
  EXPECT_FALSE(std::filesystem::exists(TempPath("bad.img")));
}

TEST(Command, AnOutputThatCannotBeWrittenLeavesNothing) {
  ExpectRefused("compile " + std::string(kModel) + " -o /nonexistent/net.tsr",
                "/nonexistent/net.tsr");
  ExpectRefused("config default --json /nonexistent/c.json", "/nonexistent/c.json");
}

}  // namespace
}  // namespace tessera::test::files_test
