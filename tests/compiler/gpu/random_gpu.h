// SPDX-License-Identifier: Apache-2.0
//
// Random schedules with grids, threads and memories of a group, for tests of kernels.
#ifndef TESSERA_TESTS_COMPILER_GPU_RANDOM_GPU_H_
#define TESSERA_TESTS_COMPILER_GPU_RANDOM_GPU_H_

#include <memory>
#include <set>
#include <string>

#include "base/rng.h"
#include "compiler/schedule/schedule.h"
#include "compiler/te/te.h"

namespace tessera::test {

// Steps that are legal one by one; lowering may refuse the whole.
schedule::Schedule RandomGpuSchedule(const te::Tensor& output, Rng& rng);

// The generator's schedule, with a random value for each decision.
schedule::Schedule RandomGpuPicks(const te::Tensor& output, Rng& rng,
                                  std::shared_ptr<const target::Target> target = target::Gpu(),
                                  const std::set<std::string>& constants = {});

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_GPU_RANDOM_GPU_H_
