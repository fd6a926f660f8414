// SPDX-License-Identifier: Apache-2.0
//
// What is tested: shrinking of random programs under predicates that need one known instruction or
// a conflict between two units: the smaller program is legal, still fails, and is as small as it
// can be; the kept file assembles to the same image. Every kept program of tests/corpus/rig runs on
// the functional simulator. Not tested here: finding failures (tests/cosim).
#include "sim/rig/shrink.h"

#include <filesystem>

#include "base/file.h"
#include "isa/asm/asm.h"
#include "isa/asm/keep_program.h"
#include "isa/check/check.h"
#include "sim/rig/program.h"
#include "tests/rig/rig_helpers.h"

namespace tessera::rig::shrink_test {
namespace {

// Whether an instruction of type T with some iterations is in the program.
template <typename T>
bool Has(const isa::ProgramImage& image, const isa::Config& config) {
  for (const isa::Fetched& f : FetchAll(image, config)) {
    const isa::Insn* insn = std::get_if<isa::Insn>(&f.insn);
    const T* one = insn == nullptr ? nullptr : std::get_if<T>(insn);
    if (one != nullptr && one->iter_out > 0 && one->iter_in > 0) return true;
  }
  return false;
}

TEST(Shrink, LeavesWhatTheFailureNeeds) {
  const isa::Config config = Named("tiny");
  int tried = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const isa::ProgramImage image = MakeProgram({config, isa::Profile::kTessera, seed, 40});
    if (!Has<isa::Add>(image, config)) continue;
    ++tried;
    const isa::ProgramImage small =
        Shrink(image, config, [&](const isa::ProgramImage& i) { return Has<isa::Add>(i, config); });
    EXPECT_TRUE(CheckProgram(small, config).ok());
    EXPECT_TRUE(Has<isa::Add>(small, config));
    // ADD reads an int8 tile and an accumulator tile; at most two instructions write each.
    EXPECT_LE(small.insn_count(), 8) << isa::Disassemble(small);
    EXPECT_TRUE(RunImage(*Func(config, 0), small, true));
  }
  EXPECT_GE(tried, 10);
}

TEST(Shrink, WorksOnVta) {
  const isa::Config config = Named("tiny");
  const isa::ProgramImage image = MakeProgram({config, isa::Profile::kVta, 3, 40});
  const auto stores = [&](const isa::ProgramImage& i) {
    const Result<ImageOutcome> outcome = RunImage(*Func(config, 0), i, false);
    return outcome && outcome->segments[4] != std::vector<uint8_t>(outcome->segments[4].size());
  };
  ASSERT_TRUE(stores(image));
  const isa::ProgramImage small = Shrink(image, config, stores);
  EXPECT_TRUE(stores(small));
  EXPECT_LE(small.insn_count(), 4);  // a load of accumulators, its store, FINISH
}

TEST(Shrink, KeepsAFileThatAssemblesToTheSame) {
  const std::filesystem::path root =
      std::filesystem::path(::testing::TempDir()) / "rig_shrink_test";
  const isa::Config config = Named("tiny");
  const isa::ProgramImage image = MakeProgram({config, isa::Profile::kTessera, 7, 20});
  const Result<std::string> path = isa::KeepProgram((root / "corpus").string(), "seed7",
                                                    "an example\nof two lines", image, config);
  ASSERT_TRUE(path) << path.error().message;
  const Result<std::vector<uint8_t>> bytes = ReadFile(*path);
  ASSERT_TRUE(bytes);
  const std::string text(bytes->begin(), bytes->end());
  EXPECT_TRUE(text.starts_with("; an example\n; of two lines\n"));
  const Result<isa::ProgramImage> again = isa::Assemble(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, image);
  std::filesystem::remove_all(root);
}

TEST(Corpus, EveryKeptProgramIsLegalAndRuns) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus/rig")) {
    SCOPED_TRACE(entry.path().string());
    const Result<std::vector<uint8_t>> bytes = ReadFile(entry.path().string());
    ASSERT_TRUE(bytes);
    const Result<isa::ProgramImage> image =
        isa::Assemble(std::string(bytes->begin(), bytes->end()));
    ASSERT_TRUE(image) << image.error().message;
    const isa::Config config = Named(image->config_name);
    EXPECT_EQ(CheckProgram(*image, config).ToString(), "");
    const Result<ImageOutcome> want = RunImage(*Func(config, 0), *image, true);
    const Result<ImageOutcome> got = RunImage(*Func(config, 1), *image, true);
    ASSERT_TRUE(want && got);
    EXPECT_EQ(Difference(*want, *got, *image, config), "");
    ++programs;
  }
  EXPECT_GE(programs, 2);
}

}  // namespace
}  // namespace tessera::rig::shrink_test
