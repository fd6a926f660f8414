// SPDX-License-Identifier: Apache-2.0
//
// Runs one layer by two schedules in turns, and compares their results. Depends on: timed_layer.h.
// Used by: time_measure.h, the command.
#ifndef TESSERA_COMPILER_TUNE_TURNS_H_
#define TESSERA_COMPILER_TUNE_TURNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "base/rng.h"
#include "compiler/tune/timed_layer.h"

namespace tessera::tune {

// |count| values: any of a type of 8 or 16 bits, from -100 to 100 of a wider integer, from -1 to 1
// of a float.
std::vector<uint8_t> RandomValues(DType type, int64_t count, Rng& rng);
// RandomValues of the seed |seed|.
LayerInputs RandomInputs(const te::RegionTe& region, uint64_t seed);

// How |got| differs from |want|, elements of |type|; "": not at all. Schedules may add floats in
// different orders: a difference that is small beside the largest element is none.
std::string ResultDifference(DType type, const std::vector<uint8_t>& got,
                             const std::vector<uint8_t>& want);

// The least nanoseconds of a call, of two that took turns.
struct TurnTimes {
  uint64_t given = 0, candidate = 0;
};

struct TurnOptions {
  int turns = 20;
  // The turns go on while the given one takes clearly more than this: something else has the core.
  uint64_t quiet_ns = UINT64_MAX;
  // Of time; the first few turns take place in any case.
  uint64_t most_ns = 300'000'000;
  // No more turns when the candidate takes so many times the time of the given one; 0: all turns.
  double enough = 0;
};
//   errors  those of TimedLayer::Run
Result<TurnTimes> TakeTurns(TimedLayer& given, TimedLayer& candidate, const TurnOptions& options);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_TURNS_H_
