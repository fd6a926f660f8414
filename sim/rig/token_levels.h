// SPDX-License-Identifier: Apache-2.0
//
// TokenLevels: the most tokens that each counter held during a run of a device with a clock.
// Depends on: runtime/observer.h. Used by: run_image.cc, `tessera regress`.
#ifndef TESSERA_SIM_RIG_TOKEN_LEVELS_H_
#define TESSERA_SIM_RIG_TOKEN_LEVELS_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/observer.h"

namespace tessera::rig {

// Tokens from unit to unit: [from][to].
using TokenCounts = std::array<std::array<int64_t, isa::kUnits>, isa::kUnits>;

// Raises every counter of |most| to that of |other|, if it is greater.
inline void Raise(TokenCounts& most, const TokenCounts& other) {
  for (size_t from = 0; from < isa::kUnits; ++from) {
    for (size_t to = 0; to < isa::kUnits; ++to)
      most[from][to] = std::max(most[from][to], other[from][to]);
  }
}

// Observes one run, which must begin without tokens.
class TokenLevels : public RunObserver {
 public:
  void OnToken(const TokenMove& move) override {
    int64_t& level = level_[static_cast<size_t>(move.from)][static_cast<size_t>(move.to)];
    level += move.push ? 1 : -1;
    int64_t& most = most_[static_cast<size_t>(move.from)][static_cast<size_t>(move.to)];
    most = std::max(most, level);
  }
  const TokenCounts& most() const { return most_; }

 private:
  TokenCounts level_{}, most_{};
};

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_TOKEN_LEVELS_H_
