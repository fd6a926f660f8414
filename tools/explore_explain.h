// SPDX-License-Identifier: Apache-2.0
//
// `tessera explore --explain`: one machine, predicted and run, and what limits it layer by layer.
// Depends on: explore, compiler/tune. Used by: explore.cc.
#ifndef TESSERA_TOOLS_EXPLORE_EXPLAIN_H_
#define TESSERA_TOOLS_EXPLORE_EXPLAIN_H_

#include <vector>

#include "base/error.h"
#include "explore/evaluate.h"

namespace tessera::tools {

// Prints the area and clock of |config| on |part|, what each of |networks| takes there by both
// stages, and for each layer of the accelerator the unit that works most.
//   errors  those of hw::PredictSilicon, explore::RunNetwork, compiler::Compile
Status ExplainMachine(const isa::Config& config, const hw::Part& part,
                      const std::vector<explore::ExploredNetwork>& networks);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_EXPLORE_EXPLAIN_H_
