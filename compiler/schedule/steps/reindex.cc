// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/bits.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {
namespace {

// The indices of |reader|'s reads of |tensor|, over its data axes and the loops of its reduction.
// All reads must have the same indices.
Result<std::vector<ir::Expr>> PlaceOfReads(const Stage& reader, const std::string& tensor,
                                           const ir::VarMap& roots) {
  std::vector<ir::Expr> place;
  bool one = true;
  ir::Visit(reader.body, [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead || e->tensor->name != tensor) return;
    for (size_t d = 0; one && d < place.size(); ++d) one = ir::Equal(place[d], e->args[d]);
    place = e->args;
  });
  if (place.empty())
    return Fail(Code::kInvalidArgument, "{} does not read {}", reader.name, tensor);
  if (!one) {
    return Fail(Code::kInvalidArgument, "{} reads {} at more than one place", reader.name, tensor);
  }
  for (ir::Expr& index : place) index = ir::Substitute(index, roots);
  return place;
}

// The copy has the elements by loops of the reduction. The start of the sum is outside these loops.
Status RequireNotInStart(const Stage& reader, const ReindexStep& step) {
  if (!reader.StartReads(step.tensor)) return {};
  return Fail(Code::kInvalidArgument,
              "the sum {} starts at what it reads of {}; reindex is for what is summed, cache_read "
              "copies {} for both",
              step.reader, step.tensor, step.tensor);
}

// The conditions that keep iterations before the end of |reader|'s reduction, padded splits' too.
std::vector<ir::Expr> InsideOfReduction(const Stage& reader, const LoopCounts& iterations) {
  std::vector<ir::Expr> inside;
  std::vector<ir::Expr> guards = reader.GuardsOf(reader.AxesOfLeaves(iterations), iterations);
  for (const ir::Expr& end : reader.PaddedEnds(iterations)) guards.push_back(end);
  for (const ir::Expr& guard : guards) {
    const bool reduced = std::ranges::any_of(reader.leaves, [&](const LoopAxis& leaf) {
      return leaf.reduce && ir::UsesVar(guard, leaf.var);
    });
    if (reduced) inside.push_back(guard);
  }
  return inside;
}

// The conditions of InsideOfReduction whose loops are all axes of the copy, in variables of the
// copy (|own|).
//   errors  kInvalidArgument  a loop runs behind its end along a kept dimension
Result<std::vector<ir::Expr>> EndsOf(const ReindexStep& step, const Stage& reader,
                                     const LoopCounts& iterations,
                                     const std::vector<ir::Expr>& place, const ir::VarMap& own) {
  std::vector<ir::Expr> ends;
  for (const ir::Expr& guard : InsideOfReduction(reader, iterations)) {
    bool chooses = true;
    for (const LoopAxis& leaf : reader.leaves) {
      if (!ir::UsesVar(guard, leaf.var) || own.contains(leaf.var.get())) continue;
      chooses = false;
      const bool moves = std::ranges::any_of(
          place, [&](const ir::Expr& index) { return ir::UsesVar(index, leaf.var); });
      if (!moves) continue;
      return Fail(Code::kInvalidArgument,
                  "{} of {} runs behind its end and moves along a dimension that {} keeps; choose "
                  "factors that divide",
                  leaf.name, step.reader, step.name);
    }
    if (chooses) ends.push_back(ir::Substitute(guard, own));
  }
  return ends;
}

// Checks that |reach|, the bounds of an index, is inside dimension |d| of |source|.
Status RequireInside(const ReindexStep& step, const Stage& source, size_t d,
                     const ir::Interval& reach) {
  if (reach.known() && reach.lo >= 0 && reach.hi < source.shape[d]) return {};
  return Fail(Code::kInvalidArgument,
              "{} reads {} outside of it under a condition, in dimension {}; say what is there, "
              "as in '{} 0', or choose factors that divide",
              step.reader, step.tensor, d, Print(step));
}

// The indices in |place| of the dimensions that the step does not keep.
//   errors  kInvalidArgument  the step keeps a dimension that |place| lacks
Result<std::vector<ir::Expr>> ChosenOf(const ReindexStep& step,
                                       const std::vector<ir::Expr>& place) {
  for (const int64_t d : step.keep.dims) {
    if (d >= 0 && d < std::ssize(place)) continue;
    return Fail(Code::kInvalidArgument, "{} has no dimension {} to keep; it has {}", step.tensor, d,
                place.size());
  }
  std::vector<ir::Expr> chosen;
  for (size_t d = 0; d < place.size(); ++d) {
    if (std::ranges::count(step.keep.dims, static_cast<int64_t>(d)) == 0)
      chosen.push_back(place[d]);
  }
  return chosen;
}

// Whether |tensor| is a factor of |e|: |e| is 0 where the tensor's element is.
bool IsFactor(const ir::Expr& e, const std::string& tensor) {
  if (!ir::IsInt(e.dtype())) return false;
  if (e->kind == ir::ExprKind::kTensorRead) return e->tensor->name == tensor;
  if (e->kind == ir::ExprKind::kUn && e->un() == ir::UnOp::kCast)
    return IsFactor(e->args[0], tensor);
  return e->kind == ir::ExprKind::kBin && e->bin() == ir::BinOp::kMul &&
         (IsFactor(e->args[0], tensor) || IsFactor(e->args[1], tensor));
}

// Checks that the step's fill is a |dtype|.
Status RequireFits(const ReindexStep& step, DType dtype) {
  if (IsFloat(dtype) || ir::Imm(dtype, *step.fill)->ivalue == *step.fill) return {};
  return Fail(Code::kInvalidArgument, "{} is no {}, which {} is", *step.fill, Text(dtype),
              step.tensor);
}

// Removes and returns the conditions of |reader|'s reduction that zeros in the copy replace.
std::vector<ir::Expr> TakeConditions(const ReindexStep& step, Stage* reader,
                                     const ir::VarMap& roots) {
  const bool sums =
      reader->body->kind == ir::ExprKind::kReduce && ir::IsSum(reader->body->reduce());
  if (step.fill != 0 || !sums || !IsFactor(reader->body->args[0], step.tensor)) return {};
  std::vector<ir::Expr> conditions;
  for (const ir::Expr& c : reader->conditions) conditions.push_back(ir::Substitute(c, roots));
  reader->conditions.clear();
  return conditions;
}

// The period of |chosen| in |var|, which runs from 0 to |extent| - 1: the least n for which all of
// them depend on the remainder of |var| by n alone. Without one it is |extent|.
int64_t PeriodOf(const std::vector<ir::Expr>& chosen, const ir::Expr& var, int64_t extent) {
  std::set<int64_t> divisors;
  for (const ir::Expr& e : chosen) {
    ir::Visit(e, [&](const ir::Expr& x) {
      int64_t n = 0;
      const bool divides = x->kind == ir::ExprKind::kBin &&
                           (x->bin() == ir::BinOp::kDiv || x->bin() == ir::BinOp::kMod);
      if (divides && ir::IsImm(x->args[1], &n) && n < extent && ir::UsesVar(x->args[0], var))
        divisors.insert(n);
    });
  }
  for (const int64_t n : divisors) {
    const ir::Axis periods{ir::Var("q"), 0, CeilDiv(extent, n)}, rest{ir::Var("r"), 0, n};
    ir::Ranges ranges;
    ranges.Set(periods);
    ranges.Set(rest);
    const ir::Expr split = periods.var * ir::Expr(n) + rest.var;
    const bool same = std::ranges::none_of(chosen, [&](const ir::Expr& e) {
      const ir::Expr at = ir::Substitute(e, {{var.get(), split}});
      return ir::UsesVar(ir::Simplify(at, ranges), periods.var);
    });
    if (same) return n;
  }
  return extent;
}

// The copy's value: an element of |source| where all of |inside| hold, |fill| elsewhere.
ir::Expr Filled(const Stage& source, const std::vector<ir::Expr>& indices,
                const std::vector<ir::Expr>& inside, const std::optional<int64_t>& fill) {
  ir::Expr body = ir::TensorRead(TensorLike(source, source.name), indices);
  for (size_t g = inside.size(); g-- > 0;)
    body = ir::Select(inside[g], body, ir::Const(source.dtype, *fill));
  return body;
}

}  // namespace

Status Apply(const ReindexStep& step, Editor& editor) {
  TESSERA_ASSIGN(const Stage* source, editor.FindStage(step.tensor));
  TESSERA_ASSIGN(Stage * reader, editor.EditCompute(step.reader));
  TESSERA_TRY(editor.NewStageName(step.name));
  if (source->attach == Attach::kInline)
    return Fail(Code::kInvalidArgument, "{} was inlined", step.tensor);

  const LoopCounts iterations = reader->Iterations(reader->shape);
  std::vector<ir::Expr> guards;
  const ir::VarMap roots = reader->ReductionOfLeaves(iterations, &guards);
  TESSERA_TRY(RequireNotInStart(*reader, step));
  TESSERA_ASSIGN(const std::vector<ir::Expr> place, PlaceOfReads(*reader, step.tensor, roots));

  const std::vector<ir::Expr> conditions = TakeConditions(step, reader, roots);
  const auto kept = [&](size_t d) {
    return std::ranges::count(step.keep.dims, static_cast<int64_t>(d)) > 0;
  };
  TESSERA_ASSIGN(std::vector<ir::Expr> chosen, ChosenOf(step, place));
  chosen.insert(chosen.end(), conditions.begin(), conditions.end());

  Stage copy;
  copy.name = step.name;
  copy.dtype = source->dtype;
  ir::VarMap own;
  ir::Ranges ranges;
  std::vector<ir::Expr> at;  // of the reader
  std::vector<ir::Expr> indices(place.size());
  const auto keep = [&](size_t d) {
    if (!kept(d) || indices[d]) return;
    std::string name = fmt::format("i{}", d);
    while (reader->LeafIndex(name) >= 0) name += "k";  // the other axes have names of loops
    copy.axes.push_back({ir::Var(name), 0, source->shape[d]});
    copy.leaves.push_back({name, copy.axes.back().var, false});
    copy.shape.push_back(source->shape[d]);
    indices[d] = copy.axes.back().var;
    at.push_back(place[d]);
  };
  const auto add = [&](const ir::Expr& var, const std::string& name, int64_t all) {
    if (std::ranges::none_of(chosen, [&](const ir::Expr& e) { return ir::UsesVar(e, var); }))
      return;
    const int64_t extent = PeriodOf(chosen, var, all);
    copy.axes.push_back({ir::Var(name), 0, extent});
    copy.leaves.push_back({name, copy.axes.back().var, false});
    copy.shape.push_back(extent);
    own[var.get()] = copy.axes.back().var;
    ranges.Set(copy.axes.back());
    at.push_back(extent < all ? ir::FloorMod(var, ir::Expr(extent)) : var);
  };
  for (size_t a = 0; a < reader->axes.size(); ++a) {
    const ir::Expr& var = reader->axes[a].var;
    for (size_t d = 0; d < place.size(); ++d) {
      if (ir::UsesVar(place[d], var)) keep(d);
    }
    add(var, reader->axes[a].name(), reader->shape[a]);
  }
  for (size_t d = 0; d < place.size(); ++d) keep(d);
  for (const LoopAxis& leaf : reader->leaves) {
    if (leaf.reduce) add(leaf.var, leaf.name, iterations.at(leaf.var.get()));
  }
  std::vector<ir::Expr> inside;
  for (const ir::Expr& c : conditions) inside.push_back(ir::Substitute(c, own));
  if (step.fill) {
    TESSERA_TRY(RequireFits(step, copy.dtype));
    TESSERA_ASSIGN(const std::vector<ir::Expr> ends, EndsOf(step, *reader, iterations, place, own));
    inside.insert(inside.end(), ends.begin(), ends.end());
  }
  for (size_t d = 0; d < place.size(); ++d) {
    if (kept(d)) continue;
    indices[d] = ir::Substitute(place[d], own);
    if (inside.empty())
      TESSERA_TRY(RequireInside(step, *source, d, ir::BoundsOf(indices[d], ranges)));
  }
  copy.body = Filled(*source, indices, inside, step.fill);
  const auto tensor = TensorLike(copy, step.name);
  reader->body = ReplaceReads(reader->body, step.tensor, [&](const std::vector<ir::Expr>&) {
    return ir::TensorRead(tensor, at);
  });
  editor.InsertBefore(*reader, std::move(copy));
  return {};
}

}  // namespace tessera::schedule
