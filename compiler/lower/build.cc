// SPDX-License-Identifier: Apache-2.0
//
// Builds loops from bounds: one nest per stage, producers inside the loops where they are attached,
// a reduction as a store of its start value and an update.
#include <algorithm>

#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"
#include "compiler/lower/bounds.h"
#include "compiler/lower/conditions.h"
#include "compiler/lower/halo.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/match.h"
#include "compiler/lower/padding.h"
#include "compiler/lower/parallel.h"
#include "compiler/lower/prefetch.h"
#include "compiler/lower/stage_guards.h"
#include "compiler/lower/storage.h"
#include "compiler/schedule/params.h"

namespace tessera::lower {
namespace {

using ir::Buffer;
using ir::Expr;
using ir::Stmt;
using schedule::Attach;
using schedule::LoopAxis;
using schedule::Schedule;
using schedule::Stage;

class Builder {
 public:
  Builder(const Schedule& schedule, Bounds bounds)
      : schedule_(schedule), bounds_(std::move(bounds)) {
    for (const Stage& s : schedule_.stages())
      conditions_[s.name] = ConditionsOf(schedule_, bounds_, s);
  }

  Result<ir::Func> Build(const std::string& name, std::vector<std::string> params) {
    if (params.empty()) params = schedule::ParamNames(schedule_);
    ir::Func func{.name = name};
    for (const std::string& p : params) {
      const Stage* stage = schedule_.Find(p);
      if (!stage || (!stage->placeholder && !stage->output && !stage->prepared)) {
        return Fail(Code::kInvalidArgument,
                    "{}: parameter '{}' is neither an input nor an output, nor prepared", name, p);
      }
      if (buffers_.contains(p))
        return Fail(Code::kInvalidArgument, "{}: parameter '{}' is named twice", name, p);
      buffers_[p] = MakeBuffer(schedule_, bounds_, *stage);
      func.params.push_back(buffers_[p]);
    }
    for (const Stage& s : schedule_.stages()) {
      const bool given = s.placeholder || s.prepared;
      const bool needed = s.output || (given && schedule::IsRead(schedule_, s));
      if (needed && !buffers_.contains(s.name)) {
        return Fail(Code::kInvalidArgument, "{}: '{}' is missing from the parameters", name,
                    s.name);
      }
    }
    std::vector<Stmt> nests;
    std::vector<Buffer> locals;
    for (const Stage& s : schedule_.stages()) {
      if (s.placeholder || s.prepared || s.attach != Attach::kRoot) continue;
      if (!s.output && schedule_.Consumers(s.name).empty()) continue;  // fully inlined
      TESSERA_TRY(DeclareWithFollowers(s, 0, &locals));
      TESSERA_ASSIGN(const Stmt nest, Nest(s));
      nests.push_back(nest);
    }
    func.body = ir::Seq(std::move(nests));
    for (size_t i = locals.size(); i-- > 0;) func.body = ir::Alloc(locals[i], func.body);
    TESSERA_TRY(CheckParallel(schedule_, func));
    return func;
  }

 private:
  // Declares the buffer of |stage| and adds it to |locals|, unless the stage shares another one.
  Status Declare(const Stage& stage, std::vector<Buffer>* locals) {
    TESSERA_TRY(CheckInPlace(schedule_, bounds_, stage));
    const Stage* owner = schedule_.OwnerOf(stage);
    if (owner == &stage) {
      locals->push_back(buffers_[stage.name] = MakeBuffer(schedule_, bounds_, stage));
      return {};
    }
    const Buffer& buffer = buffers_[stage.name] = buffers_.at(owner->name);
    const std::vector<int64_t> room = ir::PaddedShape(*buffer);
    const Buffer own = MakeBuffer(schedule_, bounds_, stage);  // has the room for padded splits
    for (size_t d = 0; d < room.size(); ++d) {
      const int64_t wanted = own->shape[d];
      if (wanted <= room[d]) continue;
      return Fail(Code::kInvalidArgument,
                  "{} is computed for {} elements of dimension {}, the buffer of {} that it shares "
                  "has {}; leave in_place out",
                  stage.name, wanted, d, owner->name, room[d]);
    }
    return {};
  }

  // Inside of |depth| loops of |stage|: declares its buffer, if it belongs there, and the stages in
  // place of it. A follower with its own buffer has it around all loops, or, if only followers read
  // it, where they are.
  Status DeclareWithFollowers(const Stage& stage, size_t depth, std::vector<Buffer>* locals) {
    const bool here = bounds_.stages.at(&stage).around == depth;
    if (stage.output && depth == 0) TESSERA_TRY(CheckInPlace(schedule_, bounds_, stage));
    if (!stage.output && here) TESSERA_TRY(Declare(stage, locals));
    for (const Stage& s : schedule_.stages()) {
      if (s.attach != Attach::kAfter || s.at_stage != stage.name) continue;
      const bool own = schedule_.OwnerOf(s) == &s;
      if (schedule_.IsForFollowers(s) || (own ? depth > 0 : !here)) continue;
      if (s.output) {
        TESSERA_TRY(CheckInPlace(schedule_, bounds_, s));
      } else {
        TESSERA_TRY(Declare(s, locals));
      }
    }
    return {};
  }

  // Builds the stages that follow loop |depth| - 1 of |stage|: they run in the last iterations of
  // the reductions around them.
  Status Followers(const Stage& stage, size_t depth, std::vector<Stmt>* nests) {
    if (depth == 0) return {};
    Expr last = ir::Imm(DType::kBool, 1);
    for (size_t i = 0; i < depth; ++i) {
      const LoopAxis& leaf = stage.leaves[i];
      if (leaf.reduce) last = ir::And(last, ir::Eq(leaf.var, Extent(stage, leaf) - Expr(1)));
    }
    std::vector<Stmt> following;
    std::vector<Buffer> local;
    for (const Stage& s : schedule_.stages()) {
      if (s.at_stage != stage.name || s.at_axis != stage.leaves[depth - 1].name) continue;
      const bool follows = s.attach == Attach::kAfter, shared = schedule_.IsForFollowers(s);
      if (!follows && !shared) continue;
      if (MaySkipLast(stage, conditions_.at(stage.name), depth)) {
        return Fail(
            Code::kInvalidArgument,
            "{} is computed in the last iteration of the reductions of {}, which a "
            "condition skips; choose factors that divide them, leave 'skip' out, or attach further "
            "out than {}",
            s.name, stage.name, s.at_axis);
      }
      if (shared) TESSERA_TRY(Declare(s, &local));
      TESSERA_ASSIGN(const Stmt nest, Nest(s));
      following.push_back(nest);
    }
    if (following.empty()) return {};
    const Stmt all = Scoped(local, ir::Seq(std::move(following)));
    nests->push_back(ir::If(ir::Simplify(last, bounds_.ranges), all));
    return {};
  }

  // Allocates |local| around |body| and forgets these buffers.
  Stmt Scoped(const std::vector<Buffer>& local, Stmt body) {
    for (size_t i = local.size(); i-- > 0;) {
      body = ir::Alloc(local[i], body);
      std::erase_if(buffers_, [&](const auto& known) { return known.second == local[i]; });
    }
    return body;
  }

  // The place of an element of a stage in its buffer.
  std::vector<Expr> Place(const std::string& name, const std::vector<Expr>& indices) const {
    // A stage in place of another has its elements where the owner's are.
    const StageBounds& b = bounds_.stages.at(schedule_.OwnerOf(*schedule_.Find(name)));
    std::vector<Expr> place;
    for (size_t d = 0; d < indices.size(); ++d)
      place.push_back(ir::Simplify(indices[d] - ir::FromLinear(b.min[d]), bounds_.ranges));
    return place;
  }

  // The value that an iteration of |stage| computes, over buffers and loop variables.
  Result<Expr> LoweredValue(const Stage& stage) {
    const bool reduces = stage.body->kind == ir::ExprKind::kReduce;
    return Lowered(stage, reduces ? stage.body->args[0] : ir::Expr(stage.body),
                   conditions_.at(stage.name).All());
  }

  // |e| of |stage|'s body, over buffers and loop variables. |guards| hold where it is computed.
  Result<Expr> Lowered(const Stage& stage, const Expr& e, const std::vector<Expr>& guards) {
    const StageBounds& b = bounds_.stages.at(&stage);
    std::string missing;
    const Expr out = ir::Rewrite(ir::Substitute(e, ir::FromLinear(b.values)), [&](const Expr& x) {
      if (x->kind != ir::ExprKind::kTensorRead) return x;
      auto it = buffers_.find(x->tensor->name);
      if (it == buffers_.end()) {
        missing = x->tensor->name;
        return x;
      }
      return ir::Load(it->second, Place(x->tensor->name, x->args));
    });
    if (!missing.empty()) {
      return Fail(Code::kInvalidArgument,
                  "{} reads {}, which is computed inside a loop that does not contain {}; attach "
                  "{} further out",
                  stage.name, missing, stage.name, missing);
    }
    return ReadHalos(schedule_, out, guards, bounds_.ranges);
  }

  Result<Stmt> Nest(const Stage& stage) {
    const StageConditions& conditions = conditions_.at(stage.name);
    if (FlagsInit(stage) && MaySkipFirst(stage, conditions, bounds_.ranges)) {
      return Fail(Code::kInvalidArgument,
                  "{}: {} starts the sum in its first iteration, which a condition may skip; "
                  "choose another intrinsic, or leave 'skip' or 'align' out",
                  stage.name, stage.intrinsics[0]);
    }
    StageGuards guards(stage, conditions);
    return Loops(stage, 0, &guards);
  }

  // Loops |depth| and further in; before them the producers that are attached to loop |depth| - 1.
  Result<Stmt> Loops(const Stage& stage, size_t depth, StageGuards* guards) {
    const std::vector<Expr> ready = guards->Ready(depth);
    std::vector<Stmt> nests;
    std::vector<Buffer> local;
    if (depth > 0) {
      TESSERA_TRY(DeclareWithFollowers(stage, depth, &local));
      TESSERA_TRY(Prefetches(stage, stage.leaves[depth - 1], &nests));
    }
    for (const Stage& p : schedule_.stages()) {
      if (depth == 0 || p.attach != Attach::kAt || p.at_stage != stage.name) continue;
      if (p.at_axis != stage.leaves[depth - 1].name || schedule_.IsForFollowers(p)) continue;
      TESSERA_TRY(DeclareWithFollowers(p, 0, &local));
      TESSERA_ASSIGN(const Stmt nest, Nest(p));
      nests.push_back(nest);
    }
    TESSERA_ASSIGN(const Stmt inside, Inside(stage, depth, guards));
    nests.push_back(inside);
    TESSERA_TRY(Followers(stage, depth, &nests));
    return Guarded(ready, Scoped(local, ir::Seq(std::move(nests))));
  }

  // The prefetches that loop |leaf| of |stage| issues.
  Status Prefetches(const Stage& stage, const LoopAxis& leaf, std::vector<Stmt>* nests) {
    for (size_t k = 0; k < stage.prefetches.size(); ++k) {
      const schedule::Lookahead& ahead = stage.prefetches[k];
      if (ahead.axis != leaf.name) continue;
      ReadBox box = bounds_.stages.at(&stage).ahead[k];
      const Expr var = schedule_.LoopOf(stage, ahead).var;
      // If the reach is unknown, the box is the whole tensor, which one iteration has read already.
      if (std::ranges::none_of(
              box.min, [&](const ir::Linear& first) { return ir::UsesVar(first, {var.get()}); }))
        continue;
      const Askers askers = AskersOf(schedule_, bounds_, stage, ahead, box);
      LookAhead(var, ahead.distance, bounds_.ranges, &box);
      const StageBounds& of = bounds_.stages.at(schedule_.OwnerOf(*schedule_.Find(ahead.tensor)));
      for (size_t d = 0; d < box.min.size(); ++d) box.min[d] = ir::Add(box.min[d], of.min[d], -1);
      const auto known = buffers_.find(ahead.tensor);
      if (known == buffers_.end()) {
        return Fail(Code::kInvalidArgument,
                    "{} cannot be prefetched in loop {} of {}: it is computed elsewhere",
                    ahead.tensor, leaf.name, stage.name);
      }
      nests->push_back(
          PrefetchNest(known->second, box, schedule_.target().line_bytes, askers, bounds_.ranges));
    }
    return {};
  }

  // The loops from |depth| on, after the reduction's start if that belongs here.
  Result<Stmt> Inside(const Stage& stage, size_t depth, StageGuards* guards) {
    const bool reduces = !stage.reduce_axes.empty();
    bool first_reduce = reduces && (depth == stage.leaves.size() || stage.leaves[depth].reduce);
    for (size_t i = 0; i < depth; ++i) first_reduce = first_reduce && !stage.leaves[i].reduce;
    Stmt init;
    if (first_reduce && !FlagsInit(stage)) {
      TESSERA_ASSIGN(init, Init(stage, depth, *guards));
    }

    Stmt loops;
    const bool tensor =
        depth < stage.leaves.size() && stage.leaves[depth].name == stage.tensorize_axis;
    if (tensor) {
      if (const Expr* open = guards->Open()) {
        return Fail(
            Code::kInvalidArgument,
            "{}: loop {} cannot be {}: it runs under a condition, {}; choose factors that divide, "
            "or leave 'skip' out",
            stage.name, stage.tensorize_axis, stage.intrinsics[0], ir::Print(*open));
      }
      TESSERA_TRY(RequireNoneInside(schedule_, stage, depth));
      TESSERA_ASSIGN(loops, TensorCall(stage, depth));
    } else if (depth == stage.leaves.size()) {
      TESSERA_ASSIGN(loops, Leaf(stage));
    } else {
      const LoopAxis& leaf = stage.leaves[depth];
      Result<Stmt> body = Loops(stage, depth + 1, guards);
      if (!body) return body;
      loops = ir::For(leaf.var, 0, Extent(stage, leaf), leaf.kind, *body);
    }
    return init ? ir::Seq({init, loops}) : loops;
  }

  Expr Extent(const Stage& stage, const LoopAxis& leaf) const {
    return Expr(bounds_.stages.at(&stage).extents.at(leaf.var.get()));
  }

  // Whether an instruction starts the reduction. Such instructions start sums at 0.
  bool FlagsInit(const Stage& stage) const {
    if (stage.body->start()) return false;
    return std::ranges::any_of(stage.intrinsics, [&](const std::string& name) {
      return schedule_.target().FindIntrinsic(name)->FlagsStart();
    });
  }

  std::vector<Expr> OutputPlace(const Stage& stage) const {
    const StageBounds& b = bounds_.stages.at(&stage);
    std::vector<Expr> index;
    for (const ir::Axis& a : stage.axes) index.push_back(ir::FromLinear(b.values.at(a.var.get())));
    return Place(stage.name, index);
  }

  // Stores the start value of the reduction in the data loops from |depth| on; the loops get fresh
  // variables.
  Result<Stmt> Init(const Stage& stage, size_t depth, const StageGuards& guards) {
    Expr start = stage.body->start();
    if (start) {
      const std::vector<Expr> holds = OfDataLoops(stage, conditions_.at(stage.name).guards);
      TESSERA_ASSIGN(start, Lowered(stage, start, holds));
    } else {
      start = ir::ReduceIdentity(stage.body->reduce(), stage.dtype);
    }
    Stmt body = ir::Store(buffers_.at(stage.name), OutputPlace(stage), start);
    body = Guarded(guards.OpenAtStart(), body);
    ir::VarMap renamed;
    for (size_t i = stage.leaves.size(); i-- > depth;) {
      const LoopAxis& leaf = stage.leaves[i];
      if (leaf.reduce) continue;
      const Expr var = ir::Var(leaf.name);
      renamed[leaf.var.get()] = var;
      body = ir::For(var, 0, Extent(stage, leaf), leaf.kind, body);
    }
    return ir::Substitute(body, renamed);
  }

  Result<Stmt> Leaf(const Stage& stage) {
    const Buffer& buffer = buffers_.at(stage.name);
    const std::vector<Expr> place = OutputPlace(stage);
    TESSERA_ASSIGN(Expr value, LoweredValue(stage));
    if (stage.body->kind == ir::ExprKind::kReduce) {
      const Expr before = ir::Load(buffer, place);
      const bool fused = ir::FusedFactors(*stage.body) != nullptr;
      TESSERA_CHECK(!fused || value->args.size() == 2, "{}: a product is no longer one",
                    stage.name);
      value = fused ? ir::Fma(value->args[0], value->args[1], before)
                    : ir::Bin(ir::ReduceCombiner(stage.body->reduce()), before, value);
    }
    return ir::Store(buffer, place, value);
  }

  Result<Stmt> TensorCall(const Stage& stage, size_t depth) {
    TensorNest nest{
        .stage = &stage, .output = buffers_.at(stage.name), .place = OutputPlace(stage)};
    TESSERA_ASSIGN(nest.value, LoweredValue(stage));
    for (size_t i = depth; i < stage.leaves.size(); ++i) {
      nest.loops.push_back({stage.leaves[i].var, 0,
                            bounds_.stages.at(&stage).extents.at(stage.leaves[i].var.get())});
    }
    // In the first step of the reduction every reduction loop outside the nest is at its start.
    nest.first = ir::Imm(DType::kBool, 1);
    for (size_t i = 0; i < depth; ++i) {
      if (stage.leaves[i].reduce)
        nest.first = ir::And(nest.first, ir::Eq(stage.leaves[i].var, Expr(0)));
    }
    nest.first = ir::Simplify(nest.first, bounds_.ranges);
    Result<Stmt> call = MatchNest(nest, schedule_.target(), bounds_.ranges);
    if (call) return call;
    const auto asks = [&](const schedule::Step& step) {
      const auto* tensorize = std::get_if<schedule::TensorizeStep>(&step);
      return tensorize != nullptr && tensorize->stage == stage.name;
    };
    return schedule::AtStep(schedule_.trace(), asks, call.error());
  }

  const Schedule& schedule_;
  Bounds bounds_;
  std::map<std::string, StageConditions> conditions_;
  std::map<std::string, Buffer> buffers_;  // in scope, by stage
};

}  // namespace

Result<ir::Func> BuildLoops(const Schedule& schedule, const std::string& name,
                            const std::vector<std::string>& params) {
  TESSERA_ASSIGN(Bounds bounds, InferBounds(schedule));
  TESSERA_TRY(CheckPadding(schedule, bounds));
  return Builder(schedule, std::move(bounds)).Build(name, params);
}

}  // namespace tessera::lower
