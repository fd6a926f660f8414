// SPDX-License-Identifier: Apache-2.0
//
// The digest of a change, as sim/trace/digest.h defines it, for the tests of units and memories.
#ifndef TESSERA_TESTS_HW_GEMM_CHANGE_DIGEST_H_
#define TESSERA_TESTS_HW_GEMM_CHANGE_DIGEST_H_

#include <cstdint>

#include "base/hash.h"

namespace tessera::hw {

inline constexpr int kInpSpace = 3, kAccSpace = 4, kOutSpace = 5;

// The digest of a change in 32-bit word number |word|.
inline uint64_t ChangeOfWord(int space, uint64_t word, uint32_t before, uint32_t after) {
  return (uint64_t{after} - before) * (Mix64((static_cast<uint64_t>(space) << 56) + word) | 1);
}
inline uint64_t ChangeOfByte(int space, uint64_t address, uint8_t before, uint8_t after) {
  const uint64_t change = uint64_t{after} - before;
  return (change << (8 * (address % 4))) *
         (Mix64((static_cast<uint64_t>(space) << 56) + address / 4) | 1);
}

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_GEMM_CHANGE_DIGEST_H_
