// SPDX-License-Identifier: Apache-2.0
//
// Times of two compiled forms of one network on the host. Depends on: runtime/executor,
// compiler/tune. Used by: tune.
#ifndef TESSERA_TOOLS_TUNE_NETWORK_H_
#define TESSERA_TOOLS_TUNE_NETWORK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "compiler/tune/time_measure.h"
#include "runtime/artifact/artifact.h"

namespace tessera::tools {

struct NetworkTimes {
  uint64_t plain = 0, tuned = 0;  // the medians, nanoseconds of an inference
  int64_t inferences = 0;         // of each
  // The least nanoseconds of each layer that has code in the network: plain, tuned.
  std::map<std::string, std::pair<uint64_t, uint64_t>> layers;
  std::string difference;  // of their results, for floats alone; "": none
};

// Runs |plan|, "cpu" or that of a GPU, of both in turns, on the core of |measurer|, with inputs of
// one seed, in a process of its own. Kernels of a GPU have no times of their own here.
//   errors  kDataLoss     integers of their results differ
//           kUnavailable  the process crashes or hangs; those of Executor
Result<NetworkTimes> TimesInTurns(std::shared_ptr<const artifact::Artifact> plain,
                                  std::shared_ptr<const artifact::Artifact> tuned,
                                  const std::string& plan, const tune::TimeMeasurer& measurer);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TUNE_NETWORK_H_
