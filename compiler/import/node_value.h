// SPDX-License-Identifier: Apache-2.0
//
// The value of a node whose operands are constants, computed from the tensor expression from which
// the operator's code is generated. Depends on: compiler/graph, region. Used by: the importers.
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
//           kOutOfRange       the computation takes more than kMostSteps steps of arithmetic, or
//                             reads outside of a constant
Result<std::vector<uint8_t>> ValueOf(const graph::Graph& graph, size_t index);

// The scales of that result if the node only moves elements: those of the operand. Per-axis scales
// follow their axis to its place in the result.
std::optional<graph::Quant> QuantThrough(const graph::Graph& graph, const graph::Node& node);

}  // namespace tessera

#endif  // TESSERA_COMPILER_IMPORT_NODE_VALUE_H_
