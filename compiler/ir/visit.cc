// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/visit.h"

#include <algorithm>

namespace tessera::ir {

namespace {

// |parts| mapped by |fn|; empty if all stay the same, so that nothing is copied then.
template <typename T, typename Fn>
std::vector<T> Mapped(const std::vector<T>& parts, const Fn& fn) {
  std::vector<T> mapped;
  for (size_t k = 0; k < parts.size(); ++k) {
    T part = fn(parts[k]);
    if (mapped.empty() && part.get() == parts[k].get()) continue;
    if (mapped.empty()) mapped = parts;
    mapped[k] = std::move(part);
  }
  return mapped;
}

}  // namespace

Expr MapOperands(const Expr& e, const ExprFn& fn) {
  std::vector<Expr> args = Mapped(e->args, fn);
  if (args.empty()) return e;
  switch (e->kind) {  // builders recompute types, so vector operands propagate
    case ExprKind::kBin:
      return Bin(e->bin(), args[0], args[1]);
    case ExprKind::kSelect:
      return Select(args[0], args[1], args[2]);
    case ExprKind::kLoad:
      return Load(e->buffer, std::move(args));
    case ExprKind::kUn:
      if (e->un() == UnOp::kCast) return Cast(e.dtype(), args[0]);
      return e->un() == UnOp::kNeg ? Neg(args[0]) : Not(args[0]);
    default:
      break;
  }
  ExprNode node = *e;
  node.args = std::move(args);
  if (node.kind == ExprKind::kCall) {
    int lanes = 1;
    for (const Expr& a : node.args) lanes = std::max(lanes, a.lanes());
    node.type.lanes = lanes;
  }
  return Expr(std::make_shared<const ExprNode>(std::move(node)));
}

Stmt MapParts(const Stmt& s, const ExprFn& expr_fn, const StmtFn& stmt_fn) {
  const auto map = [&](const Expr& e) { return e ? expr_fn(e) : e; };
  Expr min = map(s->min), extent = map(s->extent), value = map(s->value);
  std::vector<Expr> indices = Mapped(s->indices, expr_fn);
  std::vector<Stmt> body = Mapped(s->body, stmt_fn);
  if (min.get() == s->min.get() && extent.get() == s->extent.get() &&
      value.get() == s->value.get() && indices.empty() && body.empty()) {
    return s;
  }
  StmtNode node = *s;
  node.min = std::move(min), node.extent = std::move(extent), node.value = std::move(value);
  if (!indices.empty()) node.indices = std::move(indices);
  if (!body.empty()) node.body = std::move(body);
  switch (node.kind) {
    case StmtKind::kFor:
      return node.body[0] ? For(node.var, node.min, node.extent, node.loop, node.body[0]) : Stmt();
    case StmtKind::kAlloc:
      return node.body[0] ? Alloc(node.buffer, node.body[0]) : Stmt();
    case StmtKind::kSeq: {
      Stmt seq = Seq(std::move(node.body));
      return seq->kind == StmtKind::kSeq && seq->body.empty() ? Stmt() : seq;
    }
    case StmtKind::kIf: {
      const Stmt other = node.body.size() > 1 ? node.body[1] : Stmt();
      if (node.body[0]) return If(node.value, node.body[0], other);
      return other ? If(Not(node.value), other) : Stmt();
    }
    case StmtKind::kStore:
      return Store(node.buffer, node.indices, node.value);
    case StmtKind::kEval:
      return Eval(node.value);
    case StmtKind::kPrefetch:
      return Prefetch(node.buffer, node.indices);
  }
  return s;
}

Expr Rewrite(const Expr& e, const ExprFn& fn) {
  return fn(MapOperands(e, [&](const Expr& a) { return Rewrite(a, fn); }));
}

Stmt RewriteExprs(const Stmt& s, const ExprFn& fn) {
  return MapParts(
      s, [&](const Expr& e) { return Rewrite(e, fn); },
      [&](const Stmt& b) { return RewriteExprs(b, fn); });
}

Expr Substitute(const Expr& e, const VarMap& map) {
  if (map.empty()) return e;
  return Rewrite(e, [&](const Expr& x) {
    if (x->kind != ExprKind::kVar) return x;
    auto it = map.find(x.get());
    return it == map.end() ? x : it->second;
  });
}

Stmt Substitute(const Stmt& s, const VarMap& map) {
  if (map.empty()) return s;
  return MapParts(
      s, [&](const Expr& e) { return Substitute(e, map); },
      [&](const Stmt& b) { return Substitute(b, map); });
}

void VisitStmts(const Stmt& s, const std::function<void(const Stmt&)>& fn) {
  fn(s);
  for (const Stmt& b : s->body) VisitStmts(b, fn);
}

int64_t CountWork(const Stmt& s) {
  int64_t n =
      s->kind == StmtKind::kStore || s->kind == StmtKind::kEval || s->kind == StmtKind::kPrefetch;
  for (const Stmt& b : s->body) n += CountWork(b);
  return n;
}

std::vector<Expr> DirectExprs(const Stmt& s) {
  std::vector<Expr> all;
  for (const Expr& e : {s->min, s->extent, s->value}) {
    if (e) all.push_back(e);
  }
  all.insert(all.end(), s->indices.begin(), s->indices.end());
  return all;
}

Stmt FreshCopy(const Stmt& s, VarMap vars, BufferMap buffers) {
  VisitStmts(s, [&](const Stmt& x) {
    if (x->kind == StmtKind::kFor) vars[x->var.get()] = Var(x->var->name);
    if (x->kind == StmtKind::kAlloc) buffers[x->buffer.get()] = MakeBuffer(*x->buffer);
  });
  auto buffer = [&](const Buffer& b) {
    auto it = buffers.find(b.get());
    return it == buffers.end() ? b : it->second;
  };
  auto expr = [&](const Expr& e) {
    return Rewrite(e, [&](const Expr& x) {
      if (x->kind == ExprKind::kLoad) return Load(buffer(x->buffer), x->args);
      auto it = vars.find(x.get());
      return it == vars.end() ? x : it->second;
    });
  };
  std::function<Stmt(const Stmt&)> stmt = [&](const Stmt& x) -> Stmt {
    const Stmt y = MapParts(x, expr, stmt);
    switch (y->kind) {
      case StmtKind::kFor:
        return For(vars.at(x->var.get()), y->min, y->extent, y->loop, y->body[0]);
      case StmtKind::kStore:
        return Store(buffer(y->buffer), y->indices, y->value);
      case StmtKind::kPrefetch:
        return Prefetch(buffer(y->buffer), y->indices);
      case StmtKind::kAlloc:
        return Alloc(buffer(y->buffer), y->body[0]);
      default:
        return y;
    }
  };
  return stmt(s);
}

void PartsOf(const Expr& condition, std::vector<Expr>* parts) {
  if (condition->kind == ExprKind::kBin && condition->bin() == BinOp::kAnd) {
    for (const Expr& part : condition->args) PartsOf(part, parts);
  } else {
    parts->push_back(condition);
  }
}

bool UsesVar(const Expr& e, const Expr& var) {
  if (e.get() == var.get()) return true;
  for (const Expr& a : e->args) {
    if (UsesVar(a, var)) return true;
  }
  return false;
}

bool UsesVar(const Expr& e, const VarSet& vars) {
  return Contains(e, [&](const Expr& x) { return vars.contains(x.get()); });
}

bool UsesVar(const Stmt& s, const Expr& var) {
  for (const Expr& e : DirectExprs(s)) {
    if (UsesVar(e, var)) return true;
  }
  for (const Stmt& b : s->body) {
    if (UsesVar(b, var)) return true;
  }
  return false;
}

}  // namespace tessera::ir
