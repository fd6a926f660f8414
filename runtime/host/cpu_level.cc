// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/cpu_level.h"

#if defined(__arm__) || defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

namespace tessera {
namespace {

#if defined(__x86_64__)
// Tile registers with products of int8 (CPUID 7.0, EDX 24 and 25). A process must ask the system
// for them (arch_prctl, Linux 5.16).
bool HasTiles() {
  constexpr long kRequestComponent = 0x1023, kTileData = 18;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d >> 24 & 1) == 0 || (d >> 25 & 1) == 0) return false;
  return syscall(SYS_arch_prctl, kRequestComponent, kTileData) == 0;
}
#endif

}  // namespace

std::vector<std::string> CpuLevels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  // Tests the features that both Clang and GCC know by name. The others of a level (movbe, lzcnt,
  // f16c) came to every processor together with the tested ones.
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") &&
                  __builtin_cpu_supports("ssse3");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  const bool vnni = v4 && __builtin_cpu_supports("avx512vnni");
  std::vector<std::string> levels{"x86-64"};
  if (v2) levels.push_back("x86-64-v2");
  if (v3) levels.push_back("x86-64-v3");
  if (v4) levels.push_back("x86-64-v4");
  if (vnni) levels.push_back("x86-64-v4-vnni");
  if (vnni && HasTiles()) levels.push_back("x86-64-v4-amx");
  std::ranges::reverse(levels);
  return levels;
#elif defined(__aarch64__)
  std::vector<std::string> levels{"aarch64"};
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  if ((first & HWCAP_ASIMDDP) != 0) {
    levels.push_back("aarch64-dotprod");
    if ((second & HWCAP2_I8MM) != 0) levels.push_back("aarch64-i8mm");
  }
  std::ranges::reverse(levels);
  return levels;
#elif defined(__arm__)
  if ((getauxval(AT_HWCAP) & HWCAP_NEON) == 0) return {};
  return {"armv7"};
#else
  return {};
#endif
}

std::string ProcessorName() {
  // The lines of /proc/cpuinfo about the first processor; an Arm has no model name.
  static constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {"model name", ""},
      {"cpu family", "family "},
      {"model", "model "},
      {"CPU implementer", "implementer "},
      {"CPU part", "part "}};
  std::map<std::string, std::string> about;
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 >= line.size()) continue;
    about[line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1)] = line.substr(colon + 2);
  }
  std::string name;
  for (const auto& [part, word] : kParts) {
    const auto found = about.find(std::string(part));
    if (found == about.end()) continue;
    if (!name.empty()) name += ", ";
    name.append(word).append(found->second);
  }
  return name.empty() ? "unknown" : name;
}

}  // namespace tessera
