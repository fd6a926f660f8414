// SPDX-License-Identifier: Apache-2.0
//
// Files of what layers took on this computer, and runs that fill them. Depends on: tools/
// place_measure.h, compiler/network/layer_times.h. Used by: tools/place.
#ifndef TESSERA_TOOLS_LEARN_TIMES_H_
#define TESSERA_TOOLS_LEARN_TIMES_H_

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "compiler/driver/placement.h"
#include "compiler/network/layer_times.h"
#include "tools/place_measure.h"

namespace tessera::tools {

// The times in |file|; none if there is no such file and it |may_begin|.
//   errors  kNotFound         there is no such file
//           kInvalidArgument  they are of another machine or version than this computer and the GPU
//                             of |config|, or |config| has another processor; those of
//                             ParseLayerTimes; those of the GPU's driver
Result<std::shared_ptr<network::LayerTimes>> OpenLayerTimes(const std::string& file,
                                                            const isa::Config& config,
                                                            bool may_begin);

// A placement, and what it took.
struct LearntPlacement {
  compiler::PlacedNetwork placed;
  MeasuredPlacement measured;
};

// Runs |graph| with all layers on the host, with all on the GPU if the configuration has one, and
// then by the placement that |options| choose with what was learnt, until that stays the same. The
// accelerator's programs run on |device|. |times|, which are those of |options|, have each layer of
// these runs afterwards. The placement returned was forecast before its own run.
//   errors  those of PlaceNetwork and MeasurePlacement
Result<LearntPlacement> LearnTimes(const graph::Graph& graph,
                                   const compiler::CompileOptions& options, bool exact,
                                   const std::string& device, network::LayerTimes* times,
                                   const std::function<void(int64_t done, int64_t all)>& done);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_LEARN_TIMES_H_
