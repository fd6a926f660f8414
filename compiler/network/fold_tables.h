// SPDX-License-Identifier: Apache-2.0
//
// Operators that compute together a function of one int8 value: a sigmoid and the product with its
// operand, a hard sigmoid in four operators. Depends on: compiler/graph, region, te. Used by:
// compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_FOLD_TABLES_H_
#define TESSERA_COMPILER_NETWORK_FOLD_TABLES_H_

#include "compiler/graph/graph.h"

namespace tessera::network {

// Replaces every two or more int8 operators that work element by element, whose only activation is
// one tensor and of whose results others read only the last, by one `table`: the definitions of
// the operators give the result of each of the 256 values. |graph| has been through
// quantize::AttachRequant. The integers stay the same.
void FoldTables(graph::Graph& graph);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_FOLD_TABLES_H_
