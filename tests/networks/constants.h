// SPDX-License-Identifier: Apache-2.0
//
// Constant operands and functions in floats for random networks. Depends on: compiler/graph. Used
// by: build.cc.
#ifndef TESSERA_TESTS_NETWORKS_CONSTANTS_H_
#define TESSERA_TESTS_NETWORKS_CONSTANTS_H_

#include <string>

#include "base/rng.h"
#include "compiler/graph/graph.h"

namespace tessera::networks {

// A node, without a result, of an int8 tensor |x| whose real values reach to about |spread| on both
// sides. Sets |spread| to that of the result, which has the shape of |x|. The names of what it adds
// to |graph| begin with |name|.

// A sum, a difference or a product of |x| and an int8 constant of |x|'s shape that it adds: one
// number, one of each channel, or one of each element.
graph::Node Shifted(graph::Graph& graph, graph::TensorId x, const std::string& name, Rng& rng,
                    double* spread);

// The quantisation of a function in floats of |x|, which it adds behind a dequantisation: of one
// value, or of the row along the last axis that it is in (a normalisation, a softmax).
graph::Node InFloats(graph::Graph& graph, graph::TensorId x, const std::string& name, Rng& rng,
                     double* spread);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_CONSTANTS_H_
