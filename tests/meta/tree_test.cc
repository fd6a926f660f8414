// SPDX-License-Identifier: Apache-2.0
//
// What is tested: rules about single files: length, width of comments, licence lines, no path of
// one machine, no build step that depends on whether a file exists, two derivations of
// requantisation, length of functions. Space: every source file of the checkout. Not tested here:
// who includes whom (map_test), names (names_test), documents (docs_test), rules that clang-format
// checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/meta/sources.h"

namespace tessera::test::tree_test {
namespace {

TEST(Tree, FilesAreShort) {
  constexpr size_t kLimit = 400;
  Exceptions longer("FilesAreShort", {{"hw/hls/gen/tsr_hls_isa.h", "generated from the tables"},
                                      {"hw/rtl/gen/tsr_pkg.sv", "generated from the tables"}});
  for (const TextFile& file : Sources()) {
    if (file.lines.size() <= kLimit) continue;
    EXPECT_TRUE(longer.Allow(file.path))
        << file.path << " has " << file.lines.size() << " lines, the limit is " << kLimit
        << ": split it by idea";
  }
  longer.ExpectAllUsed();
}

// clang-format breaks code at this width and leaves comments as they are.
TEST(Tree, CommentsKeepTheWidth) {
  constexpr size_t kWidth = 100;
  for (const TextFile& file : Sources()) {
    if (!EndsWithAny(file.path, {".cc", ".h"})) continue;
    for (size_t n = 0; n < file.lines.size(); ++n) {
      const std::string& line = file.lines[n];
      const size_t text = line.find_first_not_of(' ');
      if (text == std::string::npos || line.compare(text, 2, "//") != 0) continue;
      EXPECT_LE(line.size(), kWidth) << file.path << ":" << n + 1;
    }
  }
}

TEST(Tree, SourcesNameTheirLicence) {
  for (const TextFile& file : Sources()) {
    if (EndsWithAny(file.path, {"CMakeLists.txt", ".cmake"})) continue;
    const bool named = std::any_of(
        file.lines.begin(), file.lines.begin() + std::min<ptrdiff_t>(4, std::ssize(file.lines)),
        [](const std::string& l) {
          return l.find("SPDX-License-Identifier: Apache-2.0") != std::string::npos;
        });
    EXPECT_TRUE(named) << file.path << " does not name its licence in its first lines";
  }
}

TEST(Tree, NoPathOfOneMachine) {
  for (const TextFile& file : Sources()) {
    for (size_t n = 0; n < file.lines.size(); ++n) {
      for (const char* part : {"/ho"
                               "me/",
                               "/ro"
                               "ot/",
                               "/wo"
                               "rk/"}) {
        EXPECT_EQ(file.lines[n].find(part), std::string::npos)
            << file.path << ":" << n + 1 << " names " << part;
      }
    }
  }
}

// The build must fail when a file is absent: a list of folders or targets that shrinks silently
// would pass.
TEST(Tree, NoBuildStepHangsOnAFile) {
  Exceptions other(
      "NoBuildStepHangsOnAFile",
      {{"cmake/checked_in.cmake", "says that a generated file is missing, and fails"}});
  for (const TextFile& file : Sources()) {
    if (!EndsWithAny(file.path, {"CMakeLists.txt", ".cmake"})) continue;
    for (size_t n = 0; n < file.lines.size(); ++n) {
      const std::string& line = file.lines[n];
      if (line.find("if(EXISTS") == std::string::npos &&
          line.find("if(NOT EXISTS") == std::string::npos)
        continue;
      EXPECT_TRUE(other.Allow(file.path))
          << file.path << ":" << n + 1
          << " makes a target or a test depend on whether a file exists";
    }
  }
  other.ExpectAllUsed();
}

TEST(Tree, HostPathSharesNoRequantiseSourceWithTheMachine) {
  Exceptions other("files of the compiler that include isa/semantics",
                   {{"compiler/validate/machine_run.h", "decodes programs and computes nothing"}});
  for (const TextFile& file : Sources()) {
    if (!Under(file.path, "compiler")) continue;
    for (const std::string& line : file.lines) {
      if (line.find("#include \"isa/semantics") == std::string::npos) continue;
      EXPECT_TRUE(other.Allow(file.path)) << file.path << ": " << line;
    }
  }
  other.ExpectAllUsed();
}

// A function begins with a line of no indent, or of one or two blanks in a class, that ends in "{"
// behind a ")". It ends at a "}" below its first letter.
TEST(Tree, FunctionsOfTheCompilerAreShort) {
  constexpr size_t kLimit = 80;
  const std::regex head(
      R"(^( {0,2})(?!namespace|class|struct|if|for|while|switch|else)\w.*\).*\{$)");
  size_t functions = 0;
  for (const TextFile& file : Sources()) {
    if (!Under(file.path, "compiler") || !EndsWithAny(file.path, {".cc", ".h"})) continue;
    for (size_t n = 0; n < file.lines.size(); ++n) {
      std::smatch m;
      if (!std::regex_search(file.lines[n], m, head)) continue;
      const std::string end = m[1].str() + "}";
      size_t last = n + 1;
      while (last < file.lines.size() && !file.lines[last].starts_with(end)) ++last;
      EXPECT_LE(last - n + 1, kLimit) << file.path << ":" << n + 1;
      ++functions;
    }
  }
  EXPECT_GT(functions, 1000u) << "the functions were not found";
}

}  // namespace
}  // namespace tessera::test::tree_test
