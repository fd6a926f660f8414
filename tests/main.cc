// SPDX-License-Identifier: Apache-2.0
//
// Runs the tests of one program. A folder's tests are one program, because they compile faster
// together; ctest runs the tests of some of its files:
//
//   compiler_accel_tests --files=ring_test.cc,rings_test.cc [--gtest_...]
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace tessera {
namespace {

constexpr std::string_view kFiles = "--files=";

std::set<std::string> Split(std::string_view list) {
  std::set<std::string> parts;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    parts.emplace(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

// The filter of the tests that |files| define; sets |missing| to the files without a test.
std::string FilterOf(const std::set<std::string>& files, std::set<std::string>* missing) {
  *missing = files;
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string_view path = test.file();
      const std::string file(path.substr(path.rfind('/') + 1));
      if (!files.contains(file)) continue;
      missing->erase(file);
      filter += fmt::format("{}.{}:", suite.name(), test.name());
    }
  }
  return filter;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument = argv[k];
    if (!argument.starts_with(tessera::kFiles)) continue;
    std::set<std::string> missing;
    const std::string filter =
        tessera::FilterOf(tessera::Split(argument.substr(tessera::kFiles.size())), &missing);
    for (const std::string& file : missing)
      fmt::print(stderr, "{}: no test of this program is in {}\n", argv[0], file);
    if (!missing.empty()) return 2;
    if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}
