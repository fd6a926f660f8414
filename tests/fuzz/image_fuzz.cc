// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: the reader accepts bytes as a program image or refuses them; an accepted image is
// written back the same. The valid checksum replaces the last eight bytes, because mutations would
// hardly find it.
#include <vector>

#include "base/check.h"
#include "isa/asm/asm.h"
#include "isa/image.h"
#include "tests/fuzz/sealed.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // NOLINT: one function
  const std::vector<uint8_t> bytes = test::Sealed(data, size);
  const auto image = isa::ParseImage(bytes);
  if (!image) return 0;
  TESSERA_CHECK(isa::SerializeImage(*image) == bytes, "writing what was read gives other bytes");
  const auto again = isa::Assemble(isa::Disassemble(*image));
  TESSERA_CHECK(again && *again == *image, "the round trip through text changed the program");
  return 0;
}
