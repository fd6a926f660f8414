// SPDX-License-Identifier: Apache-2.0
//
// Structural equality and hashing. Bound variables and allocated buffers match by position,
// whatever their names. Free variables and buffers match by identity; parameters of functions match
// by position. Depends on ir.h.
#ifndef TESSERA_COMPILER_IR_EQUAL_H_
#define TESSERA_COMPILER_IR_EQUAL_H_

#include <cstdint>

#include "compiler/ir/ir.h"

namespace tessera::ir {

bool Equal(const Expr& a, const Expr& b);
bool Equal(const Stmt& a, const Stmt& b);
bool Equal(const Func& a, const Func& b);  // ignores function names

// Equal trees have equal hashes. Hashes are valid within one process only.
uint64_t Hash(const Expr& e);
uint64_t Hash(const Stmt& s);
uint64_t Hash(const Func& f);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_EQUAL_H_
