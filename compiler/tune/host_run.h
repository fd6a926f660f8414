// SPDX-License-Identifier: Apache-2.0
//
// Runs two loaded functions of one host layer in turns, and compares their results. Depends on:
// compiler/driver. Used by: host_measure.h, the command.
#ifndef TESSERA_COMPILER_TUNE_HOST_RUN_H_
#define TESSERA_COMPILER_TUNE_HOST_RUN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "base/rng.h"
#include "compiler/driver/evaluate.h"
#include "compiler/tune/host_measure.h"

namespace tessera::tune {

// Row-major bytes of a layer's activations, by tensor of the graph.
using HostInputs = std::map<graph::TensorId, std::vector<uint8_t>>;

// |count| values: any of a type of 8 or 16 bits, from -100 to 100 of a wider integer, from -1 to 1
// of a float.
std::vector<uint8_t> RandomValues(DType type, int64_t count, Rng& rng);
// RandomValues of the seed |seed|.
HostInputs RandomHostInputs(const te::RegionTe& region, uint64_t seed);

// Gives |candidate| |inputs| and fills its result with junk, so that elements that it does not
// write show.
void PutInputs(const HostInputs& inputs, compiler::HostCandidate* candidate);

// The result of |candidate|, row-major.
std::vector<uint8_t> ResultOf(const compiler::HostCandidate& candidate);

// How |got| differs from |want|, elements of |type|; "": not at all. Schedules may add floats in
// different orders: a difference that is small beside the largest element is none.
std::string ResultDifference(DType type, const std::vector<uint8_t>& got,
                             const std::vector<uint8_t>& want);

struct TurnOptions {
  int turns = 20;
  // The turns go on while the given one takes clearly more than this: something else has the core.
  uint64_t quiet_ns = UINT64_MAX;
  // Of time; the first few turns take place in any case.
  uint64_t most_ns = 300'000'000;
  // No more turns when the candidate takes so many times the time of the given one; 0: all turns.
  double enough = 0;
};
HostTimes TakeTurns(compiler::HostCandidate& given, compiler::HostCandidate& candidate,
                    const TurnOptions& options);

// Runs |candidate| by the interpreter of the loop IR on the values in its memory.
//   errors  kTimeout  it would take too long; those of ir::Interpret
Result<std::vector<uint8_t>> InterpretedResult(const compiler::HostCandidate& candidate);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_HOST_RUN_H_
