// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: any bytes are a program image or are refused; what is accepted is written back the
// same. The last eight bytes are replaced by the right checksum, which mutations would hardly find.
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "isa/asm/asm.h"
#include "isa/image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;  // NOLINT: one function
  std::vector<uint8_t> bytes(data, data + size);
  if (size >= 8) {
    const uint64_t crc = Crc64(std::span(bytes).first(size - 8));
    std::memcpy(bytes.data() + size - 8, &crc, 8);
  }
  const auto image = isa::ParseImage(bytes);
  if (!image) return 0;
  TESSERA_CHECK(isa::SerializeImage(*image) == bytes, "writing what was read gives other bytes");
  const auto again = isa::Assemble(isa::Disassemble(*image));
  TESSERA_CHECK(again && *again == *image, "the round trip through text changed the program");
  return 0;
}
