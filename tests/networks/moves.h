// SPDX-License-Identifier: Apache-2.0
//
// Steps of random networks that only move elements of an image. Depends on: compiler/graph,
// recipe.h. Used by: build.cc.
#ifndef TESSERA_TESTS_NETWORKS_MOVES_H_
#define TESSERA_TESTS_NETWORKS_MOVES_H_

#include <string>

#include "base/rng.h"
#include "compiler/graph/graph.h"
#include "tests/networks/recipe.h"

namespace tessera::networks {

// The node of |step|, a transposition, a pad, a resize, a shuffle or a gather, on image |x|,
// without a result. Sets |shape| to the result's; an extent may be below 1. The names of what it
// adds to |graph| begin with |name|.
//   errors  kInvalidArgument  the channels cannot be shuffled in such groups
Result<graph::Node> Moved(graph::Graph& graph, graph::TensorId x, const Step& step,
                          const std::string& name, Rng& rng, graph::Shape* shape);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_MOVES_H_
