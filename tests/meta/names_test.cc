// SPDX-License-Identifier: Apache-2.0
//
// What is tested: no operator is named below the tensor expressions. Space: every word of the
// sources of jit and of the compiler's folders below compiler/te/ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "tests/meta/sources.h"

namespace tessera::test {
namespace {

// The identifiers of |line| in lower case, cut at underscores and at humps: "ConvBody" gives conv,
// body.
std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (char c : line) {
    if (!std::isalpha(static_cast<unsigned char>(c))) {
      flush();
      continue;
    }
    if (std::isupper(static_cast<unsigned char>(c)) && !word.empty() &&
        !std::isupper(static_cast<unsigned char>(word.back())))
      flush();
    word += c;
  }
  flush();
  for (std::string& w : words)
    std::ranges::transform(w, w.begin(), [](unsigned char c) { return std::tolower(c); });
  return words;
}

TEST(Names, NoOperatorNamesBelowTensorExpressions) {
  const std::set<std::string> names = {"conv",    "conv2d",    "convolution", "pool", "pooling",
                                       "maxpool", "avgpool",   "dense",       "relu", "softmax",
                                       "matmul",  "batchnorm", "resnet"};
  const std::vector<std::string> below = {"jit",
                                          "compiler/ir",
                                          "compiler/te",
                                          "compiler/schedule",
                                          "compiler/lower",
                                          "compiler/codegen"};
  for (const TextFile& file : Sources()) {
    if (Under(file.path, "compiler/te/ops")) continue;
    if (!std::ranges::any_of(below,
                             [&](const std::string& folder) { return Under(file.path, folder); }))
      continue;
    for (size_t n = 0; n < file.lines.size(); ++n) {
      for (const std::string& word : Words(file.lines[n])) {
        EXPECT_FALSE(names.contains(word))
            << file.path << ":" << n + 1 << " names an operator: " << word;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test
