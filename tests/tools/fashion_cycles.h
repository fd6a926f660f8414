// SPDX-License-Identifier: Apache-2.0
//
// What the example network takes on `default`, as tests/models/cycles.json has it
// (tests/models/cycles_test.cc holds that file to the RTL). Depends on: base, nlohmann_json.
// Used by: the tests of this folder.
#ifndef TESSERA_TESTS_TOOLS_FASHION_CYCLES_H_
#define TESSERA_TESTS_TOOLS_FASHION_CYCLES_H_

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace tessera::test {

inline int64_t FashionCycles() {
  std::ifstream file("tests/models/cycles.json");
  return nlohmann::json::parse(file)["fashion"];
}

// FashionCycles as reports print it: 39,946.
inline std::string FashionCyclesText() {
  return fmt::format("{},{:03}", FashionCycles() / 1000, FashionCycles() % 1000);
}

// In milliseconds at 100 MHz: 0.399.
inline std::string FashionMilliseconds() {
  return fmt::format("{:.3f}", static_cast<double>(FashionCycles()) / 1e5);
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_TOOLS_FASHION_CYCLES_H_
