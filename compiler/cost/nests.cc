// SPDX-License-Identifier: Apache-2.0
#include "compiler/cost/nests.h"

#include <algorithm>
#include <functional>

#include "base/bits.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/visit.h"

namespace tessera::cost {
namespace {

using ir::Expr;
using ir::ExprNode;
using schedule::Attach;
using schedule::Schedule;
using schedule::Stage;

// An index by which a stage reads a tensor of |limit| elements in that dimension.
struct ReadIndex {
  ir::Linear form;
  int64_t limit = 0;
};

int64_t DivideDown(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t DivideUp(int64_t a, int64_t b) { return -DivideDown(-a, b); }

// The calls of a nest along one axis.
struct CallsAlong {
  EdgeAlong edge;
  std::vector<int64_t> iterations;  // of each of its moves
  bool known = true;                // the piece's place is known in each iteration
  Range reach;                      // that all pieces together need

  // The mean share of the calls that have an element of |counts|.
  double ShareIn(const Range& counts) const {
    const bool whole = reach.first >= counts.first && reach.end <= counts.end;
    return !known || (whole && edge.parts.empty()) ? 1 : edge.MeanShareIn(counts, iterations);
  }
};

class Counter {
 public:
  Counter(const Schedule& schedule, const lower::Bounds& bounds)
      : schedule_(schedule), bounds_(bounds) {}

  Nests Run() {
    nests_.all.reserve(schedule_.stages().size());
    index_.reserve(schedule_.stages().size());
    for (const Stage& stage : schedule_.stages()) {
      const bool computes = !stage.placeholder && !stage.prepared &&
                            stage.attach != Attach::kInline &&
                            (stage.output || !bounds_.reads.Of(stage).empty());
      if (!computes) continue;
      index_[&stage] = nests_.all.size();
      nests_.all.push_back({.stage = &stage,
                            .bounds = &bounds_.stages.at(&stage),
                            .body_reads = bounds_.reads.By(stage)});
    }
    nests_.ranges = &bounds_.ranges;
    for (size_t k = 0; k < nests_.all.size(); ++k) Attached(k);
    for (size_t k = 0; k < nests_.all.size(); ++k) Count(k);
    return std::move(nests_);
  }

 private:
  // Puts nest |k| into the loop that it is computed in, and makes the outer loops that it needs.
  void Attached(size_t k) {
    Nest& nest = nests_.all[k];
    const Stage& stage = *nest.stage;
    const auto owner = index_.find(schedule_.OwnerOf(stage));
    nest.owner = owner == index_.end() ? k : owner->second;
    Outer(&nest, nest.bounds->around);
    for (const lower::BodyRead& read : nest.body_reads) {
      const auto of = index_.find(read.of);
      if (of != index_.end()) nest.reads.push_back(of->second);
    }
    std::ranges::sort(nest.reads);
    const auto twice = std::ranges::unique(nest.reads);
    nest.reads.erase(twice.begin(), twice.end());
    if (stage.attach == Attach::kRoot) {
      nests_.roots.push_back(k);
      return;
    }
    const size_t leader = index_.at(schedule_.OuterOf(stage));
    Nest& around = nests_.all[leader];
    nest.in = {leader, static_cast<size_t>(around.stage->LeafIndex(stage.at_axis))};
    Outer(&around, nest.in->depth + 1);
    OuterLoop& loop = around.outer[nest.in->depth];
    const bool follows = stage.attach == Attach::kAfter || schedule_.IsForFollowers(stage);
    (follows ? loop.after : loop.before).push_back(k);
  }

  // Makes the first |depth| loops of |nest|, or more, outer loops.
  static void Outer(Nest* nest, size_t depth) {
    while (nest->outer.size() < depth) {
      const schedule::LoopAxis& leaf = nest->stage->leaves[nest->outer.size()];
      nest->outer.push_back(
          {.iterations = nest->bounds->extents.at(leaf.var.get()), .reduce = leaf.reduce});
    }
  }

  // Iterations of |axis| in the loops of the stage's call; 1 without a call.
  int64_t InCall(const Nest& nest, const Expr& axis) const {
    const Stage& stage = *nest.stage;
    const auto iterations = [&](const Expr& e) { return nest.bounds->extents.at(e.get()); };
    const int leaf = LeafOf(stage, axis);
    if (leaf >= 0) return leaf >= CallDepth(stage) ? iterations(axis) : 1;
    for (const schedule::Relation& r : stage.relations) {
      if (r.is_split && r.parent.get() == axis.get())
        return InCall(nest, r.outer) * InCall(nest, r.inner);
      if (!r.is_split && (r.outer.get() == axis.get() || r.inner.get() == axis.get()))
        return InCall(nest, r.parent) > 1 ? iterations(axis) : 1;
    }
    return 1;
  }
  // All iterations of |axis| in the nest's loops, including those that a split adds by rounding up.
  int64_t Iterations(const Nest& nest, const Expr& axis) const {
    for (const schedule::Relation& r : nest.stage->relations) {
      if (r.is_split && r.parent.get() == axis.get())
        return Iterations(nest, r.outer) * Iterations(nest, r.inner);
    }
    return nest.bounds->extents.at(axis.get());
  }
  static int LeafOf(const Stage& stage, const Expr& var) {
    for (size_t k = 0; k < stage.leaves.size(); ++k) {
      if (stage.leaves[k].var.get() == var.get()) return static_cast<int>(k);
    }
    return -1;
  }
  static int CallDepth(const Stage& stage) {
    const int at = stage.tensorize_axis.empty() ? -1 : stage.LeafIndex(stage.tensorize_axis);
    return at < 0 ? static_cast<int>(stage.leaves.size()) : at;
  }

  // The indices of a copy from device memory that one variable moves; of other stages nothing.
  std::vector<ReadIndex> SourceOf(const Nest& nest) const {
    std::vector<ReadIndex> source;
    if (nest.stage->output || !nest.stage->reduce_axes.empty()) return source;
    for (const lower::BodyRead& read : nest.body_reads) {
      if (read.of->scope != ir::Scope::kGlobal) continue;
      for (size_t k = 0; k < read.at->args.size(); ++k) {
        ir::Linear form = ir::ToLinear(read.at->args[k], bounds_.ranges);
        if (form.terms.size() == 1) source.push_back({std::move(form), read.of->shape[k]});
      }
    }
    return source;
  }

  // The calls of |nest|, inside the loops |around|, along |axis|. Where fused loops make up the
  // axis, the nest's own loops count as one piece: |count| iterations from |first| on.
  CallsAlong CallsOf(const Nest& nest, const std::vector<LoopOf>& around, const Expr& axis,
                     const ir::Linear& first, int64_t count) const {
    const auto is_var = [](const ir::Linear::Term& t) {
      return t.atom->kind == ir::ExprKind::kVar;
    };
    ir::Linear place = ir::ToLinear(axis, nest.bounds->values, bounds_.ranges);
    int64_t own = 1;
    if (!std::ranges::all_of(place.terms, is_var)) {
      place = first;
      own = count;
    }
    CallsAlong along{.known = std::ranges::all_of(place.terms, is_var)};
    EdgeAlong& edge = along.edge;
    edge.elements = InCall(nest, axis);
    edge.box = along.reach = {place.constant, place.constant + own};
    if (!along.known) return along;
    for (const ir::Linear::Term& t : place.terms) {
      const auto loop =
          std::ranges::find(around, t.atom.get(), [&](const LoopOf& l) { return nests_.VarOf(l); });
      if (loop == around.end() && LeafOf(*nest.stage, t.atom) < 0) {
        along.known = false;
        return along;
      }
      const int64_t iterations = loop != around.end() ? nests_.At(*loop).iterations
                                                      : nest.bounds->extents.at(t.atom.get());
      const auto grow = [&](Range& range) {
        (t.coeff < 0 ? range.first : range.end) += t.coeff * (iterations - 1);
      };
      grow(along.reach);
      if (loop == around.end()) {
        grow(edge.box);
      } else {
        edge.moves.push_back({*loop, t.coeff});
        along.iterations.push_back(iterations);
      }
    }
    AddParts(nest, axis, place, &along);
    return along;
  }

  // Adds the parts of |axis|, at |place|, that splits do not divide.
  void AddParts(const Nest& nest, const Expr& axis, const ir::Linear& place,
                CallsAlong* along) const {
    EdgeAlong& edge = along->edge;
    std::vector<const ExprNode*> made = {axis.get()};
    for (const schedule::Relation& r : nest.stage->relations) {
      if (!r.is_split || std::ranges::count(made, r.parent.get()) == 0) continue;
      made.insert(made.end(), {r.outer.get(), r.inner.get()});
      if (r.pad || r.overlap) continue;
      ir::Linear form = ir::ToLinear(r.parent, nest.bounds->values, bounds_.ranges);
      EdgeAlong::Part part;
      int64_t scale = 0, most = 0, inner = 0;
      for (const ir::Linear::Term& t : form.terms) {
        const int leaf = LeafOf(*nest.stage, t.atom);
        if (leaf < 0) continue;  // of a loop around the stage
        const int64_t step = place.CoeffOf(t.atom);
        const int64_t last = step * (nest.bounds->extents.at(t.atom.get()) - 1);
        scale = step / t.coeff;
        most += last;
        if (leaf >= static_cast<int>(nest.outer.size())) inner += last;
        for (size_t m = 0; m < edge.moves.size(); ++m) {
          if (nests_.VarOf(edge.moves[m].loop) == t.atom.get()) part.moves.push_back(m);
        }
      }
      part.size = scale * nest.bounds->extents.at(r.parent.get());
      const bool all = edge.box.end - edge.box.first - inner <= scale;
      if (all && most + scale > part.size && !part.moves.empty())
        edge.parts.push_back(std::move(part));
    }
  }

  // The largest value of |form|, of loops around a stage.
  int64_t LastOf(const ir::Linear& form) const {
    int64_t last = form.constant;
    for (const ir::Linear::Term& t : form.terms)
      last += std::max<int64_t>(0, t.coeff * bounds_.ranges.Of(t.atom).hi);
    return last;
  }

  // The indices of dimension |d| |inside| the stage and inside what it copies by |source|.
  static Range CopiedOf(const Nest& nest, size_t d, const Range& inside,
                        const std::vector<ReadIndex>& source) {
    Range copied = inside;
    for (const ReadIndex& read : source) {
      const int64_t scale = read.form.CoeffOf(nest.stage->axes[d].var);
      const int64_t offset = read.form.constant;
      if (scale <= 0) continue;
      copied.first = std::max(copied.first, DivideUp(-offset, scale));
      copied.end = std::min(copied.end, DivideDown(read.limit - 1 - offset, scale) + 1);
    }
    return copied;
  }

  // Counts the runs of calls along the innermost loop around them, and the iterations of a call
  // with an operand that the call before did not read.
  void Rows(Nest* nest, int call) const {
    const Stage& stage = *nest->stage;
    nest->call_fresh = nest->call_sums;
    nest->rows = nest->calls;
    if (call == 0 || nest->call_sums == 1 || static_cast<size_t>(call) <= nest->outer.size())
      return;
    const Expr& along = stage.leaves[static_cast<size_t>(call) - 1].var;
    nest->rows /= static_cast<double>(nest->bounds->extents.at(along.get()));
    for (const lower::BodyRead& read : nest->body_reads) {
      for (const Expr& arg : read.at->args) {
        const ir::Linear index = ir::ToLinear(arg, nest->bounds->values, bounds_.ranges);
        const int64_t step = index.CoeffOf(along);
        for (size_t leaf = static_cast<size_t>(call); leaf < stage.leaves.size(); ++leaf) {
          const Expr& tap = stage.leaves[leaf].var;
          const int64_t scale = index.CoeffOf(tap), taps = nest->bounds->extents.at(tap.get());
          if (step == 0 || scale == 0 || step % scale != 0) continue;
          nest->call_fresh = nest->call_sums / taps * std::min(taps, step / scale);
        }
      }
    }
  }

  void Count(size_t k) {
    Nest& nest = nests_.all[k];
    const Stage& stage = *nest.stage;
    const int call = CallDepth(stage);
    for (size_t leaf = nest.outer.size(); leaf < stage.leaves.size(); ++leaf) {
      const int64_t iterations = nest.bounds->extents.at(stage.leaves[leaf].var.get());
      if (static_cast<int>(leaf) < call) {
        nest.calls *= static_cast<double>(iterations);
        (stage.leaves[leaf].reduce ? nest.sum_loops : nest.loops).push_back(iterations);
      } else {
        (stage.leaves[leaf].reduce ? nest.call_sums : nest.call_elements) *= iterations;
      }
    }
    std::ranges::sort(nest.loops, std::greater());
    std::ranges::sort(nest.sum_loops, std::greater());
    const auto goes_on = [](const OuterLoop& loop) { return loop.reduce && loop.iterations > 1; };
    nest.goes_on = std::ranges::any_of(nest.outer, goes_on);
    const std::vector<ReadIndex> source = SourceOf(nest);
    double all = nest.calls;
    const std::vector<LoopOf> around = nests_.LoopsAround(k);
    const auto count = [&](CallsAlong along, const Range& inside, const Range& copied) {
      EdgeAlong& edge = along.edge;
      edge.inside = inside;
      edge.copied = copied;
      edge.ran = along.ShareIn(inside);
      edge.carried = copied == inside ? edge.ran : along.ShareIn(copied);
      all *= edge.ran;
      nest.calls *= edge.carried;
      const bool differ = edge.carried > 0 && edge.carried < 1 && !edge.moves.empty();
      if (differ && edge.moves.size() <= EdgeAlong::kMostMoves)
        nest.edges.push_back(std::move(edge));
    };
    for (size_t d = 0; d < stage.axes.size(); ++d) {
      const int64_t rows = nest.bounds->count[d], limit = nest.bounds->limit[d];
      const int64_t padded = lower::PaddedExtent(stage, rows, d);
      // No condition skips what a padded split adds.
      const int64_t end = padded > rows ? LastOf(nest.bounds->first[d]) + padded : 0;
      const Range inside{0, std::max(limit, end)};
      nest.tile.push_back(InCall(nest, stage.axes[d].var));
      count(CallsOf(nest, around, stage.axes[d].var, nest.bounds->first[d], padded), inside,
            CopiedOf(nest, d, inside, source));
    }
    nest.pads = all - nest.calls;
    Rows(&nest, call);
    for (const ir::Axis& axis : stage.reduce_axes) {
      const Range inside{0, axis.extent};
      count(CallsOf(nest, around, axis.var, {}, Iterations(nest, axis.var)), inside, inside);
    }
  }

  const Schedule& schedule_;
  const lower::Bounds& bounds_;
  FlatMap<const Stage*, size_t> index_;  // in Nests::all
  Nests nests_;
};

}  // namespace

std::vector<LoopOf> Nests::LoopsAround(size_t k) const {
  std::vector<LoopOf> loops;
  loops.reserve(8);  // as many as most nests have
  for (size_t depth = 0; depth < all[k].outer.size(); ++depth) loops.push_back({k, depth});
  for (std::optional<LoopOf> in = all[k].in; in; in = all[in->nest].in) {
    for (size_t depth = 0; depth <= in->depth; ++depth) loops.push_back({in->nest, depth});
  }
  return loops;
}

bool Nests::IsLastIn(size_t k, const LoopOf& loop) const {
  if (!At(loop).reduce) return false;
  while (all[k].in && all[k].in->nest != loop.nest) k = all[k].in->nest;
  return all[k].in && std::ranges::count(At(*all[k].in).after, k) > 0;
}

int64_t Nests::AlikeAfter(const LoopOf& loop, Iterations* now, int64_t most) const {
  int64_t& iteration = (*now)[loop.nest][loop.depth];
  const int64_t present = iteration;
  for (const Nest& nest : all) {
    for (const EdgeAlong& edge : nest.edges) {
      if (std::ranges::count(edge.moves, loop, &EdgeAlong::Move::loop) == 0) continue;
      const EdgeAlong::Shares shares = edge.Now(*now);
      int64_t unlike = most + 1;
      for (most = 0; most + 1 < unlike;) {
        const int64_t middle = most + (unlike - most) / 2;
        iteration = present + middle;
        (edge.Now(*now) == shares ? most : unlike) = middle;
      }
      iteration = present;
    }
  }
  return most;
}

std::vector<TileStep> Nests::StepsIn(const std::vector<LoopOf>& loops, size_t reader,
                                     size_t from) const {
  const lower::StageBounds& bounds = *all[reader].bounds;
  const std::vector<int64_t>&extents = all[from].bounds->extent, &tile = all[from].tile;
  std::vector<TileStep> steps(loops.size());
  for (const lower::BodyRead& read : all[reader].body_reads) {
    if (read.of != all[from].stage) continue;
    int64_t apart = 1;  // tiles from one to the next along the dimension
    for (size_t d = extents.size(); d-- > 0;) {
      const int64_t row = apart * CeilDiv(extents[d], tile[d]);
      const ir::Linear index = ir::ToLinear(read.at->args[d], bounds.values, *ranges);
      for (const ir::Linear::Term& term : index.terms) {
        const bool is_loop = term.atom->kind == ir::ExprKind::kVar;
        const int64_t step = is_loop ? CeilDiv(std::abs(term.coeff), tile[d]) * apart : row;
        ir::Visit(term.atom, [&](const Expr& x) {
          const auto at =
              std::ranges::find(loops, x.get(), [&](const LoopOf& loop) { return VarOf(loop); });
          if (at == loops.end()) return;
          TileStep& known = steps[static_cast<size_t>(at - loops.begin())];
          known = {std::max(known.next, step), std::max(known.row, row)};
        });
      }
      apart = row;
    }
  }
  return steps;
}

Nests NestsOf(const Schedule& schedule, const lower::Bounds& bounds) {
  return Counter(schedule, bounds).Run();
}

}  // namespace tessera::cost
