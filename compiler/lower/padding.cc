// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/bits.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/conditions.h"
#include "compiler/lower/stage_conditions.h"
#include "compiler/lower/storage.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::ExprKind;
using schedule::Attach;
using schedule::Relation;
using schedule::Schedule;
using schedule::Stage;
using Conditions = std::vector<Expr>;

// One padded split of a stage whose factor does not divide.
class PaddedSplit {
 public:
  PaddedSplit(const Schedule& schedule, const Bounds& bounds, const Stage& stage,
              const Relation& split)
      : schedule_(schedule),
        bounds_(bounds),
        stage_(stage),
        split_(split),
        own_(bounds.stages.at(&stage)),
        values_(ir::FromLinear(own_.values)),
        conditions_(ConditionsOf(schedule, bounds, stage).All()) {}

  Status Check() {
    const ir::Axis* axis = AxisBehind(split_.parent);
    if (axis == nullptr) {
      return Bad(
          fmt::format("it is a part of another loop, whose next part the iterations behind "
                      "its end belong to; choose a factor that divides {}",
                      own_.extents.at(split_.parent.get())));
    }
    const Expr& index = values_.at(axis->var.get());
    ir::Visit(index, [&](const Expr& e) {
      if (e->kind == ExprKind::kVar) loops_.insert(e.get());
    });
    summed_ = std::ranges::any_of(
        stage_.reduce_axes, [&](const ir::Axis& a) { return a.var.get() == axis->var.get(); });
    std::vector<Expr> place;
    for (const ir::Axis& a : stage_.axes) place.push_back(values_.at(a.var.get()));
    TESSERA_TRY(CheckPlace("writes", stage_, place, conditions_));
    const bool reduces = stage_.body->kind == ExprKind::kReduce;
    const std::vector<Expr> parts = reduces ? stage_.body->args : std::vector<Expr>{stage_.body};
    for (const Expr& e : parts) TESSERA_TRY(CheckReads(ir::Substitute(e, values_), conditions_));
    if (!summed_) return {};
    Conditions behind;
    AddAtLeast(index, axis->min + axis->extent, &behind);
    for (const Expr& guard : conditions_) {
      if (IsNever(guard, behind)) return {};  // the iterations are skipped
    }
    behind.insert(behind.end(), conditions_.begin(), conditions_.end());
    const bool nothing =
        ir::IsSum(stage_.body->reduce()) && IsZero(ir::Substitute(parts[0], values_), behind);
    if (nothing) return {};
    return Bad(
        fmt::format("what the iterations behind its end add is not 0, and a factor of the "
                    "sum has to be: an input's by the fill of its layout, or by 'reindex "
                    "TENSOR {} NAME 0'",
                    stage_.name));
  }

 private:
  std::unexpected<Error> Bad(const std::string& why) const {
    return Fail(Code::kInvalidArgument,
                "{}: loop {} cannot be split by {} with 'pad': {}, or leave 'pad' out", stage_.name,
                split_.parent->name, split_.factor, why);
  }

  // Adds |end| <= |index|. For the outermost of fused loops the index is a quotient; its dividend
  // is then at least |end| times the divisor, and other conditions may use the dividend.
  static void AddAtLeast(const Expr& index, int64_t end, Conditions* conditions) {
    conditions->push_back(ir::Le(Expr(end), index));
    int64_t divisor = 0;
    const bool quotient = index->kind == ExprKind::kBin && index->bin() == ir::BinOp::kDiv &&
                          ir::IsImm(index->args[1], &divisor) && divisor > 0;
    if (quotient) AddAtLeast(index->args[0], end * divisor, conditions);
  }

  // The axis past whose end the extra iterations of |loop| lie; null if they lie within the axis.
  const ir::Axis* AxisBehind(const Expr& loop) const {
    const auto is = [&](const ir::Axis& a) { return a.var.get() == loop.get(); };
    for (const std::vector<ir::Axis>* axes : {&stage_.axes, &stage_.reduce_axes}) {
      const auto found = std::ranges::find_if(*axes, is);
      if (found != axes->end()) return &*found;
    }
    for (const Relation& r : stage_.relations) {
      if (!r.is_split && r.parent.get() == loop.get()) return AxisBehind(r.outer);
      const bool whole = r.outer.get() == loop.get()
                             ? !r.overlap
                             : r.inner.get() == loop.get() && own_.extents.at(r.outer.get()) == 1;
      if (r.is_split && whole) return AxisBehind(r.parent);
    }
    return nullptr;
  }

  // Checks that the buffer of |tensor| has a place for all |indices| that the padded loop reaches.
  Status CheckPlace(const char* does, const Stage& tensor, const std::vector<Expr>& indices,
                    const Conditions& conditions) const {
    const Stage& owner = *schedule_.OwnerOf(tensor);
    const ir::Buffer buffer = MakeBuffer(schedule_, bounds_, owner);
    const std::vector<int64_t> room = ir::PaddedShape(*buffer);
    for (size_t d = 0; d < indices.size(); ++d) {
      if (!ir::UsesVar(indices[d], loops_)) continue;
      const Expr min = ir::FromLinear(bounds_.stages.at(&owner).min[d]);
      const Expr place = ir::Simplify(indices[d] - min, bounds_.ranges);
      int64_t before = 0;
      for (const LayoutDim& l : buffer->layout.dims) {
        if (l.dim == static_cast<int>(d)) before = std::max(before, l.before);
      }
      const ir::Interval reach = BoundsUnder(place, conditions, bounds_.ranges);
      if (reach.known() && reach.lo >= -before && reach.hi < room[d]) continue;
      const bool copies = summed_ && tensor.name != stage_.name;
      return Bad(fmt::format(
          "{} {} {} of dimension {} of {}, which has room for {}; 'layout {} ..' has more with "
          "that dimension in blocks{}",
          stage_.name, does,
          reach.known() ? fmt::format("up to index {}", reach.hi)
                        : std::string("nobody knows how far"),
          d, tensor.name, room[d], tensor.name,
          copies ? fmt::format(", 'reindex {} {} NAME 0' a copy that has", tensor.name, stage_.name)
                 : ""));
    }
    return {};
  }

  // Checks the reads in |e|, over loops, where |conditions| hold.
  Status CheckReads(const Expr& e, const Conditions& conditions) const {
    if (e->kind == ExprKind::kTensorRead)
      TESSERA_TRY(CheckPlace("reads", *schedule_.Find(e->tensor->name), e->args, conditions));
    for (size_t k = 0; k < e->args.size(); ++k) {
      if (e->kind == ExprKind::kSelect && k == 1) {
        Conditions holds = conditions;
        ir::PartsOf(e->args[0], &holds);
        TESSERA_TRY(CheckReads(e->args[k], holds));
      } else {
        TESSERA_TRY(CheckReads(e->args[k], conditions));
      }
    }
    return {};
  }

  // Whether a part of |condition| fails whenever |conditions| hold.
  bool IsNever(const Expr& condition, const Conditions& conditions) const {
    std::vector<Expr> parts;
    ir::PartsOf(condition, &parts);
    return std::ranges::any_of(parts, [&](const Expr& part) {
      const std::optional<ir::Linear> room = RoomOf(part, bounds_.ranges);
      return room && BoundsUnder(ir::FromLinear(*room), conditions, bounds_.ranges).hi < 0;
    });
  }

  // Whether |e|, over loops, is certainly 0 where |conditions| hold.
  bool IsZero(const Expr& e, const Conditions& conditions) const {
    const auto zero = [&](size_t k) { return IsZero(e->args[k], conditions); };
    switch (e->kind) {
      case ExprKind::kImm:
        return ir::IsFloat(e.dtype()) ? e->fvalue == 0 : e->ivalue == 0;
      case ExprKind::kUn:
        return (e->un() == ir::UnOp::kCast || e->un() == ir::UnOp::kNeg) && zero(0);
      case ExprKind::kBin:
        switch (e->bin()) {
          case ir::BinOp::kMul:  // with floats, the other factor might be a NaN or infinite
            return ir::IsFloat(e.dtype()) ? zero(0) && zero(1) : zero(0) || zero(1);
          case ir::BinOp::kAdd:
          case ir::BinOp::kSub:
            return zero(0) && zero(1);
          default:
            return false;
        }
      case ExprKind::kSelect: {
        if (IsNever(e->args[0], conditions)) return zero(2);
        Conditions holds = conditions;
        ir::PartsOf(e->args[0], &holds);
        return IsZero(e->args[1], holds) && zero(2);
      }
      case ExprKind::kTensorRead:
        return ReadsZero(e, conditions);
      default:
        return false;
    }
  }

  bool ReadsZero(const Expr& read, const Conditions& conditions) const {
    const Stage& tensor = *schedule_.Find(read->tensor->name);
    for (size_t d = 0; d < read->args.size(); ++d) {
      const ir::Interval reach = BoundsUnder(read->args[d], conditions, bounds_.ranges);
      if (reach.lo < tensor.shape[d]) continue;
      if (tensor.placeholder || tensor.prepared) return tensor.layout.fill == 0;
      if (reach.hi >= ComputedTo(tensor, d)) return false;
    }
    if (tensor.placeholder || tensor.body->kind == ExprKind::kReduce) return false;
    return IsZero(tensor.ValueAt(read->args), conditions);
  }

  // Elements of |tensor| below the result are computed like those inside its shape.
  int64_t ComputedTo(const Stage& tensor, size_t d) const {
    if (tensor.attach != Attach::kRoot) return bounds_.stages.at(&tensor).limit[d];
    int64_t to = tensor.shape[d];
    for (const Relation& r : tensor.relations) {
      if (r.is_split && r.pad && r.parent.get() == tensor.axes[d].var.get())
        to = RoundUp(to, r.factor);
    }
    return to;
  }

  const Schedule& schedule_;
  const Bounds& bounds_;
  const Stage& stage_;
  const Relation& split_;
  const StageBounds& own_;
  const ir::VarMap values_;      // of axes
  const Conditions conditions_;  // of the stage
  ir::VarSet loops_;             // the axis's loops
  bool summed_ = false;          // whether the axis belongs to the reduction
};

}  // namespace

Status CheckPadding(const Schedule& schedule, const Bounds& bounds) {
  for (const Stage& stage : schedule.stages()) {
    if (stage.placeholder || stage.prepared || stage.attach == Attach::kInline) continue;
    if (!stage.output && schedule.Consumers(stage.name).empty()) continue;
    for (const Relation& r : stage.relations) {
      if (!r.is_split || !r.pad) continue;
      if (bounds.stages.at(&stage).extents.at(r.parent.get()) % r.factor == 0) continue;
      TESSERA_TRY(PaddedSplit(schedule, bounds, stage, r).Check());
    }
  }
  return {};
}

}  // namespace tessera::lower
