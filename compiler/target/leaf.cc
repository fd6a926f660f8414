// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/leaf.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/ir/index_value.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"

namespace tessera::target {

using ir::BinOp;
using ir::Expr;
using ir::ExprKind;
using ir::StmtKind;

int64_t Evaluate(const Expr& e, const Env& env) {
  switch (e->kind) {
    case ExprKind::kImm:
      return e->ivalue;
    case ExprKind::kVar: {
      const auto found = env.find(e.get());
      TESSERA_CHECK(found != env.end(), "variable {} has no value", e->name);
      return found->second;
    }
    case ExprKind::kSelect:
      return Evaluate(e->args[Evaluate(e->args[0], env) != 0 ? 1 : 2], env);
    case ExprKind::kUn: {
      const int64_t value = Evaluate(e->args[0], env);
      if (e->un() == ir::UnOp::kNot) return value == 0;
      if (e->un() == ir::UnOp::kNeg) return -value;
      TESSERA_CHECK(e.dtype() == DType::kInt64, "no index expression: {}", ir::Print(e));
      return value;  // a condition as a number
    }
    case ExprKind::kBin:
      break;
    default:
      TESSERA_CHECK(false, "no index expression: {}", ir::Print(e));
  }
  const int64_t a = Evaluate(e->args[0], env);
  if (e->bin() == BinOp::kAnd && e.dtype() == DType::kBool && a == 0) return 0;
  return ir::IndexValue(e->bin(), a, Evaluate(e->args[1], env));
}

std::optional<Leaf> MatchLeaf(const ir::Stmt& s) {
  const auto call = [](const ir::Stmt& e) {
    return e->kind == StmtKind::kEval && e->value->kind == ExprKind::kCall;
  };
  // Most statements are not leaves: look at the innermost statement before anything is copied.
  const ir::Stmt* inner = &s;
  const auto guards = [](const ir::Stmt& e) {
    return e->kind == StmtKind::kIf && e->body.size() == 1;
  };
  while ((*inner)->kind == StmtKind::kFor || guards(*inner)) inner = &(*inner)->body[0];
  const bool pads =
      (*inner)->kind == StmtKind::kIf && call((*inner)->body[0]) && call((*inner)->body[1]);
  if (!pads && !call(*inner)) return std::nullopt;
  Leaf leaf;
  for (const ir::Stmt* at = &s; at != inner; at = &(*at)->body[0]) {
    if ((*at)->kind == StmtKind::kIf) {
      leaf.guards.push_back((*at)->value);
    } else {
      if (!ir::IsImmEqual((*at)->min, 0)) return std::nullopt;
      leaf.loops.push_back({(*at)->var, (*at)->extent});
    }
  }
  if (pads) {
    leaf.condition = (*inner)->value;
    leaf.call = (*inner)->body[0]->value;
    leaf.fill = (*inner)->body[1]->value;
  } else {
    leaf.call = (*inner)->value;
  }
  return leaf;
}

namespace {

// Narrows the range of the only loop that |condition| uses; false: several loops, or no range.
bool Narrow(const Expr& condition, SolvedLeaf& solved, Env& env) {
  if (condition->kind == ExprKind::kBin && condition->bin() == BinOp::kAnd)
    return Narrow(condition->args[0], solved, env) && Narrow(condition->args[1], solved, env);
  LeafDim* dim = nullptr;
  const Expr* var = nullptr;
  for (size_t k = 0; k < solved.vars.size(); ++k) {
    if (!ir::UsesVar(condition, solved.vars[k])) continue;
    if (dim != nullptr) return false;
    dim = &solved.dims[k];
    var = &solved.vars[k];
  }
  if (dim == nullptr) {
    solved.outside |= Evaluate(condition, env) == 0;
    return true;
  }
  int64_t first = dim->extent, last = 0;
  bool gap = false;
  for (int64_t k = 0; k < dim->extent; ++k) {
    env[var->get()] = k;
    if (Evaluate(condition, env) == 0) continue;
    gap |= last > first && last != k;
    first = std::min(first, k);
    last = k + 1;
  }
  env[var->get()] = 0;
  dim->first = std::max(dim->first, first);
  dim->last = std::min(dim->last, last);
  solved.outside |= dim->first >= dim->last;
  return !gap;
}

// Whether |guard| depends on one of the two innermost loops of the first operand's box.
bool NarrowsRows(const Expr& guard, const SolvedLeaf& solved) {
  for (size_t k = 0; k < solved.dims.size(); ++k) {
    if (!ir::UsesVar(guard, solved.vars[k])) continue;
    const int64_t own = solved.dims[k].strides[0];
    return std::ranges::count_if(solved.dims,
                                 [&](const LeafDim& d) { return d.strides[0] < own; }) < 2;
  }
  return false;
}

// Restricts |solved| to the iterations in which |guards| hold. |padded|: pads are added afterwards.
bool Cut(const std::vector<Expr>& guards, bool padded, SolvedLeaf& solved, Env& env) {
  for (const Expr& guard : guards) {
    if (!Narrow(guard, solved, env)) return false;
  }
  solved.empty |= solved.outside;
  for (size_t k = 0; k < solved.dims.size() && !solved.empty; ++k) {
    LeafDim& dim = solved.dims[k];
    if (dim.whole()) continue;
    // The first step of a reduction and the pads are determined by the original loops.
    if (dim.first != 0 && (dim.strides[0] == 0 || padded)) return false;
    for (size_t op = 0; op < solved.operands.size(); ++op)
      solved.operands[op].base += dim.first * dim.strides[op];
    dim.extent = dim.last - dim.first;
    dim.first = 0, dim.last = dim.extent;
  }
  return true;
}

// Adds |factor| * |e| to |base|, and its growth with each loop of |solved| to the strides of
// operand |op|. False: |e| is not written as a sum of multiples of the loops' variables.
bool AddSteps(const Expr& e, int64_t factor, size_t op, const Env& env, SolvedLeaf& solved,
              int64_t* base) {
  const auto add = [&](const Expr& part, int64_t by) {
    return AddSteps(part, by, op, env, solved, base);
  };
  const std::vector<Expr>& vars = solved.vars;
  const auto is_e = [&](const Expr& var) { return var.get() == e.get(); };
  int64_t number = 0;
  if (e->kind == ExprKind::kVar) {
    const auto loop = std::ranges::find_if(vars, is_e) - vars.begin();
    if (loop < std::ssize(vars)) {
      solved.dims[static_cast<size_t>(loop)].strides[op] += factor;
      return true;
    }
  } else if (e->kind == ExprKind::kBin && e->bin() == BinOp::kAdd) {
    return add(e->args[0], factor) && add(e->args[1], factor);
  } else if (e->kind == ExprKind::kBin && e->bin() == BinOp::kSub) {
    return add(e->args[0], factor) && add(e->args[1], -factor);
  } else if (e->kind == ExprKind::kBin && e->bin() == BinOp::kMul &&
             ir::IsImm(e->args[1], &number)) {
    return add(e->args[0], factor * number);
  } else if (std::ranges::any_of(vars, [&](const Expr& var) { return ir::UsesVar(e, var); })) {
    return false;
  }
  *base += factor * Evaluate(e, env);
  return true;
}

// The place of operand |load| in the first iteration of |solved|, whose variables are 0 in |env|.
// Sets its strides. Nothing: the place is no sum of multiples of the loops.
std::optional<LeafOperand> SolveOperand(const Expr& load, Env& env, SolvedLeaf& solved) {
  TESSERA_CHECK(load->buffer->layout.empty());
  const std::vector<int64_t> strides = ir::PhysicalStrides(*load->buffer);
  const size_t op = solved.operands.size();
  TESSERA_CHECK(op < kMostOperands);
  LeafOperand operand{load->buffer, 0, {}};
  bool sum = true;
  for (size_t d = 0; d < strides.size() && sum; ++d)
    sum = AddSteps(load->args[d], strides[d], op, env, solved, &operand.base);
  if (sum) return operand;
  // The place may still be affine: its values decide.
  const auto offset = [&] {
    int64_t at = 0;
    for (size_t d = 0; d < strides.size(); ++d) at += Evaluate(load->args[d], env) * strides[d];
    return at;
  };
  operand.base = offset();
  int64_t far = operand.base;
  for (size_t k = 0; k < solved.dims.size(); ++k) {
    int64_t& value = env[solved.vars[k].get()];
    LeafDim& dim = solved.dims[k];
    value = 1;
    dim.strides[op] = offset() - operand.base;
    value = 0;
    far += dim.strides[op] * (dim.extent - 1);
  }
  for (size_t k = 0; k < solved.dims.size(); ++k)
    env[solved.vars[k].get()] = solved.dims[k].extent - 1;
  const bool affine = offset() == far;
  for (const Expr& var : solved.vars) env[var.get()] = 0;
  if (!affine) return std::nullopt;
  return operand;
}

}  // namespace

std::optional<SolvedLeaf> Solve(const Leaf& leaf, Env& env) {
  SolvedLeaf solved;
  for (const Leaf::LeafLoop& loop : leaf.loops) {
    const int64_t extent = Evaluate(loop.extent, env);
    env[loop.var.get()] = 0;
    solved.empty |= extent <= 0;
    if (extent <= 1) continue;
    solved.dims.push_back({extent, {}, 0, extent});
    solved.vars.push_back(loop.var);
  }
  if (solved.empty) return solved;
  for (const Expr& arg : leaf.call->args) {
    if (arg->kind != ExprKind::kLoad) {
      solved.values.push_back(Evaluate(arg, env));
      continue;
    }
    const std::optional<LeafOperand> operand = SolveOperand(arg, env, solved);
    if (!operand) return std::nullopt;
    solved.operands.push_back(*operand);
  }
  // A guard that cuts rows of a padded box, or elements of them, leaves space that nothing reads:
  // pads fill it in the same sweep.
  std::vector<Expr> cuts, pads;
  for (const Expr& guard : leaf.guards)
    (leaf.condition && NarrowsRows(guard, solved) ? pads : cuts).push_back(guard);
  if (!cuts.empty() && !Cut(cuts, leaf.condition.has_value(), solved, env)) return std::nullopt;
  if (solved.empty) return solved;
  if (leaf.condition) pads.push_back(*leaf.condition);
  for (const Expr& pad : pads) {
    if (!Narrow(pad, solved, env)) return std::nullopt;
  }
  return solved;
}

namespace {

bool Continues(const LeafDim& outer, const LeafDim& inner) {
  if (!outer.whole() || !inner.whole()) return false;
  for (size_t k = 0; k < outer.strides.size(); ++k) {
    if (outer.strides[k] != inner.strides[k] * inner.extent) return false;
  }
  return true;
}

}  // namespace

void Fold(std::vector<LeafDim>& dims, bool ordered) {
  for (size_t a = 0; a < dims.size(); ++a) {
    for (size_t b = 0; b < dims.size(); ++b) {
      if (a == b || (ordered && b != a + 1) || !Continues(dims[a], dims[b])) continue;
      dims[b].extent *= dims[a].extent;
      dims[b].last = dims[b].extent;
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(a));
      return Fold(dims, ordered);
    }
  }
}

Status ForPieces(std::vector<LeafDim> dims, const LoopLimits& limits, size_t operands,
                 const EmitPiece& emit) {
  // The longest loops that fit become hardware loops; all others are unrolled, in order.
  std::vector<size_t> order(dims.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return dims[a].extent > dims[b].extent; });
  std::vector<bool> hardware(dims.size(), false);
  size_t used = 0;
  for (size_t k : order) {
    if (used == limits.loops) break;
    bool fits = true;
    for (size_t op = 0; op < operands; ++op) fits &= dims[k].strides[op] <= limits.strides[op];
    if (!fits) continue;
    hardware[k] = true;
    ++used;
  }
  std::vector<int64_t> offsets(operands, 0);
  std::vector<LeafDim> loops;
  std::function<Status(size_t)> visit = [&](size_t k) -> Status {
    if (k == dims.size()) return emit(offsets, loops);
    const LeafDim& dim = dims[k];
    const int64_t step = hardware[k] ? limits.extent : 1;
    for (int64_t at = 0; at < dim.extent; at += step) {
      for (size_t op = 0; op < operands; ++op) offsets[op] += at * dim.strides[op];
      if (hardware[k]) {
        LeafDim piece = dim;
        piece.extent = std::min(step, dim.extent - at);
        piece.first = 0, piece.last = piece.extent;
        loops.push_back(piece);
      }
      Status status = visit(k + 1);
      if (hardware[k]) loops.pop_back();
      for (size_t op = 0; op < operands; ++op) offsets[op] -= at * dim.strides[op];
      if (!status) return status;
    }
    return {};
  };
  return visit(0);
}

}  // namespace tessera::target
