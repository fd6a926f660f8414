// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/bits.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {
namespace {

std::unexpected<Error> Bad(const AlignStep& step, const std::string& why) {
  return Fail(Code::kInvalidArgument, "{} reads {}: {}", step.stage, step.tensor, why);
}

// Whether |index| of the step's tensor has an axis of the output that another tensor's index has.
bool IsShared(const AlignStep& step, const Stage& stage, const ir::Expr& index) {
  bool shared = false;
  ir::Visit(stage.body->args[0], [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead || e->tensor->name == step.tensor) return;
    for (const ir::Axis& a : stage.axes) {
      shared |= ir::UsesVar(index, a.var) &&
                std::ranges::any_of(
                    e->args, [&](const ir::Expr& other) { return ir::UsesVar(other, a.var); });
    }
  });
  return shared;
}

// The index that moves with |axis|, and its dimension of the tensor.
struct AlignedIndex {
  size_t dim = 0;
  ir::Expr index;
};
Result<AlignedIndex> IndexWith(const AlignStep& step, const Stage& stage, const ir::Axis& axis) {
  AlignedIndex found;
  std::string wrong;
  bool reads = false;
  ir::Visit(stage.body->args[0], [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead || e->tensor->name != step.tensor) return;
    if (std::exchange(reads, true)) {
      wrong = "in more than one place";
      return;
    }
    const bool uses = std::ranges::any_of(
        e->args, [&](const ir::Expr& index) { return ir::UsesVar(index, axis.var); });
    for (size_t d = 0; d < e->args.size(); ++d) {
      // The index may lack an axis of one iteration.
      const bool moves = uses ? ir::UsesVar(e->args[d], axis.var)
                              : axis.extent == 1 && IsShared(step, stage, e->args[d]);
      if (!moves) continue;
      if (found.index) wrong = fmt::format("{} is in more than one index", step.axis);
      found = {d, e->args[d]};
    }
  });
  if (!wrong.empty()) return Bad(step, wrong);
  if (!found.index) return Bad(step, fmt::format("{} is in none of its indices", step.axis));
  return found;
}

}  // namespace

Status Apply(const AlignStep& step, Editor& editor) {
  TESSERA_ASSIGN(Stage * stage, editor.EditCompute(step.stage));
  TESSERA_ASSIGN(const Stage* source, editor.FindStage(step.tensor));
  TESSERA_ASSIGN(const int at, editor.FindLeaf(*stage, step.axis));
  TESSERA_ASSIGN(const int64_t n, editor.Value(step.multiple));
  LoopAxis& leaf = stage->leaves[static_cast<size_t>(at)];
  const auto axis = std::ranges::find_if(
      stage->reduce_axes, [&](const ir::Axis& a) { return a.var.get() == leaf.var.get(); });
  const bool fresh = stage->relations.empty() && stage->conditions.empty() && stage->skips.empty();
  if (axis == stage->reduce_axes.end() || !fresh) {
    return Fail(Code::kInvalidArgument, "{} has been scheduled, or {} is no axis of its reduction",
                step.stage, step.axis);
  }
  ir::Ranges ranges;
  for (const ir::Axis& a : stage->axes) ranges.Set(a);
  for (const ir::Axis& a : stage->reduce_axes) ranges.Set(a);
  TESSERA_ASSIGN(const AlignedIndex read, IndexWith(step, *stage, *axis));
  // index = begin(output) + axis
  ir::Linear form = ir::ToLinear(read.index, ranges);
  if (axis->extent > 1 && form.CoeffOf(axis->var) != 1)
    return Bad(step, "the index does not step by 1");
  const ir::Expr begin =
      ir::Simplify(ir::Substitute(read.index, {{axis->var.get(), ir::Expr(0)}}), ranges);
  const ir::Axis* output = nullptr;
  int used = 0;
  for (const ir::Axis& a : stage->axes) {
    if (!ir::UsesVar(begin, a.var)) continue;
    output = &a;
    ++used;
  }
  for (const ir::Axis& a : stage->reduce_axes) used += ir::UsesVar(begin, a.var) ? 2 : 0;
  if (used > 1) return Bad(step, "more than one output's index says where it begins");
  const auto begin_at = [&](int64_t k) {
    const Result<int64_t> value = ir::EvalInt(
        output == nullptr ? begin : ir::Substitute(begin, {{output->var.get(), ir::Expr(k)}}));
    TESSERA_CHECK(value.has_value());
    return *value;
  };
  // The most multiples of |n| that |n| neighbours need together.
  const int64_t outputs = output == nullptr ? 1 : output->extent;
  const int64_t all = CeilDiv(source->shape[read.dim], n);
  int64_t blocks = 1;
  for (int64_t k = 0; k < outputs; ++k) {
    const int64_t first = begin_at(k / n * n) / n, own = begin_at(k) + axis->min,
                  last = begin_at(k) + axis->min + axis->extent - 1;
    if (own < first * n || last >= all * n)
      return Bad(step, "outputs do not begin in the order of their index, or beyond the tensor");
    blocks = std::max(blocks, last / n - first + 1);
  }
  ir::Expr first(0);
  if (blocks < all) {
    const ir::Expr neighbour =
        output == nullptr
            ? begin
            : ir::Substitute(begin, {{output->var.get(),
                                      ir::FloorDiv(output->var, ir::Expr(n)) * ir::Expr(n)}});
    first = ir::Min(ir::FloorDiv(neighbour, ir::Expr(n)), ir::Expr(all - blocks)) * ir::Expr(n);
  }
  const ir::Axis whole{ir::Var(step.axis), 0, blocks * n};
  const ir::Expr from = first + whole.var;  // the tensor's index
  const ir::Expr own = from - begin;        // the value of the old axis
  stage->conditions.push_back(ir::Le(ir::Expr(axis->min), own));
  stage->conditions.push_back(ir::Lt(own, ir::Expr(axis->min + axis->extent)));
  ir::Expr value =
      ReplaceReads(stage->body->args[0], step.tensor, [&](std::vector<ir::Expr> indices) {
        indices[read.dim] = from;
        return ir::TensorRead(TensorLike(*source, step.tensor), indices);
      });
  value = ir::Substitute(value, {{axis->var.get(), own}});
  leaf.var = whole.var;
  *axis = whole;
  stage->body = ir::Reduce(stage->body->reduce(), value, stage->reduce_axes, stage->body->start());
  return {};
}

}  // namespace tessera::schedule
