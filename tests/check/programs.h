// SPDX-License-Identifier: Apache-2.0
//
// Programs on configuration `tiny` for the tests of the checker.
#ifndef TESSERA_TESTS_CHECK_PROGRAMS_H_
#define TESSERA_TESTS_CHECK_PROGRAMS_H_

#include <gtest/gtest.h>

#include <string>

#include "isa/asm/asm.h"
#include "isa/config.h"

namespace tessera::isa {

inline const Config& Tiny() {
  for (const Config& config : NamedConfigs()) {
    if (config.name == "tiny") return config;
  }
  return NamedConfigs()[0];
}

// A program of profile tessera on `tiny` with constants of 256 bytes, an arena of 256, input and
// output.
inline ProgramImage Tessera(const std::string& code) {
  const std::string text = fmt::format(
      ".profile tessera\n.config tiny {:#x}\n"
      ".segment uops 16\nuop init=1\nuop dst=1\n"
      ".segment constants 256\n.zero 256\n.segment arena 256\n.segment input 256\n.segment output "
      "256\n"
      ".code\n{}",
      Tiny().Hash(), code);
  Result<ProgramImage> image = Assemble(text);
  EXPECT_TRUE(image) << (image ? "" : image.error().message) << "\n" << text;
  return image ? *image : ProgramImage{};
}

}  // namespace tessera::isa

#endif  // TESSERA_TESTS_CHECK_PROGRAMS_H_
