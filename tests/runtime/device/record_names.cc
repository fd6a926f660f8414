// SPDX-License-Identifier: Apache-2.0
//
// Linked into a test program: names the recorded programs (runtime/device/record.h) after the test
// that runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace tessera {
namespace {

class RecordNames : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& test) override {
    std::string name = std::string(test.test_suite_name()) + "." + test.name();
    std::ranges::replace_if(
        name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '.'; }, '_');
    setenv("TESSERA_RECORD_NAME", name.c_str(), /*overwrite=*/1);
  }
};

const bool g_added = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new RecordNames);
  return true;
}();

}  // namespace
}  // namespace tessera
