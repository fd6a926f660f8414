// SPDX-License-Identifier: Apache-2.0
//
// Seeded random numbers, with one sequence on every platform and library (the distributions of
// <random> differ between implementations). Tests and generators print their seed.
#ifndef TESSERA_BASE_RNG_H_
#define TESSERA_BASE_RNG_H_

#include <cstdint>

#include "base/hash.h"

namespace tessera {

// splitmix64: 64 bits of state; every seed is good.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t Next() { return Mix64(state_ += 0x9e3779b97f4a7c15u); }

  // Uniform in [lo, hi], both ends included; lo <= hi.
  int64_t Range(int64_t lo, int64_t hi) {
    const uint64_t count =
        static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) + 1;  // 0: all 2^64
    const uint64_t offset = count == 0 ? Next() : Next() % count;
    return static_cast<int64_t>(static_cast<uint64_t>(lo) + offset);
  }

  // True in one of |n| calls on average.
  bool OneIn(int64_t n) { return Range(1, n) == 1; }

  // Uniform in [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_;
};

}  // namespace tessera

#endif  // TESSERA_BASE_RNG_H_
