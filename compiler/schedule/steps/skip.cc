// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/flat_map.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {
namespace {

using ir::Expr;
using ir::ExprKind;

bool Has(const std::vector<Expr>& conditions, const Expr& condition) {
  return std::ranges::any_of(conditions, [&](const Expr& c) { return ir::Equal(c, condition); });
}

std::vector<Expr> PartsOf(const Expr& select) {
  std::vector<Expr> parts;
  ir::PartsOf(select->args[0], &parts);
  return parts;
}

// The term that a sum adds, with the expressions of the stages that it reads.
class AddedTerm {
 public:
  AddedTerm(const Schedule& schedule, const Expr& added) : schedule_(schedule), added_(added) {}

  // The conditions of selects that use |var|.
  std::vector<Expr> AskedAbout(const Expr& var) const {
    std::vector<Expr> asked;
    Collect(added_, var, &asked);
    return asked;
  }

  // Whether the term is 0 where |condition|, one of AskedAbout's, does not hold.
  bool IsZeroWithout(const Expr& condition) const {
    const Expr number = Otherwise(added_, condition);
    return number && ir::IsImmEqual(number, 0);
  }

 private:
  // The expression of the element that |read| reads; null: an input or a reduction has the element.
  Expr ComputedBy(const Expr& read) const {
    const auto known = computed_.find(read.get());
    if (known != computed_.end()) return known->second;
    const Stage& from = *schedule_.Find(read->tensor->name);
    const bool computes = !from.placeholder && from.body->kind != ExprKind::kReduce;
    return computed_.emplace(read.get(), computes ? from.ValueAt(read->args) : Expr{})
        .first->second;
  }

  void Collect(const Expr& e, const Expr& var, std::vector<Expr>* asked) const {
    ir::Visit(e, [&](const Expr& x) {
      if (x->kind == ExprKind::kTensorRead && ir::UsesVar(x, var)) {
        if (const Expr value = ComputedBy(x)) Collect(value, var, asked);
      }
      if (x->kind != ExprKind::kSelect) return;
      for (const Expr& part : PartsOf(x)) {
        if (ir::UsesVar(part, var) && !Has(*asked, part)) asked->push_back(part);
      }
    });
  }

  // The number that |e| equals where |condition| does not hold; null: no number is known.
  Expr Otherwise(const Expr& e, const Expr& condition) const {
    switch (e->kind) {
      case ExprKind::kImm:
        return e;
      case ExprKind::kSelect: {
        const Expr other = Otherwise(e->args[2], condition);
        if (!other || Has(PartsOf(e), condition)) return other;
        const Expr number = Otherwise(e->args[1], condition);
        return number && ir::Equal(number, other) ? number : Expr{};
      }
      case ExprKind::kTensorRead: {
        const Expr value = ComputedBy(e);
        return value ? Otherwise(value, condition) : Expr{};
      }
      case ExprKind::kUn:
      case ExprKind::kBin:
        break;
      default:
        return {};
    }
    std::vector<Expr> numbers;
    for (const Expr& arg : e->args) numbers.push_back(Otherwise(arg, condition));
    const auto zero = [](const Expr& n) { return n && ir::IsImmEqual(n, 0); };
    const bool product = e->kind == ExprKind::kBin && e->bin() == ir::BinOp::kMul;
    if (product && !IsFloat(e.dtype()) && std::ranges::any_of(numbers, zero))
      return ir::Imm(e.dtype(), 0);
    if (!std::ranges::all_of(numbers, [](const Expr& n) { return bool(n); })) return {};
    size_t next = 0;
    const Expr number =
        ir::Simplify(ir::MapOperands(e, [&](const Expr&) { return numbers[next++]; }));
    return number->kind == ExprKind::kImm ? number : Expr{};
  }

  const Schedule& schedule_;
  const Expr& added_;
  mutable FlatMap<const ir::ExprNode*, Expr> computed_;  // ComputedBy's, by read
};

bool SumsIntegers(const Stage& stage) {
  return stage.body->kind == ExprKind::kReduce && stage.body->reduce() == ir::ReduceOp::kSum &&
         !IsFloat(stage.dtype);
}

}  // namespace

std::vector<Expr> Schedule::NothingUnless(const Stage& stage, const ir::Axis& axis) const {
  if (!SumsIntegers(stage)) return {};
  const AddedTerm term(*this, stage.body->args[0]);
  std::vector<Expr> asked = term.AskedAbout(axis.var);
  ir::Ranges ranges;
  for (const std::vector<ir::Axis>* axes : {&stage.axes, &stage.reduce_axes}) {
    for (const ir::Axis& a : *axes) ranges.Set(a);
  }
  std::erase_if(asked,
                [&](const Expr& c) { return ir::ProveTrue(c, ranges) || !term.IsZeroWithout(c); });
  return asked;
}

Status Apply(const SkipStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  if (!SumsIntegers(*stage)) {
    return Fail(Code::kInvalidArgument,
                "{} is no sum of integers: of others each iteration counts, adding 0 too",
                step.stage);
  }
  const auto axis = std::ranges::find(stage->reduce_axes, step.axis, &ir::Axis::name);
  if (axis == stage->reduce_axes.end()) {
    std::string axes;
    for (const ir::Axis& a : stage->reduce_axes) axes += " " + a.name();
    return Fail(Code::kNotFound, "{} sums over no axis {}; it has{}", step.stage, step.axis, axes);
  }
  std::vector<Expr> unless = editor.schedule().NothingUnless(*stage, *axis);
  if (unless.empty()) {
    return Fail(Code::kInvalidArgument,
                "no condition on {} is known to make what {} adds 0: pads that are 0 have one, an "
                "input's are not seen",
                step.axis, step.stage);
  }
  std::erase_if(unless, [&](const Expr& c) { return Has(stage->skips, c); });
  if (unless.empty()) {
    return Fail(Code::kInvalidArgument, "{} leaves out such iterations of {} already", step.stage,
                step.axis);
  }
  stage->skips.insert(stage->skips.end(), unless.begin(), unless.end());
  return {};
}

}  // namespace tessera::schedule
