// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/match.h"

#include "compiler/ir/visit.h"

namespace tessera::schedule::accel {

using ir::BinOp;
using ir::Expr;
using ir::ExprKind;

ir::Expr InlineStages(const Expr& e) {
  return ir::Rewrite(e, [](const Expr& x) {
    if (x->kind != ExprKind::kTensorRead) return x;
    const te::Tensor tensor = te::TensorOf(x);
    if (tensor->placeholder || !tensor->reduce_axes.empty()) return x;
    ir::VarMap map;
    for (size_t d = 0; d < tensor->axes.size(); ++d) map[tensor->axes[d].var.get()] = x->args[d];
    return ir::Substitute(InlineStages(tensor->body), map);
  });
}

bool IsDifference(const Expr& e) {
  return IsBin(e, BinOp::kSub) && e.dtype() == DType::kInt32 && e->args[1]->kind != ExprKind::kImm;
}

Expr SumsOfNegated(const Expr& e) {
  return ir::Rewrite(e, [](const Expr& x) {
    return IsDifference(x) ? x->args[0] + x->args[1] * ir::Imm(DType::kInt32, -1) : x;
  });
}

Expr PeelConstant(Expr e, int64_t* sum) {
  *sum = 0;
  for (;;) {
    int64_t value = 0;
    if (IsBin(e, BinOp::kAdd) && ir::IsImm(e->args[1], &value)) {
      *sum += value;
      e = Expr(e->args[0]);
    } else if (IsBin(e, BinOp::kAdd) && ir::IsImm(e->args[0], &value)) {
      *sum += value;
      e = Expr(e->args[1]);
    } else if (IsBin(e, BinOp::kSub) && ir::IsImm(e->args[1], &value)) {
      *sum -= value;
      e = Expr(e->args[0]);
    } else {
      return e;
    }
  }
}

IndexForms::IndexForms(const te::Tensor& stage) {
  auto add = [&](const ir::Axis& axis) {
    ranges_.Set(axis);
    if (axis.extent == 1) single_.push_back(axis);
  };
  for (const ir::Axis& a : stage->axes) add(a);
  for (const ir::Axis& a : stage->reduce_axes) add(a);
}

ir::Linear IndexForms::Of(const Expr& e) const {
  ir::VarMap map;
  for (const ir::Axis& a : single_) map[a.var.get()] = Expr(a.min);
  return ir::ToLinear(ir::Substitute(e, map), ranges_);
}

std::optional<Source> MatchSource(const Expr& e) {
  int64_t sum = 0;
  const Expr body = PeelConstant(e, &sum);
  if (sum != 0) {
    std::optional<Source> source = MatchSource(body);
    if (source) source->zero -= sum;
    return source;
  }
  if (body->kind == ExprKind::kTensorRead && body.dtype() == DType::kInt8)
    return Source{body, {}, 0, 0};
  if (IsCast(body, DType::kInt32)) {
    return body->args[0].dtype() == DType::kInt8 ? MatchSource(body->args[0]) : std::nullopt;
  }
  int64_t pad = 0;
  if (body->kind == ExprKind::kSelect && ir::IsImm(body->args[2], &pad)) {
    std::optional<Source> source = MatchSource(body->args[1]);
    if (!source || source->condition) return std::nullopt;
    source->condition = body->args[0];
    source->pad = pad + source->zero;
    return source;
  }
  return std::nullopt;
}

}  // namespace tessera::schedule::accel
