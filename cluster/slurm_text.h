// SPDX-License-Identifier: Apache-2.0
//
// What Slurm's commands read and print. Source: the manual pages of sbatch and squeue, 22.05.
// Depends on: base. Used by: slurm_pool.h.
#ifndef TESSERA_CLUSTER_SLURM_TEXT_H_
#define TESSERA_CLUSTER_SLURM_TEXT_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tessera::cluster {

// |numbers|, which ascend, as --array takes them: "0-3,7".
std::string ArrayText(std::span<const int64_t> numbers);

// The number of the job that `sbatch --parsable` prints: "12", "12;cluster".
//   errors  kDataLoss  |text| is no such line
Result<int64_t> ParseSubmitted(const std::string& text);

// The tasks, (job, number), in the lines "JOB NUMBER" that `squeue -h -r -o '%F %K'` prints. Other
// lines do not count: a job that is no array has no number.
std::set<std::pair<int64_t, int64_t>> ParseQueue(const std::string& text);

// Whether |errors| say that the controller does not answer now.
bool IsAway(const std::string& errors);

}  // namespace tessera::cluster

#endif  // TESSERA_CLUSTER_SLURM_TEXT_H_
