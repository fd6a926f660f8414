// SPDX-License-Identifier: Apache-2.0
//
// From scales to integers: gives every node its Requant (bias, multipliers, shifts). Afterwards
// only quantise and dequantise use floats. Depends on compiler/graph.
#ifndef TESSERA_COMPILER_QUANTIZE_PARAMS_H_
#define TESSERA_COMPILER_QUANTIZE_PARAMS_H_

#include "base/error.h"
#include "compiler/graph/graph.h"

namespace tessera::quantize {

// Fills Node::requant of |node|, a node of |graph|, by its operator's rule.
//   errors  kOutOfRange  a factor does not fit; the message names node and channel
Status AttachRequant(const graph::Graph& graph, graph::Node& node);
// The same for all nodes of |graph|.
Status AttachRequant(graph::Graph& graph);

}  // namespace tessera::quantize

#endif  // TESSERA_COMPILER_QUANTIZE_PARAMS_H_
