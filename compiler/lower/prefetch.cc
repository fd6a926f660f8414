// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/prefetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/bits.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"

namespace tessera::lower {
namespace {

using ir::Expr;

// The logical dimension whose elements are adjacent in memory, and the length of a run.
struct Run {
  size_t dim = 0;
  int64_t elements = 1;
};

Run RunOf(const ir::BufferNode& buffer) {
  const std::vector<int64_t> padded = ir::PaddedShape(buffer);
  Run run{padded.size() - 1, padded.back()};
  if (!buffer.layout.empty()) {
    const LayoutDim& last = buffer.layout.dims.back();
    run.dim = static_cast<size_t>(last.dim);
    run.elements = last.mod > 0 ? last.mod : padded[run.dim];
    if (last.div != 1) run.elements = 1;
  }
  if (ir::PhysicalStrides(buffer).back() != 1) run.elements = 1;
  return run;
}

bool IsMultiple(const ir::Linear& form, int64_t k) {
  return form.constant % k == 0 && std::ranges::all_of(form.terms, [&](const ir::Linear::Term& t) {
           return t.coeff % k == 0;
         });
}

// If the box covers whole runs of its innermost piece, a line of |elements| may hold several runs:
// enlarges |steps| as far as the line allows, piece by piece of the layout.
void WidenLine(const ir::BufferNode& buffer, const ReadBox& box, int64_t elements,
               std::vector<int64_t>* steps) {
  const std::vector<int64_t> padded = ir::PaddedShape(buffer),
                             strides = ir::PhysicalStrides(buffer);
  std::vector<LayoutDim> pieces = buffer.layout.dims;
  if (pieces.empty()) {
    for (size_t d = 0; d < padded.size(); ++d) pieces.push_back({.dim = static_cast<int>(d)});
  }
  const auto length = [&](const LayoutDim& piece) {
    return piece.mod > 0 ? piece.mod : padded[static_cast<size_t>(piece.dim)] / piece.div;
  };
  if (std::ranges::any_of(pieces, [](const LayoutDim& piece) { return piece.before != 0; })) return;
  int64_t held = length(pieces.back());
  for (size_t i = pieces.size() - 1; i-- > 0 && elements % held == 0 && held < elements;) {
    const auto d = static_cast<size_t>(pieces[i].dim);
    const int64_t take = std::min(length(pieces[i]), elements / held), step = (*steps)[d] * take;
    if (strides[i] != held || pieces[i].div != (*steps)[d] || length(pieces[i]) % take != 0 ||
        box.extent[d] % step != 0 || !IsMultiple(box.min[d], step))
      return;
    (*steps)[d] = step;
    held *= take;
  }
}

// The memory order of steps of |step| along dimension |dim|: the index of their piece, outermost 0.
size_t PieceOf(const ir::BufferNode& buffer, size_t dim, int64_t step) {
  const std::vector<LayoutDim>& pieces = buffer.layout.dims;
  if (pieces.empty()) return dim;
  size_t found = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const LayoutDim& piece = pieces[i];
    const bool wraps = piece.mod > 0 && step >= piece.div * piece.mod;
    if (static_cast<size_t>(piece.dim) == dim && piece.div <= step && !wraps) found = i;
  }
  return found;
}

// This asker's share of the iterations of |loops|, counted in memory order, so that the divisions
// cancel in the address.
ir::Stmt Share(const ir::Buffer& buffer, const std::vector<ir::Axis>& loops,
               const std::vector<int64_t>& steps, const Askers& askers, std::vector<Expr> place) {
  std::vector<size_t> order;
  int64_t lines = 1;
  for (size_t d = 0; d < loops.size(); ++d) {
    order.push_back(d);
    lines *= loops[d].extent;
  }
  std::ranges::stable_sort(order, {}, [&](size_t d) { return PieceOf(*buffer, d, steps[d]); });
  const int64_t share = CeilDiv(lines, askers.count);
  const Expr var = ir::Var("line");
  const Expr line = ir::Min(askers.index * Expr(share) + var, Expr(lines - 1));
  ir::VarMap values;
  int64_t inner = 1;
  for (const size_t d : order | std::views::reverse) {
    values[loops[d].var.get()] =
        ir::FloorMod(ir::FloorDiv(line, Expr(inner)), Expr(loops[d].extent));
    inner *= loops[d].extent;
  }
  for (Expr& index : place) index = ir::Substitute(index, values);
  return ir::For(var, 0, Expr(share), ir::LoopKind::kSerial, ir::Prefetch(buffer, place));
}

}  // namespace

Askers AskersOf(const schedule::Schedule& schedule, const Bounds& bounds,
                const schedule::Stage& stage, const schedule::Lookahead& ahead,
                const ReadBox& box) {
  Askers askers;
  const ir::ExprNode* last = schedule.LoopOf(stage, ahead).var.get();
  const schedule::Stage* at = &stage;
  for (int i = stage.LeafIndex(ahead.axis);; --i) {
    for (; i < 0; at = schedule.OuterOf(*at)) i = schedule.OuterOf(*at)->LeafIndex(at->at_axis);
    const schedule::LoopAxis& leaf = at->leaves[static_cast<size_t>(i)];
    if (leaf.var.get() == last) return askers;
    if (std::ranges::any_of(
            box.min, [&](const ir::Linear& first) { return ir::UsesVar(first, {leaf.var.get()}); }))
      continue;
    askers.index = askers.index + leaf.var * Expr(askers.count);
    askers.count *= bounds.stages.at(at).extents.at(leaf.var.get());
  }
}

void LookAhead(const Expr& var, int64_t distance, const ir::Ranges& ranges, ReadBox* box) {
  const Expr later = ir::Min(var + Expr(distance), Expr(ranges.Of(var).hi));
  const ir::FormMap values{{var.get(), ir::ToLinear(later, ranges)}};
  for (ir::Linear& min : box->min) min = ir::ToLinear(ir::FromLinear(min), values, ranges);
}

ir::Stmt PrefetchNest(const ir::Buffer& buffer, const ReadBox& box, int64_t line_bytes,
                      const Askers& askers, const ir::Ranges& ranges) {
  const std::vector<int64_t> limit = ir::PaddedShape(*buffer);
  const bool none = std::ranges::any_of(box.extent, [](int64_t n) { return n < 1; });
  if (none || limit.empty()) return {};
  const Run run = RunOf(*buffer);
  const int64_t line = std::clamp<int64_t>(line_bytes / static_cast<int64_t>(SizeOf(buffer->dtype)),
                                           1, run.elements);
  const int64_t run_extent = box.extent[run.dim], part = std::min(line, run_extent);
  // A box that may start in the middle of a line may touch one more line.
  const bool whole =
      run.elements % line == 0 && line % part == 0 && IsMultiple(box.min[run.dim], part);
  std::vector<int64_t> steps(limit.size(), 1);  // elements of a dimension in a line
  steps[run.dim] = line;
  if (whole && line == run.elements && run_extent % line == 0) {
    const int64_t bytes = static_cast<int64_t>(SizeOf(buffer->dtype));
    WidenLine(*buffer, box, line_bytes / bytes, &steps);
  }
  std::vector<Expr> place;
  std::vector<ir::Axis> loops;
  ir::Ranges inside = ranges;
  for (size_t d = 0; d < limit.size(); ++d) {
    const int64_t last = box.extent[d] - 1;
    const int64_t count =
        d == run.dim && !whole ? CeilDiv(last, line) + 1 : CeilDiv(last + 1, steps[d]);
    loops.push_back({ir::Var(fmt::format("p{}", d)), 0, count});
    inside.Set(loops.back());
    const Expr step = loops.back().var * Expr(steps[d]);
    const Expr index = ir::FromLinear(box.min[d]) + ir::Min(step, Expr(last));
    place.push_back(ir::Simplify(ir::Max(ir::Min(index, Expr(limit[d] - 1)), Expr(0)), inside));
  }
  if (askers.count > 1) return Share(buffer, loops, steps, askers, std::move(place));
  ir::Stmt nest = ir::Prefetch(buffer, std::move(place));
  for (size_t d = loops.size(); d-- > 0;)
    nest = ir::For(loops[d].var, 0, Expr(loops[d].extent), ir::LoopKind::kSerial, nest);
  return nest;
}

}  // namespace tessera::lower
