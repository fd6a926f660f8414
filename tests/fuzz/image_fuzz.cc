// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: any bytes are a program image or are refused; what is accepted is written back the
// same. The last eight bytes are replaced by the right checksum, which mutations would hardly find.
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
