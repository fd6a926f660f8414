// SPDX-License-Identifier: Apache-2.0
//
// Attention between the positions of an image, for random networks. Depends on: compiler/graph.
// Used by: build.cc.
#ifndef TESSERA_TESTS_NETWORKS_ATTENTION_H_
#define TESSERA_TESTS_NETWORKS_ATTENTION_H_

#include <string>

#include "base/rng.h"
#include "compiler/graph/graph.h"

namespace tessera::networks {

struct AttentionSizes {
  int64_t heads = 1, deep = 1;  // channels of a head
};

// Adds attention between the positions of image |x|, as exporters write it: linear layers make
// queries, keys and values of heads; softmax of their products; the products with the values. The
// result is an int8 image with a head's channels behind those of the head before. Names begin with
// |name|.
graph::TensorId Attended(graph::Graph& graph, graph::TensorId x, const AttentionSizes& sizes,
                         const std::string& name, Rng& rng);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_ATTENTION_H_
