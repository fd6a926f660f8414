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

// The most combinations of loop values around a stage over which ShareIn takes the mean.
constexpr int64_t kMostCorners = 4096;

// Indices of a dimension: those in [first, end).
struct Range {
  int64_t first = 0, end = 0;
  bool operator==(const Range&) const = default;
};

// An index by which a stage reads a tensor of |limit| elements in that dimension.
struct ReadIndex {
  ir::Linear form;
  int64_t limit = 0;
};

int64_t DivideDown(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t DivideUp(int64_t a, int64_t b) { return -DivideDown(-a, b); }

// The calls of a stage along one dimension, in all iterations of the loops around it.
struct CallsAlong {
  int64_t elements = 1;                            // in a call
  int64_t calls = 1;                               // in one iteration
  Range box;                                       // of the first iteration
  bool padded = false;                             // a padded split rounds the box up
  int64_t corners = 1;                             // iterations; 0: not known
  Range reach;                                     // that all iterations together need
  std::vector<std::pair<int64_t, int64_t>> loops;  // step of the box, iterations

  // The share of the calls that have an element of |counts|.
  double ShareIn(const Range& counts) const {
    const auto in = [&](int64_t at) {
      const int64_t first = std::max(box.first + at, counts.first);
      const int64_t end = std::min(box.end + at, counts.end);
      return CeilDiv(std::max<int64_t>(end - first, 0), elements);
    };
    if (corners == 0) return 1;
    if (reach.first >= counts.first && reach.end <= counts.end)
      return static_cast<double>(in(0)) / static_cast<double>(calls);
    int64_t sum = 0;
    for (int64_t corner = 0; corner < corners; ++corner) {
      int64_t at = 0, rest = corner;
      for (const auto& [step, iterations] : loops) {
        at += step * (rest % iterations);
        rest /= iterations;
      }
      sum += in(at);
    }
    return static_cast<double>(sum) / static_cast<double>(corners * calls);
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

  CallsAlong CallsOf(const Nest& nest, size_t d) const {
    const Expr& axis = nest.stage->axes[d].var;
    const ir::Linear& first = nest.bounds->first[d];
    const int64_t count = lower::PaddedExtent(*nest.stage, nest.bounds->count[d], d);
    CallsAlong along{.elements = InCall(nest, axis),
                     .box = {first.constant, first.constant + count},
                     .padded = count > nest.bounds->count[d]};
    along.calls = CeilDiv(Iterations(nest, axis), along.elements);
    along.reach = along.box;
    for (const ir::Linear::Term& t : first.terms) {
      const int64_t iterations = bounds_.ranges.Of(t.atom).hi + 1;
      along.corners *= t.atom->kind == ir::ExprKind::kVar ? iterations : kMostCorners + 1;
      if (along.corners > kMostCorners) return {.corners = 0};
      along.loops.emplace_back(t.coeff, iterations);
      (t.coeff < 0 ? along.reach.first : along.reach.end) += t.coeff * (iterations - 1);
    }
    return along;
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
    std::vector<int64_t> loops;
    for (size_t leaf = nest.outer.size(); leaf < stage.leaves.size(); ++leaf) {
      const int64_t iterations = nest.bounds->extents.at(stage.leaves[leaf].var.get());
      if (static_cast<int>(leaf) < call) {
        nest.calls *= static_cast<double>(iterations);
        if (stage.leaves[leaf].reduce) {
          nest.micro_ops *= static_cast<double>(iterations);
        } else {
          loops.push_back(iterations);
        }
      } else {
        (stage.leaves[leaf].reduce ? nest.call_sums : nest.call_elements) *= iterations;
      }
    }
    std::ranges::sort(loops, std::greater());
    const auto goes_on = [](const OuterLoop& loop) { return loop.reduce && loop.iterations > 1; };
    if (std::ranges::any_of(nest.outer, goes_on)) nest.micro_ops *= 2;
    for (size_t loop = 2; loop < loops.size(); ++loop)
      nest.micro_ops *= static_cast<double>(loops[loop]);
    const std::vector<ReadIndex> source = SourceOf(nest);
    double all = nest.calls;
    for (size_t d = 0; d < stage.axes.size(); ++d) {
      const CallsAlong along = CallsOf(nest, d);
      // No condition skips what a padded split adds.
      const int64_t limit = nest.bounds->limit[d];
      const Range inside{0, along.padded ? std::max(limit, along.reach.end) : limit},
          copied = CopiedOf(nest, d, inside, source);
      const double share = along.ShareIn(inside);
      all *= share;
      nest.calls *= copied == inside ? share : along.ShareIn(copied);
    }
    nest.pads = all - nest.calls;
    Rows(&nest, call);
    for (const ir::Axis& axis : stage.reduce_axes) {
      const int64_t in_call = InCall(nest, axis.var);
      nest.calls *= static_cast<double>(CeilDiv(axis.extent, in_call)) /
                    static_cast<double>(CeilDiv(Iterations(nest, axis.var), in_call));
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

std::vector<bool> Nests::Moving(const std::vector<LoopOf>& loops, size_t reader,
                                size_t from) const {
  const Nest& nest = all[reader];
  std::vector<bool> moving(loops.size());
  for (const lower::BodyRead& read : nest.body_reads) {
    if (read.of != all[from].stage) continue;
    for (const Expr& index : read.at->args) {
      nest.bounds->ForEachLoopOf(index, [&](const ExprNode* var) {
        const auto at = std::ranges::find(loops, var, [&](const LoopOf& loop) {
          return all[loop.nest].stage->leaves[loop.depth].var.get();
        });
        if (at != loops.end()) moving[static_cast<size_t>(at - loops.begin())] = true;
      });
    }
  }
  return moving;
}

Nests NestsOf(const Schedule& schedule, const lower::Bounds& bounds) {
  return Counter(schedule, bounds).Run();
}

}  // namespace tessera::cost
