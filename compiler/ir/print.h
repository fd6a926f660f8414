// SPDX-License-Identifier: Apache-2.0
//
// Text of the loop IR; `parse.h` reads it back. Grammar: docs/rationale/loop-ir.md.
#ifndef TESSERA_COMPILER_IR_PRINT_H_
#define TESSERA_COMPILER_IR_PRINT_H_

#include <string>

#include "compiler/ir/ir.h"

namespace tessera::ir {

// Equal names of variables or buffers in one function get suffixes to be unambiguous.
std::string Print(const Func& func);
std::string Print(const Stmt& stmt);
std::string Print(const Expr& expr);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_PRINT_H_
