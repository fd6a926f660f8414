// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the assembler accepts a text or refuses it; an accepted program survives the round
// trip through text.
#include <string_view>

#include "base/check.h"
#include "isa/asm/asm.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // NOLINT: one function
  const auto image = isa::Assemble(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!image) {
    TESSERA_CHECK(image.error().message.find('\n') == std::string::npos, "a message has one line");
    return 0;
  }
  const auto again = isa::Assemble(isa::Disassemble(*image));
  TESSERA_CHECK(again && *again == *image, "the round trip changed the program");
  return 0;
}
