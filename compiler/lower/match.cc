// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/match.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "base/check.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/target/unify.h"

namespace tessera::lower {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;

class Matcher {
 public:
  Matcher(const TensorNest& nest, const target::TensorIntrin& intrin, const ir::Ranges& ranges)
      : nest_(nest), intrin_(intrin), ranges_(ranges) {}

  Result<ir::Stmt> Run() {
    const te::TensorNode& b = *intrin_.behaviour.get();
    const bool reduces = !b.reduce_axes.empty();
    const Expr& body = nest_.stage->body;
    if (reduces != (body->kind == ExprKind::kReduce) || (reduces && body->op != b.body->op)) {
      return Bad("the reduction differs");
    }
    if (body->start() && intrin_.FlagsStart())
      return Bad("it starts sums at 0, and this one starts at a value; add that behind the sum");
    Matched operands;
    TESSERA_TRY(MatchLoops(&operands.parameters));
    std::vector<Expr> index;
    for (const ir::Axis& a : b.axes) index.push_back(a.var);
    TESSERA_ASSIGN(output_, Tile(nest_.output, nest_.place, b, index, &operands));
    if (!RoomForRest(b)) {
      return Bad(fmt::format("{} iterations are less than a tile, and {} has no room for the rest",
                             count_, nest_.output->name));
    }
    const Expr pattern = reduces ? b.body->args[0] : b.body;
    target::Unifier<Matched> unifier(
        [this](const Expr& read, const Expr& e, const target::Way&, Matched* matched) {
          return MatchRead(read, e, matched);
        });
    if (!unifier.Match(pattern, nest_.value, &operands)) {
      if (error_) return std::unexpected(*error_);
      return Bad("the expression differs");
    }
    ir::VarMap& values = operands.parameters;
    for (const target::ParamCondition& c : intrin_.conditions) {
      const Result<int64_t> holds = ir::EvalInt(ir::Substitute(c.holds, values));
      TESSERA_CHECK(holds.has_value(), "{}: {}", intrin_.name, c.text);
      if (*holds == 0) return Bad(c.text);
    }
    values[target::FirstStep().get()] = ir::Cast(DType::kInt64, nest_.first);
    values[target::TileCount().get()] = Expr(count_);
    std::vector<Expr> args{output_};
    for (const te::Tensor& t : te::Inputs(intrin_.behaviour)) {
      if (t.name() != intrin_.updates) args.push_back(operands.tiles.at(t.name()));
    }
    for (const Expr& t : intrin_.trailing) {
      Expr value = ir::Simplify(ir::Substitute(t, values));
      // The step of a loop of one iteration may be anything.
      if (value->kind == ExprKind::kVar && value.dtype() == DType::kInt64) value = Expr(0);
      int64_t number = 0;
      args.push_back(ir::IsImm(value, &number) ? Expr(number) : value);
    }
    return ir::Eval(ir::TileCall(intrin_.call, std::move(args)));
  }

 private:
  // The parts of the nest that correspond to tensors and parameters of the behaviour.
  struct Matched {
    std::map<std::string, Expr> tiles;
    std::map<std::string, Expr> reads;  // the behaviour's read that each tile matched
    ir::VarMap parameters;
  };

  std::unexpected<Error> Bad(const std::string& why) const {
    return Fail(Code::kInvalidArgument,
                "{}: the nest is not {}: {}; change its loops or layouts in front of 'tensorize {} "
                "{}', or leave that out",
                nest_.stage->name, intrin_.name, why, nest_.stage->name,
                nest_.stage->tensorize_axis);
  }

  // The parameter that holds the iterations of |axis|; null if their number is fixed.
  const Expr* CountOf(const ir::Axis& axis) const {
    for (const target::AxisCount& c : intrin_.counts) {
      if (c.axis == axis.name()) return &c.count;
    }
    return nullptr;
  }

  // Loops of one iteration without an axis in the behaviour are ignored.
  Status MatchLoops(ir::VarMap* parameters) {
    std::vector<ir::Axis> wanted = intrin_.behaviour->axes, loops;
    const size_t innermost = wanted.size() - 1;
    wanted.insert(wanted.end(), intrin_.behaviour->reduce_axes.begin(),
                  intrin_.behaviour->reduce_axes.end());
    std::ranges::copy_if(nest_.loops, std::back_inserter(loops),
                         [](const ir::Axis& loop) { return loop.extent != 1; });
    size_t next = 0;
    for (size_t k = 0; k < wanted.size(); ++k) {
      const ir::Axis& w = wanted[k];
      const int64_t extent = next < loops.size() ? loops[next].extent : 1;
      const Expr* count = CountOf(w);
      const bool less =
          ((intrin_.partial && k == innermost) || count != nullptr) && extent < w.extent;
      if (k == innermost) count_ = less ? extent : w.extent;
      if (count != nullptr) (*parameters)[count->get()] = Expr(less ? extent : w.extent);
      if (w.extent == 1 || (less && extent == 1)) continue;
      if (!less && extent != w.extent) {
        return Bad(fmt::format("axis {} has {} iterations, loop {} has {}", w.name(), w.extent,
                               next < loops.size() ? loops[next].name() : "(none)", extent));
      }
      loop_of_.emplace_back(w.var, loops[next++]);
    }
    if (next != loops.size())
      return Bad(fmt::format("loop {} is one too many", loops[next].name()));
    return {};
  }

  // A partial iteration still writes a whole tile: whether the rest is padding of the output.
  bool RoomForRest(const te::TensorNode& tile) const {
    if (count_ == tile.axes.back().extent || CountOf(tile.axes.back()) != nullptr) return true;
    int64_t wanted = 1, room = 1;
    for (const int64_t n : tile.shape) wanted *= n;
    const std::vector<int64_t> extents = ir::PhysicalShape(*nest_.output);
    for (size_t d = extents.size(); d-- > 0 && room < wanted;) room *= extents[d];
    // Global memory holds elements, not tiles: a partial store there writes no more than its
    // elements.
    return room == wanted || nest_.output->scope == ir::Scope::kGlobal;
  }

  // The element of an operand for behaviour |tensor| at |index|, in the first iteration. Checks
  // that the operand has the tile's steps and is in a permitted memory.
  Result<Expr> Tile(const ir::Buffer& buffer, const std::vector<Expr>& place,
                    const ir::TensorBase& tensor, const std::vector<Expr>& index,
                    Matched* operands) {
    for (const target::TileScopes& s : intrin_.scopes) {
      if (s.tensor != tensor.name || std::ranges::count(s.scopes, buffer->scope) > 0) continue;
      std::string all;
      for (const ir::Scope scope : s.scopes) all += fmt::format(" {}", ir::ScopeName(scope));
      return Bad(fmt::format("{} ({}) is in {}, and may be in:{}", tensor.name, buffer->name,
                             ir::ScopeName(buffer->scope), all));
    }
    const ir::Linear have = ir::ToLinear(ir::OffsetOf(*buffer, place), ranges_);
    std::vector<Expr> vars;
    ir::VarMap start;
    for (const ir::Axis& l : nest_.loops) {
      vars.push_back(l.var);
      start[l.var.get()] = Expr(0);
    }
    if (!have.IsAffineIn(vars))
      return Bad(fmt::format("{} ({}) does not step linearly", tensor.name, buffer->name));
    const Expr position = ir::Substitute(Position(tensor, index), operands->parameters);
    const ir::Linear form = ir::ToLinear(position, {});
    for (const auto& [axis, loop] : loop_of_) {
      const int64_t step = have.CoeffOf(loop.var);
      const Expr wanted = StepOf(position, form, axis);
      int64_t number = 0;
      if (wanted->kind == ExprKind::kVar) {
        operands->parameters[wanted.get()] = Expr(step);  // a step that is a parameter
      } else if (!ir::IsImm(wanted, &number) || number != step) {
        return Bad(fmt::format("{} ({}) steps by {} in loop {}, the tile by {}", tensor.name,
                               buffer->name, step, loop.name(), ir::Print(wanted)));
      }
    }
    std::vector<Expr> first;
    for (const Expr& p : place) first.push_back(ir::Simplify(ir::Substitute(p, start), ranges_));
    return ir::Load(buffer, std::move(first));
  }

  // The distance of |position|, whose form is |form|, between successive values of |axis|.
  Expr StepOf(const Expr& position, const ir::Linear& form, const Expr& axis) const {
    if (form.IsAffineIn({axis})) return Expr(form.CoeffOf(axis));
    ir::VarMap from, to;
    for (const auto& [other, loop] : loop_of_) from[other.get()] = Expr(0);
    for (const ir::Axis& a : intrin_.behaviour->axes) from.emplace(a.var.get(), Expr(0));
    for (const ir::Axis& a : intrin_.behaviour->reduce_axes) from.emplace(a.var.get(), Expr(0));
    to = from;
    to[axis.get()] = Expr(1);
    return ir::Simplify(ir::Substitute(position, to) - ir::Substitute(position, from));
  }

  // The place of element |index| in a tile of the behaviour.
  static Expr Position(const ir::TensorBase& tensor, const std::vector<Expr>& index) {
    Expr offset = Expr(0);
    for (size_t d = 0; d < index.size(); ++d) offset = offset * Expr(tensor.shape[d]) + index[d];
    return offset;
  }

  // Matches a read of the behaviour with the Load |e|. The first read determines the tile; other
  // reads must be at the same distance from it as in the behaviour.
  bool MatchRead(const Expr& pattern, const Expr& e, Matched* operands) {
    if (e->kind != ExprKind::kLoad || e.dtype() != pattern.dtype()) return false;
    // A table is an operand as a whole: its first element.
    const bool whole = target::LooksUp(pattern);
    const std::vector<Expr> first_of_all(pattern->args.size(), Expr(0));
    if (whole && e->args.size() != pattern->args.size()) return false;
    Result<Expr> tile =
        whole ? Tile(e->buffer, first_of_all, *pattern->tensor, first_of_all, operands)
              : Tile(e->buffer, e->args, *pattern->tensor, pattern->args, operands);
    if (!tile) {
      error_ = tile.error();
      return false;
    }
    const std::string& name = pattern->tensor->name;
    if (name == intrin_.updates && !ir::Equal(*tile, output_)) {
      error_ = Bad(fmt::format("{} is not where {} is; in_place puts it there", e->buffer->name,
                               nest_.output->name))
                   .error();
      return false;
    }
    const auto [known, fresh] = operands->tiles.emplace(name, *tile);
    if (fresh) {
      operands->reads[name] = pattern;
      return true;
    }
    const Expr& first = operands->reads.at(name);
    const auto apart = [&](const Expr& a, const Expr& b) { return ir::Simplify(a - b, ranges_); };
    return known->second->buffer == e->buffer &&
           ir::Equal(apart(ir::OffsetOf(*e->buffer, (*tile)->args),
                           ir::OffsetOf(*e->buffer, known->second->args)),
                     apart(Position(*pattern->tensor, pattern->args),
                           Position(*pattern->tensor, first->args)));
  }

  const TensorNest& nest_;
  const target::TensorIntrin& intrin_;
  const ir::Ranges& ranges_;
  std::vector<std::pair<Expr, ir::Axis>> loop_of_;  // axes of the behaviour, with their loops
  int64_t count_ = 1;                               // iterations of the innermost data axis
  Expr output_;                                     // the output's tile
  std::optional<Error> error_;                      // for the last operand that did not fit
};

}  // namespace

Result<ir::Stmt> MatchTensorIntrin(const TensorNest& nest, const target::TensorIntrin& intrin,
                                   const ir::Ranges& ranges) {
  return Matcher(nest, intrin, ranges).Run();
}

Result<Stmt> MatchNest(const TensorNest& nest, const target::Target& target,
                       const ir::Ranges& ranges) {
  std::optional<Error> first;
  for (const std::string& name : nest.stage->intrinsics) {
    Result<Stmt> call = MatchTensorIntrin(nest, *target.FindIntrinsic(name), ranges);
    if (call) return call;
    if (!first) first = call.error();
  }
  const bool split = nest.value->kind == ir::ExprKind::kSelect && nest.stage->reduce_axes.empty() &&
                     std::ranges::none_of(nest.loops, [&](const ir::Axis& loop) {
                       return ir::UsesVar(nest.value->args[0], loop.var);
                     });
  if (!split) return std::unexpected(*first);
  TensorNest branch = nest;
  branch.value = nest.value->args[1];
  TESSERA_ASSIGN(const Stmt inside, MatchNest(branch, target, ranges));
  branch.value = nest.value->args[2];
  TESSERA_ASSIGN(const Stmt outside, MatchNest(branch, target, ranges));
  return ir::If(ir::Simplify(nest.value->args[0], ranges), inside, outside);
}

Status RequireNoneInside(const schedule::Schedule& schedule, const schedule::Stage& stage,
                         size_t depth) {
  for (size_t i = depth; i < stage.leaves.size(); ++i) {
    if (stage.leaves[i].kind != ir::LoopKind::kVthread) continue;
    return Fail(Code::kInvalidArgument,
                "{}: loop {} is {}, and the virtual threads of {} are inside it; make them of a "
                "loop further out",
                stage.name, stage.tensorize_axis, stage.intrinsics[0], stage.leaves[i].name);
  }
  for (const schedule::Stage& s : schedule.stages()) {
    if (schedule.OuterOf(s) != &stage) continue;
    if (stage.LeafIndex(s.at_axis) < static_cast<int>(depth)) continue;
    return Fail(Code::kInvalidArgument,
                "{}: loop {} is {}, and {} is computed inside it, at {}; attach it further out",
                stage.name, stage.tensorize_axis, stage.intrinsics[0], s.name, s.at_axis);
  }
  return {};
}

}  // namespace tessera::lower
