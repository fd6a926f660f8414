// SPDX-License-Identifier: Apache-2.0
//
// Memory use of a function's allocations. Depends on ir.h. Used by: compiler/network,
// codegen/accel.
#ifndef TESSERA_COMPILER_IR_USAGE_H_
#define TESSERA_COMPILER_IR_USAGE_H_

#include <cstdint>
#include <functional>

#include "compiler/ir/ir.h"

namespace tessera::ir {

// The greatest total of |size| over buffers of |scope| that are allocated at one time inside |s|.
int64_t MostInUse(const Stmt& s, Scope scope, const std::function<int64_t(const Buffer&)>& size);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_USAGE_H_
