// SPDX-License-Identifier: Apache-2.0
//
// The order of dimensions that a model's user sees (graph::Tensor::order) against the graph's own.
// Used by: the driver; tools/model_file.cc.
#ifndef TESSERA_COMPILER_DRIVER_USER_ORDER_H_
#define TESSERA_COMPILER_DRIVER_USER_ORDER_H_

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/ir/ir.h"

namespace tessera::compiler {

// The extents of |tensor| as the user sees them.
std::vector<int64_t> UserShape(const graph::GraphTensor& tensor);

// Host code with two parameters, row-major: the tensor in the order that it comes in, and in the
// one that it goes out in; |to_user| tells which of them is the user's.
ir::Func OrderFunc(const graph::GraphTensor& tensor, bool to_user, const std::string& name);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_USER_ORDER_H_
