// SPDX-License-Identifier: Apache-2.0
//
// Stall: random stalls of memory channels, for tests. Every 64 cycles each channel draws a new rate
// of stalled cycles, one of 0, 1/8, 1/2 and 7/8, so runs have long quiet and long blocked
// stretches. Depends on: base. Used by: dram.
#ifndef TESSERA_SIM_DRAM_STALL_H_
#define TESSERA_SIM_DRAM_STALL_H_

#include <array>
#include <cstdint>

#include "base/rng.h"

namespace tessera::sim {

class Stall {
 public:
  static constexpr int kChannels = 5;
  enum Channel { kReadRequest, kReadBeat, kWriteRequest, kWriteBeat, kResponse };

  explicit Stall(uint64_t seed) : enabled_(seed != 0), rng_(seed) {}

  // Draws the stalls of this cycle.
  void Step() {
    if (!enabled_) return;
    if (cycle_++ % 64 == 0) {
      for (uint32_t& rate : eighths_) rate = kRates[rng_.Next() % kRates.size()];
    }
    const uint64_t draw = rng_.Next();
    for (int i = 0; i < kChannels; ++i) now_[i] = (draw >> (8 * i) & 7) < eighths_[i];
  }

  // Whether |channel| stalls in this cycle.
  bool operator[](Channel channel) const { return now_[channel]; }

 private:
  static constexpr std::array<uint32_t, 4> kRates = {0, 1, 4, 7};

  bool enabled_;
  Rng rng_;
  uint64_t cycle_ = 0;
  std::array<uint32_t, kChannels> eighths_{};
  std::array<bool, kChannels> now_{};
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DRAM_STALL_H_
