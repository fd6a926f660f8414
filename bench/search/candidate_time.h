// SPDX-License-Identifier: Apache-2.0
//
// What a candidate of a search costs before it is measured.
#ifndef TESSERA_BENCH_SEARCH_CANDIDATE_TIME_H_
#define TESSERA_BENCH_SEARCH_CANDIDATE_TIME_H_

#include "base/error.h"
#include "compiler/tune/task.h"

namespace tessera::bench {

// Prints a table for |task|, of a layer: per cost model the microseconds that a candidate takes on
// one core, and its parts; and the milliseconds of a fit. All of it is: a new random point, its
// replay, its estimate, its features and its prediction. The result is those microseconds with the
// model that `tessera tune` takes; 0: the space has too few points, and a line says so.
//   errors  those of MakeCostModel and CostModel::Fit
Result<double> PrintCandidateTimes(tune::Task& task, const isa::Config& config);

}  // namespace tessera::bench

#endif  // TESSERA_BENCH_SEARCH_CANDIDATE_TIME_H_
