// SPDX-License-Identifier: Apache-2.0
//
// Converts between the order of dimensions that a model's user sees (graph::Tensor::order) and the
// graph's order. Used by: the driver; tools/model_file.cc.
#ifndef TESSERA_COMPILER_DRIVER_USER_ORDER_H_
#define TESSERA_COMPILER_DRIVER_USER_ORDER_H_

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/ir/ir.h"

namespace tessera::compiler {

// The extents of |tensor| as the user sees them.
std::vector<int64_t> UserShape(const graph::GraphTensor& tensor);

// Host code with two row-major parameters: the tensor in the order it comes in, and in the order it
// goes out in. |to_user|: the second is the user's order, otherwise the first.
ir::Func OrderFunc(const graph::GraphTensor& tensor, bool to_user, const std::string& name);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_USER_ORDER_H_
