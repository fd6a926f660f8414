// SPDX-License-Identifier: Apache-2.0
//
// `tessera tune --slurm`: the points of a batch are measured by tasks of a Slurm cluster. A task
// prepares the same search, follows what it has chosen so far, and measures some points. Cycles are
// exact, so it does not matter where; what is timed is not measured so. Depends on: cluster,
// tune_target.h. Used by: tune.
#ifndef TESSERA_TOOLS_TUNE_SLURM_H_
#define TESSERA_TOOLS_TUNE_SLURM_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cluster/slurm_pool.h"
#include "compiler/tune/search.h"
#include "tools/tune_target.h"

namespace tessera::tools {

class TuneCluster {
 public:
  // errors: those of OpenSlurm
  static Result<TuneCluster> Open(const TuneFlags& flags);

  // Measures |points| of |task|, of stage |stage| of |target|. A batch of one point is measured
  // here: nothing can run beside it. After |stop| the rest has no results.
  //   errors  those of SlurmPool::Run
  Result<tune::MeasuredBatch> Measure(TuneTarget& target, size_t stage, const tune::Task& task,
                                      const std::vector<tune::Point>& points, uint64_t budget,
                                      const std::function<bool()>& stop);

 private:
  TuneCluster(cluster::SlurmPool pool, size_t at_once)
      : pool_(std::move(pool)), at_once_(at_once) {}

  cluster::SlurmPool pool_;
  size_t at_once_;
};

// In the process of |task|: measures the points of its request.
//   errors  those of cluster::AnswerTask
Status AnswerTune(const std::string& task, TuneTarget& target);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TUNE_SLURM_H_
