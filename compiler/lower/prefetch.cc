// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/prefetch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"

namespace tessera::lower {
namespace {

using ir::Expr;

// The logical dimension along which neighbours in memory lie, and how many there are in a run.
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

bool IsMultiple(const Expr& e, int64_t k, const ir::Ranges& ranges) {
  const ir::Linear form = ir::ToLinear(e, ranges);
  return form.constant % k == 0 && std::ranges::all_of(form.terms, [&](const ir::Linear::Term& t) {
           return t.coeff % k == 0;
         });
}

}  // namespace

ir::Stmt PrefetchNest(const ir::Buffer& buffer, const ReadBox& box, int64_t line_bytes,
                      const ir::Ranges& ranges) {
  const std::vector<int64_t> limit = ir::PaddedShape(*buffer);
  const bool none = std::ranges::any_of(box.extent, [](int64_t n) { return n < 1; });
  if (none || limit.empty()) return {};
  const Run run = RunOf(*buffer);
  const int64_t line = std::clamp<int64_t>(line_bytes / static_cast<int64_t>(SizeOf(buffer->dtype)),
                                           1, run.elements);
  std::vector<Expr> place;
  std::vector<ir::Axis> loops;
  ir::Ranges inside = ranges;
  for (size_t d = 0; d < limit.size(); ++d) {
    const bool lines = d == run.dim;
    const int64_t last = box.extent[d] - 1;
    // A box that may begin inside of a line may end in one more.
    const int64_t part = std::min(line, last + 1);
    const bool whole =
        run.elements % line == 0 && line % part == 0 && IsMultiple(box.min[d], part, ranges);
    const int64_t count = !lines ? last + 1 : whole ? last / line + 1 : CeilDiv(last, line) + 1;
    loops.push_back({ir::Var(fmt::format("p{}", d)), 0, count});
    inside.Set(loops.back());
    const Expr step = loops.back().var * Expr(lines ? line : 1);
    const Expr index = box.min[d] + ir::Min(step, Expr(last));
    place.push_back(ir::Simplify(ir::Max(ir::Min(index, Expr(limit[d] - 1)), Expr(0)), inside));
  }
  ir::Stmt nest = ir::Prefetch(buffer, std::move(place));
  for (size_t d = loops.size(); d-- > 0;)
    nest = ir::For(loops[d].var, 0, Expr(loops[d].extent), ir::LoopKind::kSerial, nest);
  return nest;
}

}  // namespace tessera::lower
