// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the text of a first difference names the place and both values. The wrong machine
// is func with one byte of its data changed, so that the values are known without digests. Space: a
// word that is written, one that should not be, several at once, which the text does not guess;
// 1,600 single bytes of 200 random programs. Not tested here: other machines
// (hw/scripts/mutants.sh).
#include "sim/rig/first_word.h"

#include <gmock/gmock.h>

#include "base/rng.h"
#include "sim/rig/program.h"
#include "sim/trace/digest.h"
#include "tests/rig/rig_helpers.h"

namespace tessera::rig::first_word_test {
namespace {

using ::testing::HasSubstr;

// Loads one OUT tile of |config| and stores it.
isa::ProgramImage OneTile(const isa::Config& config) {
  isa::ProgramImage image = MakeProgram({config, isa::Profile::kTessera, 1, 1});
  const int64_t bytes = config.out_tile_bytes();
  std::vector<isa::Fetched> program(3);
  program[0].insn = isa::Insn(isa::Load{.memory = static_cast<int64_t>(isa::Memory::kOut),
                                        .segment = 3,
                                        .x_bytes = bytes,
                                        .sram_base = 5,
                                        .x_size = 1,
                                        .y_size = 1,
                                        .x_step = bytes,
                                        .z_size = 1});
  program[0].unit = isa::Unit::kLoad;
  program[0].push = 1 << static_cast<int>(isa::Unit::kStore);
  program[1].insn = isa::Insn(isa::Store{.segment = 4,
                                         .x_bytes = bytes,
                                         .sram_base = 5,
                                         .x_size = 1,
                                         .y_size = 1,
                                         .x_step = bytes,
                                         .z_size = 1});
  program[1].unit = isa::Unit::kStore;
  program[1].pop = 1 << static_cast<int>(isa::Unit::kLoad);
  program[2].insn = isa::Insn(isa::Finish{});
  image.segments[3].data = {0x11, 0x22, 0x33, 0x44};
  image.segments[3].data.resize(image.segments[3].size, 0);
  return WithProgram(image, program, config);
}

TEST(FirstWord, PlaceAndBothValues) {
  const isa::Config config = Named("tiny");
  isa::ProgramImage image = OneTile(config);
  const auto device = Func(config, 0);
  const Result<ImageOutcome> one = RunImage(*device, image, true);
  ASSERT_TRUE(one) << one.error().message;
  isa::ProgramImage wrong = image;
  wrong.segments[3].data[2] = 0x99;
  wrong.source = image.source = {{0, 1, 3, "conv7"}};
  const Result<ImageOutcome> other = RunImage(*device, wrong, true);
  ASSERT_TRUE(other) << other.error().message;
  const std::string text = Difference(*one, *other, image, config, "func", "rtl");
  EXPECT_THAT(text, HasSubstr("load: instruction 0 (load"));
  EXPECT_THAT(text, HasSubstr("; conv7)"));
  EXPECT_THAT(text, HasSubstr("; out tile 5 byte 0: func 0x44332211, rtl 0x44992211"));
}

TEST(FirstWord, AWordThatShouldNotBeWritten) {
  const isa::Config config = Named("tiny");
  const isa::ProgramImage image = OneTile(config);
  const Result<ImageOutcome> run = RunImage(*Func(config, 0), image, true);
  ASSERT_TRUE(run);
  const uint64_t more = sim::DigestByte(isa::ByteSpace::kAcc, 4 * 30, 0, 7);
  const auto text = [&](uint64_t digest) {
    return WordThatDiffers(*run, 0, digest, image, config, "func", "rtl");
  };
  EXPECT_EQ(text(run->trace[0].digest + more),
            fmt::format("acc tile {} byte {}: func 0x00000000, rtl 0x00000007",
                        4 * 30 / config.TileBytes(isa::Memory::kAcc),
                        4 * 30 % config.TileBytes(isa::Memory::kAcc)));
  const uint64_t another = sim::DigestByte(isa::ByteSpace::kInp, 64, 0, 9);
  EXPECT_EQ(text(run->trace[0].digest + more + another), "");
}

TEST(FirstWord, DataOfRandomPrograms) {
  const isa::Config config = Named("tiny");
  const auto device = Func(config, 0);
  int told = 0, loads = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const isa::ProgramImage image = MakeProgram({config, isa::Profile::kTessera, seed, 40});
    const Result<ImageOutcome> one = RunImage(*device, image, true);
    ASSERT_TRUE(one) << one.error().message;
    Rng rng(seed);
    for (int change = 0; change < 8; ++change) {
      isa::ProgramImage wrong = image;
      uint8_t& byte = wrong.segments[3].data[static_cast<size_t>(rng.Range(0, 4095))];
      const uint8_t was = byte;
      byte ^= static_cast<uint8_t>(rng.Range(1, 255));
      const Result<ImageOutcome> other = RunImage(*device, wrong, true);
      ASSERT_TRUE(other) << other.error().message;
      const std::string text = Difference(*one, *other, image, config, "func", "rtl");
      if (text.find(": load: ") == std::string::npos && !text.starts_with("load: ")) continue;
      ++loads;
      const size_t at = text.find(": func 0x");
      if (at == std::string::npos) continue;  // LOAD put the byte into several words
      ++told;
      const auto value = [&](size_t from) {
        return static_cast<uint32_t>(std::stoul(text.substr(from, 8), nullptr, 16));
      };
      const uint32_t a = value(at + 9), b = value(text.find(", rtl 0x", at) + 8);
      bool found = false;
      for (int shift = 0; shift < 32; shift += 8) {
        found |= (a ^ b) == uint32_t{static_cast<uint8_t>(was ^ byte)} << shift &&
                 (a >> shift & 0xff) == was;
      }
      EXPECT_TRUE(found) << text << ", the byte was " << int{was} << " and is " << int{byte};
    }
  }
  EXPECT_GE(told, 100);
  EXPECT_GE(told * 2, loads) << "of " << loads << " differences " << told << " were told";
}

}  // namespace
}  // namespace tessera::rig::first_word_test
