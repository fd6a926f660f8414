// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/operands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/flat_map.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/storage.h"

namespace tessera::cost {
namespace {

using ir::Expr;
using schedule::Stage;

constexpr double kUnknown = std::numeric_limits<double>::infinity();

class BodyMaker {
 public:
  BodyMaker(const Nests& nests, const Nest& nest, const schedule::Schedule& schedule,
            const lower::Bounds& bounds)
      : nests_(nests), nest_(nest), schedule_(schedule), bounds_(bounds) {}

  Body Run() {
    made_.nest = &nest_;
    if (nest_.in) AddLoopsAround(*nest_.in);
    const Stage& stage = *nest_.stage;
    const int at = stage.tensorize_axis.empty() ? -1 : stage.LeafIndex(stage.tensorize_axis);
    made_.call = made_.loops.size() + (at < 0 ? stage.leaves.size() : static_cast<size_t>(at));
    for (size_t leaf = 0; leaf < stage.leaves.size(); ++leaf) AddLoop(nest_, leaf, true);
    AddOperands();
    return std::move(made_);
  }

 private:
  void AddLoopsAround(const LoopOf& in) {
    const Nest& outer = nests_.all[in.nest];
    if (outer.in) AddLoopsAround(*outer.in);
    for (size_t leaf = 0; leaf <= in.depth; ++leaf) AddLoop(outer, leaf, false);
  }

  void AddLoop(const Nest& of, size_t leaf, bool own) {
    const schedule::LoopAxis& axis = of.stage->leaves[leaf];
    made_.loops.push_back({axis.var.get(),
                           static_cast<double>(of.bounds->extents.at(axis.var.get())), axis.kind,
                           own, own && axis.reduce});
  }

  void AddOperands() {
    const Stage& stage = *nest_.stage;
    std::vector<Expr> own;
    for (const ir::Axis& axis : stage.axes) own.push_back(axis.var);
    AddOperand(*schedule_.OwnerOf(stage), own, true);
    for (const lower::BodyRead& read : nest_.body_reads) AddOperand(*read.of, read.at->args, false);
  }

  void AddOperand(const Stage& of, const std::vector<Expr>& indices, bool written) {
    const auto known = buffers_.find(&of);
    const ir::Buffer buffer = known != buffers_.end()
                                  ? known->second
                                  : buffers_[&of] = lower::MakeBuffer(schedule_, bounds_, of);
    const lower::StageBounds& box = bounds_.stages.at(&of);
    // Of a parameter the buffer has all elements, of another stage those of its box.
    const bool whole = buffer->shape == of.shape;
    std::vector<ir::Linear> places;
    places.reserve(indices.size());
    for (size_t d = 0; d < indices.size(); ++d) {
      places.push_back(ir::ToLinear(indices[d], nest_.bounds->values, bounds_.ranges));
      if (!whole)
        places[d] = ir::Sum(std::move(places[d]), ir::Scale(box.min[d], -1), bounds_.ranges);
    }
    Operand operand{.scope = of.scope,
                    .written = written,
                    .element_bytes = static_cast<double>(SizeOf(of.dtype)),
                    .most_bytes = static_cast<double>(ir::SizeInBytes(*buffer)),
                    .steps = {}};
    const ir::Linear offset = ir::OffsetOf(*buffer, places, bounds_.ranges);
    operand.steps.reserve(made_.loops.size());
    for (const BodyLoop& loop : made_.loops) operand.steps.push_back(StepOf(offset, loop));
    const auto same = [&](const Operand& other) {
      return other.written == written && other.scope == operand.scope &&
             other.most_bytes == operand.most_bytes && other.steps == operand.steps;
    };
    if (std::ranges::any_of(made_.operands, same)) return;
    for (size_t d = 0; d < made_.loops.size(); ++d) {
      if (operand.Moves(d)) operand.by_step.push_back(d);
    }
    std::ranges::sort(operand.by_step, {}, [&](size_t d) { return std::abs(operand.steps[d]); });
    made_.operands.push_back(std::move(operand));
  }

  double StepOf(const ir::Linear& offset, const BodyLoop& loop) const {
    double step = 0;
    for (const ir::Linear::Term& term : offset.terms) {
      if (term.atom.get() == loop.var) {
        step += static_cast<double>(term.coeff);
      } else if (term.atom->kind != ir::ExprKind::kVar &&
                 ir::Contains(term.atom, [&](const Expr& x) { return x.get() == loop.var; })) {
        const ir::Interval range = ir::BoundsOf(term.atom, bounds_.ranges);
        if (!range.known()) return kUnknown;
        step += static_cast<double>(term.coeff * (range.hi - range.lo)) /
                std::max(loop.iterations - 1, 1.0);
      }
    }
    return loop.iterations > 1 ? step : 0;
  }

  const Nests& nests_;
  const Nest& nest_;
  const schedule::Schedule& schedule_;
  const lower::Bounds& bounds_;
  FlatMap<const Stage*, ir::Buffer> buffers_;
  Body made_;
};

}  // namespace

double Body::Iterations(size_t from, size_t to) const {
  double product = 1;
  for (size_t d = from; d < to; ++d) product *= loops[d].iterations;
  return product;
}

double Body::Touched(const Operand& operand, size_t inner, double line_bytes) const {
  struct Run {
    double step = 0, count = 1;
  };
  double run = operand.element_bytes, pieces = 1;
  const auto add = [&](const Run& r) {
    const double bytes = r.step * operand.element_bytes;
    if (bytes <= std::max(run, line_bytes)) {
      run += bytes * (r.count - 1);
    } else {
      pieces *= r.count;
    }
  };
  std::optional<Run> last;
  for (const size_t d : operand.by_step) {
    if (d < inner) continue;
    const Run move{std::abs(operand.steps[d]), loops[d].iterations};
    // Loops whose iterations overlap, as those of a window and its taps, touch one longer run.
    const double apart = last ? move.step / last->step : 0;
    if (last && apart == std::floor(apart) && apart <= last->count) {
      last->count += apart * (move.count - 1);
      continue;
    }
    if (last) add(*last);
    last = move;
  }
  if (last) add(*last);
  const double lines = std::ceil(run / line_bytes) * line_bytes;
  return std::min(pieces * lines, std::max(operand.most_bytes, line_bytes));
}

Body BodyOf(const Nests& nests, const Nest& nest, const schedule::Schedule& schedule,
            const lower::Bounds& bounds) {
  return BodyMaker(nests, nest, schedule, bounds).Run();
}

}  // namespace tessera::cost
