// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a file includes what it uses. Builds compile several sources of a library as one
// and precompile headers, so a missing include can go unseen; here each file is compiled by itself,
// for its errors alone. Space: the sources and headers of the product and of the tests; a run takes
// 16 of them, which the day chooses; TESSERA_INCLUDES=SEED chooses others, TESSERA_INCLUDES=all
// takes all (an hour). Not tested here: includes that nobody needs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/rng.h"
#include "tests/meta/sources.h"

namespace tessera::test::includes_test {
namespace {

constexpr int kFiles = 16;  // of a run

// The options with which |file| may be compiled: its own, if the build compiles it by itself;
// otherwise those of the targets of its folder, or of the nearest folder above that has one.
// Without precompiled headers.
std::vector<std::string> OptionsOf(const nlohmann::json& commands, const std::string& file) {
  static const std::regex objects(
      R"(( -o \S+| -c \S+| -M[DTF] \S+| -MD|-include \S+| -Winvalid-pch))");
  static const std::regex launcher(R"(^.*?\S*\+\+(-\d+)? )");
  const auto options = [](const std::string& text) {
    return std::regex_replace(std::regex_replace(text, objects, ""), launcher, "");
  };
  for (const nlohmann::json& command : commands) {
    if (command["file"] == TESSERA_SOURCE_DIR "/" + file) return {options(command["command"])};
  }
  std::vector<std::string> all;
  for (std::string folder = file.substr(0, file.rfind('/')); all.empty() && !folder.empty();
       folder.resize(folder.find('/') == std::string::npos ? 0 : folder.rfind('/'))) {
    for (const nlohmann::json& command : commands) {
      const std::string text = command["command"];
      const std::string source = command["file"];
      const bool here = text.find(" -o " + folder + "/CMakeFiles/") != std::string::npos;
      const bool own = source.starts_with(TESSERA_SOURCE_DIR "/" + folder + "/") ||
                       source.find("/Unity/") != std::string::npos;
      if (!here || !own) continue;  // a generated file has options of its own
      if (std::ranges::count(all, options(text)) == 0) all.push_back(options(text));
    }
  }
  if (all.empty()) all.push_back(fmt::format("-std=c++23 -I{} -Igen", TESSERA_SOURCE_DIR));
  return all;
}

// Files that are compiled by themselves.
std::vector<std::string> Candidates() {
  std::vector<std::string> files;
  for (const TextFile& file : Sources()) {
    if (!EndsWithAny(file.path, {".cc", ".h"})) continue;
    // A test of the build compiles these, with headers that Verilator makes then.
    if (Under(file.path, "tests/hw/verilate/toy")) continue;
    for (const char* root :
         {"base", "isa", "jit", "sim", "compiler", "runtime", "tools", "provider", "tests"}) {
      if (Under(file.path, root)) files.push_back(file.path);
    }
  }
  return files;
}

TEST(Includes, EachFileHasWhatItUses) {
  const auto text = ReadFile(TESSERA_BUILD "/compile_commands.json");
  ASSERT_TRUE(text) << text.error().message;
  const nlohmann::json commands = nlohmann::json::parse(text->begin(), text->end());
  std::vector<std::string> files = Candidates();
  ASSERT_GT(files.size(), 1000u);
  const char* wanted = std::getenv("TESSERA_INCLUDES");
  if (wanted == nullptr || std::string(wanted) != "all") {
    using std::chrono::days, std::chrono::system_clock;
    const auto today = std::chrono::floor<days>(system_clock::now()).time_since_epoch().count();
    const uint64_t seed =
        wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : static_cast<uint64_t>(today);
    fmt::print("TESSERA_INCLUDES={}\n", seed);
    Rng rng(seed);
    std::vector<std::string> some;
    for (int k = 0; k < kFiles; ++k)
      some.push_back(files[static_cast<size_t>(rng.Range(0, std::ssize(files) - 1))]);
    files = some;
  }
  for (const std::string& file : files) {
    std::string command;
    bool compiles = false;
    for (const std::string& options : OptionsOf(commands, file)) {
      command = fmt::format("cd {} && {} {} -w -fsyntax-only -x c++ {}/{}", TESSERA_BUILD,
                            TESSERA_COMPILER, options, TESSERA_SOURCE_DIR, file);
      compiles = std::system(command.c_str()) == 0;
      if (compiles) break;
    }
    EXPECT_TRUE(compiles) << command;
    fmt::print("{}\n", file);
  }
}

}  // namespace
}  // namespace tessera::test::includes_test
