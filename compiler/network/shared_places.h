// SPDX-License-Identifier: Apache-2.0
//
// Where the tensors of shared layers lie in one another in the host's memory, so that it neither
// joins the parts by a copy nor cuts what they read. The accelerator's side of this is
// network/tensor_places.h. Depends on: base/layout.h, network/share_layers.h. Used by:
// network/place_cost.h, compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_SHARED_PLACES_H_
#define TESSERA_COMPILER_NETWORK_SHARED_PLACES_H_

#include <map>
#include <vector>

#include "base/layout.h"
#include "compiler/graph/graph.h"
#include "isa/config.h"

namespace tessera::network {

// A tensor that is a piece of |whole|, which is row-major.
struct HostPlace {
  graph::TensorId whole = -1;
  Layout layout;  // of the piece, counted from the first element of |whole|
};

// By tensor: the results of the parts of shared layers in the joined result, and the rows that the
// parts read in the operand. The host has both tensors, or neither.
std::map<graph::TensorId, HostPlace> SharedPlaces(const graph::Graph& graph);

// By node: whether it joins the parts of a shared layer or cuts what they read, and so has nothing
// to do on the host. Beside a GPU, which reads and makes whole tensors, none has.
std::vector<bool> InSharedPlace(const graph::Graph& graph, const isa::Config& config);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_SHARED_PLACES_H_
