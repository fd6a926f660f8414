// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a refusal is one line that a terminal can show, whatever bytes a model, an
// assembly text, a configuration, a tensor file, a program image or an artifact holds. Space: valid
// files with random bytes changed, hostile bytes put into the names that messages quote, cut files.
// Not tested here: that each error is found (tests of the readers), crashes under sanitizers
// (tests/fuzz).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "compiler/import/import.h"
#include "isa/asm/asm.h"
#include "isa/config.h"
#include "isa/image.h"
#include "runtime/artifact/artifact.h"
#include "runtime/tensor/npy.h"
#include "tests/base/one_line.h"
#include "tests/tools/command.h"

namespace tessera::test::messages_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kHostile[] = {
    "\n",       "\r",     "\x1b[2J", "\xff",         std::string(1, 0),
    "\xe2\x80", "\"\n\"", "\x7f",    "\xe2\x80\xae", std::string(3000, 'n')};

std::string Text(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
std::vector<uint8_t> Bytes(const std::string& text) { return {text.begin(), text.end()}; }

// |text| with 1 to 8 places overwritten, or cut.
std::string Mutated(std::string text, Rng& rng) {
  if (rng.OneIn(8)) text.resize(static_cast<size_t>(rng.Range(0, std::ssize(text))));
  for (int64_t n = rng.Range(1, 8); n > 0 && !text.empty(); --n) {
    const size_t at = static_cast<size_t>(rng.Range(0, std::ssize(text) - 1));
    const std::string& bytes = kHostile[rng.Range(0, std::ssize(kHostile) - 1)];
    if (bytes.size() > 100 || rng.OneIn(2)) {
      text[at] = static_cast<char>(rng.Range(0, 255));
    } else {
      text.replace(at, std::min(bytes.size(), text.size() - at), bytes);
    }
  }
  return text;
}

// Calls |read| on |count| mutants of |text|; a refusal must be one line.
void ExpectOneLine(const std::string& text, int count,
                   const std::function<Status(const std::string&)>& read) {
  ASSERT_TRUE(read(text)) << read(text).error().message;
  int refused = 0;
  for (int seed = 1; seed <= count; ++seed) {
    Rng rng(static_cast<uint64_t>(seed));
    const Status status = read(Mutated(text, rng));
    if (status) continue;
    ++refused;
    ASSERT_TRUE(IsOneLine(status.error().message)) << "seed " << seed;
    ASSERT_LE(status.error().message.size(), kLongestMessage) << "seed " << seed;
    ASSERT_FALSE(status.error().message.empty()) << "seed " << seed;
  }
  EXPECT_GT(refused, count / 4) << "mutants are refused more often than that";
}

template <typename T>
Status Drop(const Result<T>& result) {
  return result ? Status{} : std::unexpected(result.error());
}

TEST(Messages, OfOnnxModels) {
  const auto model = ReadFile(kModel);
  ASSERT_TRUE(model);
  ExpectOneLine(Text(*model), 1000, [](const std::string& text) {
    return Drop(ImportModel(Bytes(text), "net\n.onnx"));
  });
}

constexpr const char* kProgram =
    ".profile tessera\n.config default\n.segment uops 8\n  uop init=1\n.segment input 16\n.code\n"
    ".source 1 \"a layer\"\n"
    "load memory=uop segment=uops x_bytes=8 x_size=1 y_size=1 x_step=8 z_size=1\n"
    "load memory=inp segment=input x_bytes=16 x_size=1 y_size=1 x_step=16 z_size=1\n"
    "gemm uop_count=1 iter_out=1 iter_in=1\n.end\nfinish\n";

TEST(Messages, OfAssemblyText) {
  ExpectOneLine(kProgram, 5000,
                [](const std::string& text) { return Drop(isa::Assemble(text, {})); });
}

TEST(Messages, OfConfigurations) {
  const Result<isa::Config> config = isa::LoadConfig("default");
  ASSERT_TRUE(config);
  const std::string mutant = TempPath("mutant.json");
  ExpectOneLine(isa::ConfigToJson(*config), 1000, [&](const std::string& text) -> Status {
    TESSERA_TRY(WriteFile(mutant, text));
    return Drop(isa::LoadConfig(mutant));
  });
}

TEST(Messages, OfTensorFiles) {
  const std::string path = TempPath("x.npy");
  ASSERT_TRUE(WriteNpy(path, HostTensor::Zeros(DType::kInt8, {2, 3})));
  const auto file = ReadFile(path);
  ASSERT_TRUE(file);
  const std::string mutant = TempPath("mutant.npy");
  ExpectOneLine(Text(*file), 2000, [&](const std::string& text) -> Status {
    TESSERA_TRY(WriteFile(mutant, text));
    return Drop(ReadTensorFile(mutant));
  });
}

TEST(Messages, OfProgramImages) {
  const auto image = isa::Assemble(kProgram, {});
  ASSERT_TRUE(image) << image.error().message;
  ExpectOneLine(Text(isa::SerializeImage(*image)), 2000,
                [](const std::string& text) { return Drop(isa::ParseImage(Bytes(text))); });
}

// Expects that the command refuses hostile names in one line that has |says|.
void ExpectRefusedInOneLine(const std::string& arguments, const std::string& says) {
  const CommandResult r = Tessera(arguments);
  EXPECT_EQ(r.code, 2) << arguments;
  ASSERT_TRUE(r.output.ends_with("\n"));
  EXPECT_TRUE(IsOneLine(r.output.substr(0, r.output.size() - 1))) << r.output;
  EXPECT_THAT(r.output, StartsWith("tessera: "));
  EXPECT_THAT(r.output, HasSubstr(says));
}

TEST(Messages, OfNamesInFilesAndOfFiles) {
  ExpectRefusedInOneLine("info 'no\nsuch\x1b[2Jfile'", "no\\nsuch\\x1b[2Jfile");
  const auto model = ReadFile(kModel);
  ASSERT_TRUE(model);
  std::string text = Text(*model);
  const std::string name = "stage1_conv1", hostile = "a\nb\x1b[2J\xff....";
  ASSERT_EQ(name.size(), hostile.size());
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
    text.replace(at, name.size(), hostile);
  const std::string renamed = TempPath("renamed.onnx"), broken = TempPath("broken.onnx");
  ASSERT_TRUE(WriteFile(renamed, text));
  const CommandResult ran =
      Tessera(fmt::format("compare {} --devices cpu,func --input {} --first 1 --json {}", renamed,
                          kImages, TempPath("renamed.json")));
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("a\\nb\\x1b[2J\\xff...._conv/Conv"));
  EXPECT_EQ(ran.output.find('\x1b'), std::string::npos);
  // Renames the operator of its Conv nodes to Xonv.
  for (size_t at = 0; (at = text.find("\"\x04"
                                      "Conv",
                                      at)) != std::string::npos;)
    text[at + 2] = 'X';
  ASSERT_TRUE(WriteFile(broken, text));
  ExpectRefusedInOneLine("info " + broken, "Xonv");
}

}  // namespace
}  // namespace tessera::test::messages_test
