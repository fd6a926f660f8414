// SPDX-License-Identifier: Apache-2.0
//
// What is tested: docs/adding/accelerator-instruction.md shows changes that add an operation. Their
// old lines are in the tree; the page's table lists exactly their files, at most ten; a copy of the
// tree with them builds, and its tests pass: encoding, checker, simulator, HLS twin, the RTL of
// VECTOR. The page's list of TAB's files is what the tree has. With ctest -C adding: each file is
// needed, since without its change the build or a test fails; and each command of the page's table
// of checks passes in a copy with all folders. Not tested here: the page's other sections.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "base/file.h"
#include "base/process.h"
#include "tests/docs/page_changes.h"
#include "tests/meta/sources.h"

namespace tessera::test::instruction_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPage = "docs/adding/accelerator-instruction.md";
constexpr size_t kMostFiles = 10;
constexpr const char* kTests = "adding_tests";

const TextFile& Page() {
  static const TextFile none;
  const auto page = std::ranges::find(Documents(), kPage, &TextFile::path);
  return page == Documents().end() ? none : *page;
}

std::vector<PageChange> Changes() {
  const Result<std::vector<PageChange>> changes = PageChangesOf(Page());
  EXPECT_TRUE(changes) << changes.error().message;
  return changes.value_or(std::vector<PageChange>{});
}

// The files of |changes|, each once, in their order.
std::vector<std::string> FilesOf(const std::vector<PageChange>& changes) {
  std::vector<std::string> files;
  for (const PageChange& change : changes) {
    if (std::ranges::find(files, change.file) == files.end()) files.push_back(change.file);
  }
  return files;
}

// The exit code and the last lines of |command|, which runs in a shell in |folder|.
struct Outcome {
  int code = -1;
  std::string end;
};
Outcome Shell(const std::string& folder, const std::string& command) {
  const auto run =
      RunProcess({"sh", "-c", "cd " + ShellWord(folder) + " && exec 2>&1 && " + command}, {},
                 std::chrono::minutes(50));
  if (!run) return {-1, run.error().message};
  const size_t keep = std::min<size_t>(run->output.size(), 6000);
  return {run->code, command + "\n" + run->output.substr(run->output.size() - keep)};
}

// Builds and runs the project of tests/docs/adding in |tree|, up to the first command that fails.
Outcome Prove(const std::string& tree) {
  const std::string build = "cmake --build build --parallel 2 -t ";
  const std::vector<std::string> commands = {
      "cp tests/docs/adding/CMakeLists.txt CMakeLists.txt",
      "cmake -B build -G Ninja -DTESSERA_UNITY=ON -DCMAKE_BUILD_TYPE=Release " TESSERA_OPTIONS,
      build + "regenerate tessera_check", build + kTests, std::string("build/bin/") + kTests};
  Outcome last;
  for (const std::string& command : commands) {
    last = Shell(tree, command);
    if (last.code != 0) break;
  }
  return last;
}

std::string Folder(const std::string& name) {
  const fs::path folder = fs::path(TESSERA_BUILD) / "adding" / name;
  fs::create_directories(folder);
  return folder;
}

TEST(InstructionPage, ItsTableListsTheFilesOfItsChanges) {
  const std::vector<std::string> files = FilesOf(Changes());
  EXPECT_GT(files.size(), 1u);
  EXPECT_LE(files.size(), kMostFiles);
  static const std::regex span("`([^`]+)`");
  std::vector<std::string> listed;
  for (const std::string& line : Page().lines) {
    if (!line.starts_with("| an ALU operation |")) continue;
    const std::string cell = line.substr(0, line.find('|', line.find('|', 1) + 1));
    for (std::sregex_iterator m(cell.begin(), cell.end(), span), end; m != end; ++m)
      listed.push_back((*m)[1]);
  }
  EXPECT_EQ(listed, files);
}

// Files of the machine that name TAB or its flag outside comments; printed files not.
TEST(InstructionPage, ItsTableOfTabListsTheFilesThatNameIt) {
  static const std::regex comment("//.*"), span("`([a-z]+/[^`]+)`"),
      name(R"(\b(kTab|kMemoryTab|MEM_TAB|tab_tile|tsr_tab_mem|tab_index(_[io])?|table_on)\b)"
           R"(|^TAB holds|requant_table|(insn|v)\.table\b)");
  std::set<std::string> found{"hw/rtl/files.f"};
  for (const TextFile& file : Sources()) {
    if (!Under(file.path, "isa") && !Under(file.path, "sim") && !Under(file.path, "hw")) continue;
    if (Under(file.path, "hw/rtl/gen") || Under(file.path, "hw/hls/gen")) continue;
    for (const std::string& line : file.lines) {
      const bool may = line.find("tab") != line.npos || line.find("Tab") != line.npos ||
                       line.find("TAB") != line.npos;
      if (may && std::regex_search(std::regex_replace(line, comment, ""), name))
        found.insert(file.path);
    }
  }
  std::set<std::string> listed;
  bool inside = false;
  for (const std::string& line : Page().lines) {
    if (line.starts_with("#")) inside = line == "## A scratchpad and the mode that reads it";
    if (!inside || !line.starts_with("|")) continue;
    for (std::sregex_iterator m(line.begin(), line.end(), span), end; m != end; ++m)
      listed.insert((*m)[1]);
  }
  EXPECT_EQ(listed, found);
  const std::string count = std::to_string(found.size()) + " files";
  EXPECT_TRUE(std::ranges::any_of(Page().lines, [&](const std::string& line) {
    return line.find("in " + count) != std::string::npos;
  })) << count;
}

TEST(InstructionPage, ItsChangesBuildAndPassTheirTests) {
  const std::string tree = Folder("example");
  const Status copied = CopyTree(tree, Changes(), {});
  ASSERT_TRUE(copied) << copied.error().message;
  const Outcome outcome = Prove(tree);
  EXPECT_EQ(outcome.code, 0) << outcome.end;
}

TEST(InstructionPageWhole, EachFileIsNeeded) {
  const std::string tree = Folder("example");
  for (const std::string& file : FilesOf(Changes())) {
    const Status copied = CopyTree(tree, Changes(), {file});
    ASSERT_TRUE(copied) << copied.error().message;
    const Outcome outcome = Prove(tree);
    EXPECT_NE(outcome.code, 0) << file;
    fmt::print("without {}: {}\n", file, outcome.end.substr(0, outcome.end.find('\n')));
    std::fflush(stdout);
  }
}

// CPU seconds of the commands that have ended.
double CpuSeconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

TEST(InstructionPageWhole, EachCheckOfItsTablePasses) {
  const std::string tree = Folder("whole");
  const Status copied = CopyTree(tree, Changes(), {});
  ASSERT_TRUE(copied) << copied.error().message;
  fs::create_directories(fs::path(tree) / "build");
  // The tools from PyPI are those of this build.
  const Outcome configured =
      Shell(tree, "ln -sfn " + ShellWord(TESSERA_BUILD "/pypi") +
                      " build/pypi && cmake --preset ci && cmake --build build -t tessera_base");
  ASSERT_EQ(configured.code, 0) << configured.end;
  static const std::regex command("`(cmake --build build [^`]+)`");
  int checks = 0;
  for (const std::string& line : Page().lines) {
    if (!line.starts_with("| check ")) continue;
    for (std::sregex_iterator m(line.begin(), line.end(), command), end; m != end; ++m, ++checks) {
      const double before = CpuSeconds();
      const Outcome outcome =
          Shell(tree, "CCACHE_DISABLE=1 && export CCACHE_DISABLE && " + (*m)[1].str());
      EXPECT_EQ(outcome.code, 0) << outcome.end;
      fmt::print("{:6.0f} CPU seconds: {}\n", CpuSeconds() - before, (*m)[1].str());
      std::fflush(stdout);
    }
  }
  EXPECT_GT(checks, 4);
}

}  // namespace
}  // namespace tessera::test::instruction_test
