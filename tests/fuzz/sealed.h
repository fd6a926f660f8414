// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a container that ends in its checksum. Used by: the fuzz targets of such containers.
#ifndef TESSERA_TESTS_FUZZ_SEALED_H_
#define TESSERA_TESTS_FUZZ_SEALED_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/hash.h"

namespace tessera::test {

// The |size| bytes at |data|; the valid checksum replaces the last eight, because mutations would
// hardly find it.
inline std::vector<uint8_t> Sealed(const uint8_t* data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size);
  if (size >= 8) {
    const uint64_t crc = Crc64(std::span(bytes).first(size - 8));
    std::memcpy(bytes.data() + size - 8, &crc, 8);
  }
  return bytes;
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_FUZZ_SEALED_H_
