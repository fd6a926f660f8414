// SPDX-License-Identifier: Apache-2.0
//
// The style of the refusals' sentences. Not here: which refusal has which sentence
// (refusal_words_test).
#include <gtest/gtest.h>

#include <regex>

#include "compiler/schedule/accel/refusal.h"

namespace tessera::test::refusal_sentences_test {
namespace {

using schedule::accel::kRefusalKinds;
using schedule::accel::MachineWords;
using schedule::accel::RefusalKind;

// A sentence names a part of the machine and no term of the compiler.
TEST(RefusalWords, SentencesNameTheMachineNotTheCompiler) {
  const std::regex machine(R"(\b(LOAD|GEMM|VECTOR|STORE|INP|WGT|ACC|OUT|PRM|machine)\b)");
  const std::regex compiler(
      R"(\b(stages?|regions?|axis|axes|affine|reductions?|select|steps? that)\b|\()");
  for (int k = 0; k < kRefusalKinds; ++k) {
    const std::string words = MachineWords(static_cast<RefusalKind>(k), "INP");
    EXPECT_TRUE(std::regex_search(words, machine)) << words;
    EXPECT_FALSE(std::regex_search(words, compiler)) << words;
    EXPECT_EQ(words.find_first_of("{}\n;"), std::string::npos) << words;
    EXPECT_LT(words.size(), 100u) << words;
  }
}

}  // namespace
}  // namespace tessera::test::refusal_sentences_test
