// SPDX-License-Identifier: Apache-2.0
//
// Checksums and hashes: CRC-64/XZ for files, a 64-bit mixer for digests and hash tables.
#ifndef TESSERA_BASE_HASH_H_
#define TESSERA_BASE_HASH_H_

#include <cstdint>
#include <span>

namespace tessera {

// CRC-64/XZ (ECMA-182 polynomial, reflected, all-ones start and end) of |bytes|; pass the previous
// value as |crc| to continue over several spans. Check value of "123456789": 0x995dc9bbdf1939fa.
uint64_t Crc64(std::span<const uint8_t> bytes, uint64_t crc = 0);

// The splitmix64 finaliser: a bijection whose every output bit depends on every input bit.
constexpr uint64_t Mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace tessera

#endif  // TESSERA_BASE_HASH_H_
