// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/llvm/run_kernel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <map>

#include "runtime/host/cpu_level.h"
#include "tests/compiler/llvm/call_file.h"

namespace tessera::test {
namespace {

// "qemu-arm-static arm_runner", for the levels of boards that can run here.
const std::map<std::string, std::string>& Runners() {
  static const std::map<std::string, std::string> runners = [] {
    std::map<std::string, std::string> found{{"armv7", TESSERA_ARMV7_RUNNER},
                                             {"aarch64", TESSERA_AARCH64_RUNNER},
                                             {"aarch64-dotprod", TESSERA_AARCH64_RUNNER},
                                             {"aarch64-i8mm", TESSERA_AARCH64_RUNNER}};
    std::erase_if(found, [](const auto& runner) { return runner.second.empty(); });
    return found;
  }();
  return runners;
}

bool IsDotLevel(const std::string& level) { return level.starts_with("aarch64-"); }

}  // namespace

std::vector<std::string> TestedLevels() {
  std::vector<std::string> levels = CpuLevels();
  std::erase(levels, "x86-64");  // the compiler starts at v2
  for (const auto& [level, runner] : Runners()) {
    if (!IsDotLevel(level)) levels.push_back(level);  // a process each: seconds for every test
  }
  return levels;
}

std::vector<std::string> TestedDotLevels() {
  std::vector<std::string> levels = TestedLevels();
  for (const auto& [level, runner] : Runners()) {
    if (IsDotLevel(level)) levels.push_back(level);
  }
  return levels;
}

Status RunKernel(const std::string& level, std::span<const uint8_t> object,
                 const std::string& symbol, std::span<std::vector<uint8_t>> buffers) {
  const auto runner = Runners().find(level);
  if (runner == Runners().end()) return CallHere(object, symbol, buffers);
  const std::string path = ::testing::TempDir() + "tessera-call-" + std::to_string(getpid());
  std::vector<std::vector<uint8_t>> parts = {{object.begin(), object.end()},
                                             {symbol.begin(), symbol.end()}};
  parts.insert(parts.end(), buffers.begin(), buffers.end());
  TESSERA_TRY(WriteParts(path, parts));
  const std::string command = runner->second + " " + path;
  const int code = std::system(command.c_str());
  auto results = ReadParts(path);
  std::remove(path.c_str());
  if (code != 0 || !results || results->size() != buffers.size())
    return Fail(Code::kUnavailable, "'{}' failed, code {}", command, code);
  std::ranges::move(*results, buffers.begin());
  return {};
}

}  // namespace tessera::test
