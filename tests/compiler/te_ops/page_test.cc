// SPDX-License-Identifier: Apache-2.0
//
// What is tested: docs/adding/operator.md quotes the operator that it walks through as it is.
// Space: every quote of the page. Not tested here: what the operator computes (lookup_test.cc).
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "base/file.h"

namespace tessera {
namespace {

std::string TextOf(const std::string& path) {
  const auto bytes = ReadFile(path);
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::string(bytes->begin(), bytes->end()) : "";
}

TEST(AddingAnOperator, QuotesAreInTheirFiles) {
  const std::string page = TextOf("docs/adding/operator.md");
  const std::regex quote("<!-- quoted from (\\S+) -->\n```\n([^`]*)```\n<!-- end of quote -->");
  int quotes = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), quote), end; it != end; ++it) {
    const std::string file = (*it)[1], text = (*it)[2];
    EXPECT_NE(TextOf(file).find(text), std::string::npos) << file << " has no longer:\n" << text;
    ++quotes;
  }
  EXPECT_GE(quotes, 3);
}

}  // namespace
}  // namespace tessera
