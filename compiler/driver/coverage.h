// SPDX-License-Identifier: Apache-2.0
//
// The share of a network that the accelerator runs, and the reasons why it does not run the rest
// (artifact::Coverage). Depends on: compiler/network, runtime/artifact. Used by: compile.cc, tools.
#ifndef TESSERA_COMPILER_DRIVER_COVERAGE_H_
#define TESSERA_COMPILER_DRIVER_COVERAGE_H_

#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "compiler/network/place.h"
#include "isa/config.h"
#include "runtime/artifact/artifact.h"

namespace tessera::compiler {

// The coverage of |graph|, which has one place for each node.
artifact::Coverage CoverageOf(const graph::Graph& graph,
                              const std::vector<network::NodePlace>& places);

// The coverage of |graph|, as an importer makes it, on a machine of |config|.
//   errors  those of the quantisation rules
Result<artifact::Coverage> CoverageOf(graph::Graph graph, const isa::Config& config);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_COVERAGE_H_
