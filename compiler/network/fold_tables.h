// SPDX-License-Identifier: Apache-2.0
//
// Operators that compute together a function of one int8 value: a sigmoid and the product with its
// operand, a hard sigmoid in four operators, a GELU in floats between a dequantisation and a
// quantisation. Depends on: compiler/graph, region, te. Used by: network/simplify.h.
#ifndef TESSERA_COMPILER_NETWORK_FOLD_TABLES_H_
#define TESSERA_COMPILER_NETWORK_FOLD_TABLES_H_

#include "compiler/graph/graph.h"

namespace tessera::network {

// Replaces operators that work element by element, whose only activation is one int8 tensor and
// whose result is int8, by one `table`: the definitions of the operators give the result of each of
// the 256 values. Tensors between may have any type; constants are one number, in any shape that
// repeats. Two operators or more become a table, or one that has a constant. An int8 tensor between
// that others read ends the operators, as the result of one table and the operand of the next.
// Tensors of other types that others read stay for these. |graph| has been through
// quantize::AttachRequant. The integers stay the same.
void FoldTables(graph::Graph& graph);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_FOLD_TABLES_H_
