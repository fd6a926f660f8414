// SPDX-License-Identifier: Apache-2.0
//
// Walking and rewriting trees. Rewriting shares unchanged nodes. Depends on ir.h.
#ifndef TESSERA_COMPILER_IR_VISIT_H_
#define TESSERA_COMPILER_IR_VISIT_H_

#include <functional>
#include <unordered_map>
#include <vector>

#include "base/flat_map.h"
#include "compiler/ir/ir.h"

namespace tessera::ir {

using ExprFn = std::function<Expr(const Expr&)>;
using StmtFn = std::function<Stmt(const Stmt&)>;

// |e| with each direct operand x replaced by fn(x).
Expr MapOperands(const Expr& e, const ExprFn& fn);

// |s| with each direct expression replaced by expr_fn and each direct sub-statement by stmt_fn. A
// sub-statement mapped to an empty Stmt is dropped; a statement left without body becomes empty.
Stmt MapParts(const Stmt& s, const ExprFn& expr_fn, const StmtFn& stmt_fn);

// Post-order rewriting of every node: fn sees a node whose operands are already rewritten.
Expr Rewrite(const Expr& e, const ExprFn& fn);
Stmt RewriteExprs(const Stmt& s, const ExprFn& fn);  // every expression of |s|, by Rewrite

// Replaces variables by expressions.
using VarMap = FlatMap<const ExprNode*, Expr>;
Expr Substitute(const Expr& e, const VarMap& map);
Stmt Substitute(const Stmt& s, const VarMap& map);

// A copy of |s| with loop variables and allocated buffers of its own; variables are replaced by
// |vars|, buffers from outside by |buffers|.
using BufferMap = std::unordered_map<const BufferNode*, Buffer>;
Stmt FreshCopy(const Stmt& s, VarMap vars, BufferMap buffers = {});

// Calls fn on each node, operands first.
template <typename Fn>
void Visit(const Expr& e, const Fn& fn) {
  for (const Expr& a : e->args) Visit(a, fn);
  fn(e);
}
void VisitStmts(const Stmt& s, const std::function<void(const Stmt&)>& fn);  // outer first

// The number of stores, calls and prefetches in the text of |s|.
int64_t CountWork(const Stmt& s);

// Whether |is| holds for |e| or a part of it. Tests outer nodes first and stops at the first match.
template <typename Is>
bool Contains(const Expr& e, const Is& is) {
  if (is(e)) return true;
  for (const Expr& a : e->args) {
    if (Contains(a, is)) return true;
  }
  return false;
}

// Appends the parts of |condition|, which "and" joins, to |parts|.
void PartsOf(const Expr& condition, std::vector<Expr>* parts);

// Whether |e| contains the variable |var|, or one of |vars|.
using VarSet = FlatSet<const ExprNode*>;
bool UsesVar(const Expr& e, const Expr& var);
bool UsesVar(const Expr& e, const VarSet& vars);
bool UsesVar(const Stmt& s, const Expr& var);

// The direct expressions of a statement (loop bounds, indices, value).
std::vector<Expr> DirectExprs(const Stmt& s);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_VISIT_H_
