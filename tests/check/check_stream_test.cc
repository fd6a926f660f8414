// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the checker ends without a crash on any stream; it follows a program of 20,000
// instructions to its end. Space: 600 seeded random streams; one long program. Not tested here:
// what each diagnostic says (check_program_test).
#include <gtest/gtest.h>

#include "base/bits.h"
#include "base/rng.h"
#include "isa/check/check.h"
#include "isa/encoding.h"
#include "tests/check/programs.h"

namespace tessera::isa::check_stream_test {
namespace {

// The opcode of the instruction that a row of kFields names.
int OpcodeOf(std::string_view name) {
#define INSN(insn, opcode, unit, summary) \
  if (name == #insn) return opcode;
#include "isa/insns.def"
  return -1;
}

// For any image the checker ends without a failure.
TEST(Check, SurvivesRandomPrograms) {
  CheckOptions options;
  options.max_steps = 20'000;
  int decoded = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    ProgramImage image = Tessera("finish\n");
    image.code.clear();
    for (int64_t n = rng.Range(1, 6); n > 0; --n) {
      InsnWord word;
      for (uint64_t& part : word) {
        part = rng.Next() & rng.Next() & (rng.OneIn(2) ? rng.Next() : ~uint64_t{0});
      }
      // Most words have a valid opcode and set only bits of fields.
      const int opcode = static_cast<int>(rng.OneIn(30) ? rng.Range(0, 15) : rng.Range(1, 8));
      InsnWord named{};
      for (const FieldRow& f : kFields) {
        if (OpcodeOf(f.insn) == opcode) named[f.lsb / 64] |= Mask(f.width) << (f.lsb % 64);
      }
      for (int w = 0; w < 4; ++w) word[w] &= named[w];
      if (!rng.OneIn(8)) word[0] &= ~uint64_t{0xff0};  // clears the tokens
      word[0] |= static_cast<uint64_t>(opcode);
      image.Append(word);
    }
    image.Append(Encode(Finish{}).value());
    const CheckReport report = CheckProgram(image, Tiny(), options);
    EXPECT_LE(report.diagnostics.size(), options.max_diagnostics);
    decoded += report.diagnostics.empty() || report.diagnostics[0].finding != Finding::kDecode;
  }
  EXPECT_GE(decoded, 5);
}

TEST(Check, FollowsTwentyThousandInstructions) {
  // LOAD, VECTOR and STORE process two tiles in turn; the last token is missing, and the checker
  // reports only that.
  ProgramImage image = Tessera("finish\n");
  image.code.clear();
  constexpr int64_t kLoad = 1, kVector = 4, kStore = 8;
  const int rounds = 5000;
  for (int n = 0; n < rounds; ++n) {
    const int64_t tile = n % 2;
    const bool first = n < 2, last = n == rounds - 1;
    image.Append(Encode(Load{.pop = first ? 0 : kVector,
                             .push = kVector,
                             .memory = 2,
                             .segment = 3,
                             .x_bytes = 4,
                             .sram_base = tile,
                             .x_size = 1,
                             .y_size = 1,
                             .z_size = 1})
                     .value());
    image.Append(Encode(Sync{.pop = first ? 0 : kStore, .unit = 2}).value());
    image.Append(Encode(Requant{.pop = kLoad,
                                .push = (n + 2 < rounds ? kLoad : 0) | (last ? 0 : kStore),
                                .src_mem = 2,
                                .dst_mem = 1,
                                .per_tensor = 1,
                                .hi = 127,
                                .dst_base = tile,
                                .src_base = tile,
                                .iter_out = 1,
                                .iter_in = 1,
                                .multiplier = 1 << 30})
                     .value());
    image.Append(Encode(Store{.pop = last ? 0 : kVector,
                              .push = n + 2 < rounds ? kVector : 0,
                              .segment = 4,
                              .x_bytes = 4,
                              .sram_base = tile,
                              .x_size = 1,
                              .y_size = 1,
                              .z_size = 1})
                     .value());
  }
  image.Append(Encode(Finish{}).value());
  ASSERT_EQ(image.insn_count(), 20001);
  const CheckReport report = CheckProgram(image, Tiny());
  ASSERT_EQ(report.diagnostics.size(), 1u) << report.ToString();
  EXPECT_EQ(report.diagnostics[0].finding, Finding::kRace);
  EXPECT_EQ(report.diagnostics[0].insns, (std::vector<uint32_t>{19998, 19999}));
}

}  // namespace
}  // namespace tessera::isa::check_stream_test
