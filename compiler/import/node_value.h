// SPDX-License-Identifier: Apache-2.0
//
// What a node of constants gives: computed by the definition of its operator, the one that its code
// is made from. Depends on: compiler/graph, te/ops. Used by: the importers.
#ifndef TESSERA_COMPILER_IMPORT_NODE_VALUE_H_
#define TESSERA_COMPILER_IMPORT_NODE_VALUE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"

namespace tessera {

// The row-major bytes of the result of node |index|, whose operands are constants.
//   errors  kInvalidArgument  the operator does not take these operands
//           kOutOfRange       it would take more than kMostSteps of arithmetic, or reads outside of
//                             a constant
Result<std::vector<uint8_t>> ValueOf(const graph::Graph& graph, size_t index);

// The scales of that result where the node only moves elements: the operand's, along the axis that
// has become of theirs.
std::optional<graph::Quant> QuantThrough(const graph::Graph& graph, const graph::Node& node);

}  // namespace tessera

#endif  // TESSERA_COMPILER_IMPORT_NODE_VALUE_H_
