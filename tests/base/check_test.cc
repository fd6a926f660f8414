// SPDX-License-Identifier: Apache-2.0
//
// What is tested: errors and checks: text, propagation, and a failed check stops the program.
#include "base/check.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error.h"

namespace tessera::check_test {
namespace {

Status Odd(int x) {
  if (x % 2 == 0) return Fail(Code::kOutOfRange, "{} is even", x);
  return {};
}
Result<int> HalfOfNext(int x) {
  TESSERA_TRY(Odd(x));
  return (x + 1) / 2;
}
Result<int> QuarterOfNext(int x) {
  TESSERA_ASSIGN(const int half, HalfOfNext(x));
  TESSERA_ASSIGN(const int quarter, HalfOfNext(half));
  return quarter;
}

TEST(Error, ValuesPassAndErrorsReturn) {
  EXPECT_EQ(QuarterOfNext(5).value(), 2);
  EXPECT_EQ(QuarterOfNext(4).error().message, "4 is even");
  EXPECT_EQ(QuarterOfNext(3).error().message, "2 is even");
  EXPECT_EQ(QuarterOfNext(3).error().code, Code::kOutOfRange);
}

TEST(Error, WithinNamesThePlace) {
  const Result<int> result = Within("file.json", Odd(2).error());
  EXPECT_EQ(result.error().message, "file.json: 2 is even");
  EXPECT_EQ(result.error().code, Code::kOutOfRange);
}

TEST(Error, EveryCodeHasItsName) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(Code::kUnavailable); ++code) {
    names.insert(CodeName(static_cast<Code>(code)));
  }
  EXPECT_EQ(names.size(), 8u);
  EXPECT_STREQ(CodeName(Code::kDataLoss), "DataLoss");
}

TEST(CheckDeathTest, StopsWithPlaceConditionAndDetail) {
  const int a = 3;
  TESSERA_CHECK(a == 3, "a is {}", a);
  EXPECT_DEATH(TESSERA_CHECK(a == 4, "a is {}", a),
               "check_test.cc:[0-9]+: check failed: a == 4: a is 3");
  EXPECT_DEATH(TESSERA_CHECK(a == 4), "check failed: a == 4");
}

}  // namespace
}  // namespace tessera::check_test
