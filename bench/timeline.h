// SPDX-License-Identifier: Apache-2.0
//
// When devices that work side by side are done with tasks that wait for each other. Source: the
// execution simulator of FlexFlow (Beyond Data and Model Parallelism, MLSys 2019, section 5).
// Depends on: nothing. Used by: placement.cc.
#ifndef TESSERA_BENCH_TIMELINE_H_
#define TESSERA_BENCH_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::bench {

struct TimedTask {
  uint32_t device = 0;
  double seconds = 0;
  std::vector<size_t> after = {};  // tasks that end before it begins, all earlier in the list
};

// The second in which the last of |tasks| ends. A device does one task at a time: of those that can
// begin, the first of the list, as the executor does (runtime/executor/flow.h).
double EndOf(std::span<const TimedTask> tasks);

}  // namespace tessera::bench

#endif  // TESSERA_BENCH_TIMELINE_H_
