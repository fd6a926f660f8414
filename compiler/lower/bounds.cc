// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/bounds.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/simplify.h"
#include "compiler/lower/limit.h"
#include "compiler/lower/reach.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::Linear;
using ir::Ranges;
using schedule::Attach;
using schedule::Relation;
using schedule::Schedule;
using schedule::Stage;
class Inference {
 public:
  explicit Inference(const Schedule& schedule)
      : schedule_(schedule), out_{.reads = BodyReads(schedule)} {}

  // A stage's box follows from its readers' loops, and its loops from its box. The loops of a stage
  // that follows another stage's loops derive from the leader's loops; the leader's box from the
  // follower's box.
  Result<Bounds> Run() {
    const schedule::StageList& stages = schedule_.stages();
    std::vector<const Stage*> sorted;
    for (const Stage& stage : stages) sorted.push_back(&stage);
    std::ranges::sort(sorted, std::less());
    out_.stages.reserve(sorted.size());  // references stay valid from here on
    for (const Stage* stage : sorted) out_.stages.emplace(stage, {});
    auto left = std::ranges::count_if(
        stages, [](const Stage& stage) { return stage.attach != Attach::kInline; });
    for (bool progress = true; progress && left > 0;) {
      progress = false;
      for (size_t i = stages.size(); i-- > 0;) {
        const Stage& stage = stages[i];
        if (stage.attach == Attach::kInline || looped_.contains(&stage)) continue;
        if (!boxed_.contains(&stage)) {
          if (!ReadersAreDone(stage)) continue;
          TESSERA_TRY(MakeBox(stage));
          boxed_.insert(&stage);
          progress = true;
        }
        if (stage.attach == Attach::kAfter && !looped_.contains(schedule_.OuterOf(stage))) continue;
        StageBounds& b = Of(stage);
        b.first = b.min;
        b.count = b.extent;
        if (stage.attach == Attach::kAfter) TESSERA_TRY(FollowLoops(stage, &b));
        // If its buffer is inside of the loops that it follows, it holds the box of one run.
        if (stage.attach == Attach::kAfter &&
            (schedule_.IsForFollowers(stage) || (schedule_.OwnerOf(stage)->name == stage.at_stage &&
                                                 Of(*schedule_.Find(stage.at_stage)).around > 0))) {
          b.min = b.first;
          b.extent = b.count;
        }
        if (!stage.placeholder) MakeLoops(stage, &b);
        Narrow(stage, &b);
        looped_.insert(&stage);
        --left;
        progress = true;
      }
    }
    if (left > 0) {
      std::string names;
      for (const Stage& stage : stages) {
        if (stage.attach == Attach::kAfter && !looped_.contains(&stage))
          names += (names.empty() ? "" : ", ") + stage.name;
      }
      return Fail(Code::kInvalidArgument,
                  "{}: computed in the loops of what others read with them; attach one less",
                  names);
    }
    for (const Stage& stage : stages) {
      for (const schedule::Lookahead& ahead : stage.prefetches)
        Of(stage).ahead.push_back(BoxAhead(stage, ahead));
    }
    return std::move(out_);
  }

 private:
  bool ReadersAreDone(const Stage& stage) const {
    return std::ranges::all_of(out_.reads.Of(stage), [&](const BodyRead& read) {
      const Stage* reader = read.reader;
      const bool follows = reader->attach == Attach::kAfter &&
                           (reader->at_stage == stage.name ||
                            (stage.attach == Attach::kAfter && reader->at_stage == stage.at_stage));
      return (follows ? boxed_ : looped_).contains(reader);
    });
  }

  Status MakeBox(const Stage& stage) {
    StageBounds& b = Of(stage);
    b.limit = LimitOf(schedule_, stage);
    for (size_t d = 0; d < stage.shape.size(); ++d) {
      b.min.emplace_back();
      const bool padded = stage.placeholder || stage.prepared || stage.attach == Attach::kAfter;
      b.extent.push_back(padded ? b.limit[d] : stage.shape[d]);
    }
    const Stage* outer = schedule_.OuterOf(stage);
    if (outer == nullptr) return {};
    TESSERA_CHECK(outer->LeafIndex(stage.at_axis) >= 0, "{}", stage.name);
    // A stage that follows another stage's loops lives as long as that stage.
    const bool follows = stage.attach == Attach::kAfter;
    if (follows && outer->attach == Attach::kRoot) return {};
    return FindBox(stage, FixedVars(schedule_, follows ? *outer : stage), &b);
  }

  // The buffer of a stage that only followers of its loops read holds the box computed in the loops
  // around it, if no other iteration computes elements of that box.
  void Narrow(const Stage& stage, StageBounds* b) {
    VarSet own;
    const size_t depth = schedule_.LoopsAroundBuffer(stage);
    while (own.size() < depth) own.insert(stage.leaves[own.size()].var.get());
    if (own.empty()) return;
    VarSet fixed = FixedVars(schedule_, stage);
    fixed.insert(own.begin(), own.end());
    const auto computed = [&](const Expr& axis) {
      return std::ranges::find(stage.axes, axis.get(),
                               [](const ir::Axis& a) { return a.var.get(); }) != stage.axes.end();
    };
    const ir::FormMap roots = RootsFor(stage, *b, fixed, computed);
    std::vector<Linear> min;
    std::vector<int64_t> extent;
    for (size_t d = 0; d < stage.axes.size(); ++d) {
      const ir::ExprNode* axis = stage.axes[d].var.get();
      Reach r = ReachOf(roots.at(axis), fixed, out_.ranges);
      if (!r.known) return;
      extent.push_back(CountOf(r.lo, std::move(r.hi)));
      if (!Apart(b->values.at(axis), b->first[d], extent[d], own)) return;
      min.push_back(std::move(r.lo));
    }
    b->around = depth;
    b->min = std::move(min);
    b->extent = std::move(extent);
  }

  // The box that |stage| computes inside the loops of the stage that it follows: the elements that
  // are complete there.
  Status FollowLoops(const Stage& stage, StageBounds* b) {
    const Stage& leader = *schedule_.Find(stage.at_stage);
    const StageBounds& lb = Of(leader);
    const VarSet fixed = FixedVars(schedule_, stage);
    const std::vector<size_t> axes = schedule_.AxesThrough(stage, leader);
    if (axes.empty()) {
      return Fail(Code::kInvalidArgument,
                  "{} is computed in the loops of {}, which a later step made it read no longer",
                  stage.name, leader.name);
    }
    for (size_t d = 0; d < axes.size(); ++d) {
      const Linear& value = lb.values.at(leader.axes[d].var.get());
      Reach r = ReachOf(value, fixed, out_.ranges);
      const int64_t count = r.known ? CountOf(r.lo, std::move(r.hi)) : lb.extent[d];
      // The leader may have padding that this stage lacks.
      const int64_t before = r.known && r.lo.IsConstant() ? r.lo.constant : 0;
      b->count[axes[d]] = std::min(count, std::max<int64_t>(1, b->limit[axes[d]] - before));
      b->once = b->once && r.known && Apart(value, lb.first[d], count, fixed);
      b->first[axes[d]] = r.known ? std::move(r.lo) : lb.min[d];
    }
    return {};
  }

  // The most elements from |lo| to |hi|.
  int64_t CountOf(const Linear& lo, Linear hi) const {
    return ir::BoundsOf(ir::Add(std::move(hi), lo, -1), out_.ranges).hi + 1;
  }

  // Whether the boxes of |count| elements from |index| - |first| on are disjoint; each value of the
  // fixed variables has one.
  bool Apart(const Linear& index, const Linear& first, int64_t count, const VarSet& fixed) const {
    std::vector<std::pair<int64_t, int64_t>> steps;  // with iterations
    for (const Linear::Term& t : ir::Add(index, first, -1).terms) {
      if (!ir::UsesVar(t.atom, fixed)) continue;
      if (t.atom->kind != ir::ExprKind::kVar) return false;
      steps.emplace_back(t.coeff, ir::BoundsOf(t.atom, out_.ranges).hi + 1);
    }
    std::ranges::sort(steps);
    int64_t reach = count;
    for (const auto& [step, iterations] : steps) {
      if (step < reach) return false;
      reach += step * (iterations - 1);
    }
    return true;
  }

  // The union of the boxes that readers need while the loops around |stage| are fixed.
  Status FindBox(const Stage& stage, const VarSet& fixed, StageBounds* b) {
    ReadBox box = Union(stage, out_.reads.Of(stage), fixed);
    for (size_t d = 0; d < box.extent.size(); ++d) {
      if (box.extent[d] >= 1) continue;
      return Fail(Code::kInvalidArgument,
                  "{}: no element of dimension {} is needed where it is computed, at {} of {}",
                  stage.name, d, stage.at_axis, stage.at_stage);
    }
    b->min = std::move(box.min);
    b->extent = std::move(box.extent);
    return {};
  }

  // The box that stages inside the loop read in one iteration.
  ReadBox BoxAhead(const Stage& stage, const schedule::Lookahead& ahead) {
    const Stage& source = *schedule_.Find(ahead.tensor);
    std::vector<BodyRead> reads;
    std::ranges::copy_if(
        out_.reads.Of(source), std::back_inserter(reads),
        [&](const BodyRead& read) { return schedule_.IsInside(*read.reader, stage, ahead.axis); });
    Stage inside;  // as if a copy were computed inside the loop
    inside.attach = Attach::kAt;
    inside.at_stage = stage.name;
    inside.at_axis = ahead.axis;
    return Union(source, reads, FixedVars(schedule_, inside));
  }

  // The box of |stage| that |reads| touch while |fixed| variables are fixed, cut to its bounds.
  // |reads| are some of those of |stage|.
  ReadBox Union(const Stage& stage, std::span<const BodyRead> reads, const VarSet& fixed) {
    const std::vector<int64_t>& limit = Of(stage).limit;
    const size_t rank = stage.shape.size();
    ReadBox box;
    std::vector<Linear> lo(rank), hi(rank);
    std::vector<bool> any(rank, false), whole(rank, false);
    while (!reads.empty()) {  // one reader after another
      const Stage& reader = *reads[0].reader;
      const StageBounds& rb = Of(reader);
      const auto other =
          std::ranges::find_if(reads, [&](const BodyRead& read) { return read.reader != &reader; });
      const std::span<const BodyRead> by(reads.begin(), other);
      reads = reads.subspan(by.size());
      const auto used = [&](const Expr& axis) {
        return std::ranges::any_of(by, [&](const BodyRead& read) {
          return std::ranges::any_of(read.at->args,
                                     [&](const Expr& index) { return ir::UsesVar(index, axis); });
        });
      };
      const ir::FormMap roots =
          looped_.contains(&reader) ? RootsFor(reader, rb, fixed, used) : WholeBox(reader, rb);
      for (const BodyRead& read : by) {
        for (size_t d = 0; d < rank; ++d) {
          Reach r = ReachOf(ir::ToLinear(read.at->args[d], roots, out_.ranges), fixed, out_.ranges);
          if (!r.known) {
            whole[d] = true;
          } else if (!any[d]) {
            lo[d] = std::move(r.lo);
            hi[d] = std::move(r.hi);
          } else {
            whole[d] = whole[d] || !Widen(r, &lo[d], &hi[d]);
          }
          any[d] = true;
        }
      }
    }
    for (size_t d = 0; d < rank; ++d) {
      if (lo[d].IsConstant() && hi[d].IsConstant()) {
        lo[d].constant = std::max<int64_t>(lo[d].constant, 0);
        hi[d].constant = std::min<int64_t>(hi[d].constant, limit[d] - 1);
      }
      const int64_t extent = CountOf(lo[d], std::move(hi[d]));
      const bool all = whole[d] || !any[d] || extent >= limit[d];
      box.min.push_back(all ? Linear() : std::move(lo[d]));
      box.extent.push_back(all ? std::max(limit[d], stage.shape[d]) : extent);
    }
    return box;
  }

  StageBounds& Of(const Stage& stage) { return out_.stages.find(&stage)->second; }
  const StageBounds& Of(const Stage& stage) const { return out_.stages.at(&stage); }

  // Root variables of a reader whose loops are unknown: they range over the box that it holds.
  ir::FormMap WholeBox(const Stage& reader, const StageBounds& rb) {
    ir::FormMap roots;
    for (size_t d = 0; d < reader.axes.size(); ++d) {
      const Expr& axis = reader.axes[d].var;
      roots[axis.get()] = ir::Add(rb.min[d], in_box_.Of(axis, rb.extent[d], &out_.ranges));
    }
    return roots;
  }

  // Root variables of |reader| for the analysis. An axis without fixed loops is one variable over
  // its exact range, which the loops of a split that does not divide would overstate. Without the
  // axes that are not |used|.
  template <typename Used>
  ir::FormMap RootsFor(const Stage& reader, const StageBounds& rb, const VarSet& fixed,
                       const Used& used) {
    ir::FormMap roots;
    roots.others = &rb.values;  // between root and leaf
    std::optional<ir::FormMap> exact;
    auto add = [&](const Expr& axis, const Linear& min, int64_t extent) {
      if (!used(axis)) return;
      const Linear& value = rb.values.at(axis.get());
      if (!ir::UsesVar(value, fixed) || OnlyInMin(value, min, fixed)) {
        roots.emplace(axis.get(), ir::Add(in_loops_.Of(axis, extent, &out_.ranges), min));
        return;
      }
      if (!exact) exact = ExactAxes(reader, rb.extents, fixed, &exact_, &out_.ranges);
      const Linear* of = exact->Of(axis.get());
      roots.emplace(axis.get(), ir::Sum(min, of == nullptr ? ir::ToLinear(axis, out_.ranges) : *of,
                                        out_.ranges));
    };
    roots.reserve(reader.axes.size() + reader.reduce_axes.size());
    for (size_t d = 0; d < reader.axes.size(); ++d) {
      add(reader.axes[d].var, rb.first[d], PaddedExtent(reader, rb.count[d], d));
    }
    for (const ir::Axis& a : reader.reduce_axes) add(a.var, {.constant = a.min}, a.extent);
    return roots;
  }

  // Whether all fixed variables of |value| come from the box's minimum; the loops of the axis then
  // move.
  static bool OnlyInMin(const Linear& value, const Linear& min, const VarSet& fixed) {
    return std::ranges::none_of(value.terms, [&](const Linear::Term& t) {
      return ir::Contains(t.atom, [&](const Expr& x) {
        return fixed.contains(x.get()) &&
               std::ranges::none_of(
                   min.terms, [&](const Linear::Term& of) { return ir::UsesVar(of.atom, x); });
      });
    });
  }

  void MakeLoops(const Stage& stage, StageBounds* b) {
    b->extents = stage.Iterations(b->count);
    for (const schedule::LoopAxis& leaf : stage.leaves) {
      out_.ranges.Set(leaf.var, {0, b->extents.at(leaf.var.get()) - 1});
    }
    b->values = stage.AxesOfLeaves(b->extents, out_.ranges);
    // Bodies may name reduction loops (reindex).
    const auto begin = [&](const Expr& axis, const Linear& first) {
      const auto of = b->values.find(axis.get());
      if (of == b->values.end()) {
        b->values.emplace(axis.get(), ir::Sum(first, ir::ToLinear(axis, out_.ranges), out_.ranges));
      } else if (!first.IsConstant()) {
        of->second = ir::Sum(first, of->second, out_.ranges);
      } else {
        of->second.constant += first.constant;
      }
    };
    for (size_t d = 0; d < stage.axes.size(); ++d) begin(stage.axes[d].var, b->first[d]);
    for (const ir::Axis& a : stage.reduce_axes) begin(a.var, {.constant = a.min});
  }

  const Schedule& schedule_;
  Bounds out_;
  FlatSet<const Stage*> boxed_, looped_;  // stages whose box, whose loops are known
  FreshVars in_box_, in_loops_, exact_;   // for axes: over the box, over the loops, over a split
};

}  // namespace

VarSet FixedVars(const Schedule& schedule, const Stage& stage) {
  VarSet fixed;
  const Stage* inner = &stage;
  while (const Stage* outer = schedule.OuterOf(*inner)) {
    const int last = outer->LeafIndex(inner->at_axis);
    for (int i = 0; i <= last; ++i) fixed.insert(outer->leaves[i].var.get());
    inner = outer;
  }
  return fixed;
}

int64_t PaddedExtent(const Stage& stage, int64_t extent, size_t d) {
  for (const Relation& r : stage.relations) {
    if (r.is_split && r.pad && r.parent.get() == stage.axes[d].var.get())
      extent = RoundUp(extent, r.factor);
  }
  return extent;
}

Result<Bounds> InferBounds(const Schedule& schedule) { return Inference(schedule).Run(); }

}  // namespace tessera::lower
