// SPDX-License-Identifier: Apache-2.0
//
// Builds a graph with TFLite's meaning from a recipe: rounding isa::Round::kTflite everywhere,
// weights with a scale a channel, asymmetric activations, average pools and moves that keep the
// scale. Scales are set from the expected spread of the values, so that results neither saturate
// nor vanish. Depends on: compiler/graph, base. The same recipe gives the same graph everywhere.
#ifndef TESSERA_TESTS_NETWORKS_BUILD_H_
#define TESSERA_TESTS_NETWORKS_BUILD_H_

#include <cstdint>
#include <map>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "tests/networks/recipe.h"

namespace tessera::networks {

// Step i's result is tensor "t<i>" of the graph.
//   errors  kInvalidArgument  fields or shapes that do not go together, named by step
Result<graph::Graph> BuildGraph(const Recipe& recipe);

// Random int8 values of each input, in the graph's order of axes, row-major.
std::map<graph::TensorId, std::vector<uint8_t>> InputValues(const Recipe& recipe,
                                                            const graph::Graph& graph);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_BUILD_H_
