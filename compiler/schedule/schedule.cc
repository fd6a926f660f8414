// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "base/check.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/schedule/editor.h"

namespace tessera::schedule {

namespace {

// |body| with indices simplified for the extents of |stage|'s axes. A reshape wraps or divides an
// index by a number that the index never reaches; left in place, this would hide the axis.
ir::Expr WithPlainIndices(const ir::Expr& body, const Stage& stage) {
  ir::Ranges ranges;
  for (const ir::Axis& a : stage.axes) ranges.Set(a);
  for (const ir::Axis& a : stage.reduce_axes) ranges.Set(a);
  return ir::Rewrite(body, [&](const ir::Expr& e) {
    if (e->kind != ir::ExprKind::kTensorRead) return e;
    return ir::MapOperands(e, [&](const ir::Expr& index) {
      const bool divides = ir::Contains(index, [](const ir::Expr& x) {
        return x->kind == ir::ExprKind::kBin &&
               (x->bin() == ir::BinOp::kDiv || x->bin() == ir::BinOp::kMod);
      });
      return divides ? ir::Simplify(index, ranges) : index;
    });
  });
}

}  // namespace

Stage StageOf(const te::Tensor& t) {
  Stage stage;
  stage.name = t.name();
  stage.dtype = t.dtype();
  stage.shape = t.shape();
  stage.placeholder = t->placeholder;
  stage.axes = t->axes;
  stage.reduce_axes = t->reduce_axes;
  if (t->body) stage.body = WithPlainIndices(t->body, stage);
  for (const ir::Axis& a : stage.axes) stage.leaves.push_back({a.name(), a.var, false});
  for (const ir::Axis& a : stage.reduce_axes) stage.leaves.push_back({a.name(), a.var, true});
  return stage;
}

Result<Schedule> Schedule::Create(const std::vector<te::Tensor>& outputs,
                                  std::shared_ptr<const target::Target> target) {
  TESSERA_TRY(te::Verify(outputs));
  Schedule s;
  s.outputs_ = outputs;
  s.target_ = std::move(target);
  for (const te::Tensor& t : te::TopologicalOrder(outputs)) {
    Stage stage = StageOf(t);
    stage.output = std::find(outputs.begin(), outputs.end(), t) != outputs.end();
    s.stages_.Add(std::move(stage));
  }
  return s;
}

Result<Schedule> Schedule::Replay(const std::vector<te::Tensor>& outputs, const Trace& trace,
                                  std::shared_ptr<const target::Target> target) {
  TESSERA_ASSIGN(Schedule s, Create(outputs, std::move(target)));
  for (const Step& step : trace) TESSERA_TRY(s.Apply(step));
  return s;
}

Status Schedule::Try(const Step& step) {
  Editor editor(this);
  stages_.ForgetChanges();
  TESSERA_TRY(std::visit([&](const auto& s) { return schedule::Apply(s, editor); }, step));
  if (std::holds_alternative<DecideStep>(step)) return {};  // changes no stage
  for (const Stage& s : stages_) {
    // No step may break what an earlier step set.
    if (s.attach != Attach::kRoot) TESSERA_TRY(CheckAttached(s));
    if (!s.in_place_of.empty()) TESSERA_TRY(CheckInPlace(s));
    if (s.prepared) TESSERA_TRY(CheckPrepared(s));
    if (!s.prefetches.empty()) TESSERA_TRY(CheckPrefetches(s));
  }
  return {};
}

Status Schedule::Apply(const Step& step) {
  if (!undoes_) {
    const Status status = Try(step);
    if (!status) return Within(NameOf(step, forgotten_ + trace_.size() + 1), status.error());
    if (keeps_steps_) trace_.push_back(step);
    forgotten_ += keeps_steps_ ? 0 : 1;
    return {};
  }
  StageList before = stages_;
  const Status status = Try(step);
  if (!status) {
    stages_ = std::move(before);
    return Within(NameOf(step, trace_.size() + 1), status.error());
  }
  trace_.push_back(step);
  before_.push_back(std::move(before));
  return {};
}

Status Schedule::Take(const DecideStep& step, Choice value) {
  TESSERA_CHECK(!keeps_steps_);
  ++forgotten_;
  return Editor(this).AddDecision({step.name, step.domain.kind, {}, std::move(value)});
}

void Schedule::ForgetUndo(bool steps) {
  undoes_ = false;
  before_.clear();
  if (!steps) return;
  keeps_steps_ = false;
  forgotten_ += trace_.size();
  trace_ = {};
}

void Schedule::Undo(size_t steps) {
  TESSERA_CHECK(steps <= before_.size());
  for (; steps > 0; --steps) {
    if (const auto* decide = std::get_if<DecideStep>(&trace_.back()))
      decisions_.erase(decide->name);
    stages_ = std::move(before_.back());
    before_.pop_back();
    trace_.pop_back();
  }
}

Status Schedule::Become(const Trace& trace) {
  const auto [own, wanted] = std::ranges::mismatch(trace_, trace);
  Undo(static_cast<size_t>(trace_.end() - own));
  for (auto step = wanted; step != trace.end(); ++step) TESSERA_TRY(Apply(*step));
  return {};
}

Status Schedule::Apply(const std::string& text) {
  TESSERA_ASSIGN(const Trace steps, ParseTrace(text));
  for (const Step& s : steps) TESSERA_TRY(Apply(s));
  return {};
}

Result<int64_t> Schedule::Decide(const std::string& name, const std::vector<int64_t>& domain,
                                 int pick) {
  TESSERA_CHECK(pick >= 0 && pick < std::ssize(domain), "{}", name);
  const int64_t value = domain[static_cast<size_t>(pick)];
  TESSERA_TRY(Apply(Step(DecideStep{.name = name, .domain = {.values = domain}, .value = value})));
  return value;
}

Result<std::vector<Choice>> Schedule::ValuesOf(const DecideStep& step) const {
  Schedule copy = *this;
  return Editor(&copy).ValuesOf(step);
}

std::vector<Decision> Schedule::decisions() const {
  std::vector<Decision> all;
  for (const Step& step : trace_) {
    if (const auto* decide = std::get_if<DecideStep>(&step))
      all.push_back(decisions_.at(decide->name));
  }
  return all;
}

const Stage* Schedule::Find(const std::string& name) const {
  for (const Stage& s : stages_) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

const Stage* Schedule::OuterOf(const Stage& stage) const {
  return stage.attach == Attach::kAt || stage.attach == Attach::kAfter ? Find(stage.at_stage)
                                                                       : nullptr;
}

bool Schedule::IsInside(const Stage& inner, const Stage& stage, const std::string& axis) const {
  if (&inner == &stage) return true;
  for (const Stage* at = &inner; const Stage* outer = OuterOf(*at); at = outer) {
    if (outer == &stage) return stage.LeafIndex(at->at_axis) >= stage.LeafIndex(axis);
  }
  return false;
}

bool Schedule::IsCompleteFor(const Stage& follower) const {
  const Stage& leader = *Find(follower.at_stage);
  std::set<std::string> needs{leader.name};  // stages that read the leader, directly or not
  for (const Stage& s : stages_) {
    if (&s == &follower) break;
    if (s.attach == Attach::kInline || &s == &leader) continue;
    const bool reads = std::ranges::any_of(needs, [&](const std::string& n) { return s.Reads(n); });
    if (reads) needs.insert(s.name);
  }
  return std::ranges::all_of(needs, [&](const std::string& name) {
    if (!follower.Reads(name) || name == leader.name) return true;
    const Stage& s = *Find(name);
    return s.attach == Attach::kAfter && s.at_stage == leader.name &&
           leader.LeafIndex(s.at_axis) >= leader.LeafIndex(follower.at_axis);
  });
}

bool Schedule::ReadersReach() const {
  for (const Stage& s : stages_) {
    if (s.attach == Attach::kAfter && !IsCompleteFor(s)) return false;
    // The buffer of a follower is where its leader's buffer is.
    const Stage* of = s.attach == Attach::kAfter ? Find(s.at_stage) : &s;
    if (of->attach != Attach::kAt || s.attach == Attach::kInline) continue;
    const Stage& outer = *Find(of->at_stage);
    for (const Stage* reader : Consumers(s.name)) {
      if (!IsInside(*reader, outer, of->at_axis)) return false;
      if (reader != &outer || !reader->StartReads(s.name)) continue;
      const int at = outer.LeafIndex(of->at_axis);  // the start runs before the sum's loops
      if (std::any_of(outer.leaves.begin(), outer.leaves.begin() + at + 1,
                      [](const LoopAxis& leaf) { return leaf.reduce; }))
        return false;
    }
  }
  return true;
}

const Stage* Schedule::OwnerOf(const Stage& stage) const {
  // The caller owns an output's memory. Other buffers belong to the stage that computes first.
  const Stage *first = &stage, *last = &stage;
  while (!first->in_place_of.empty()) first = Find(first->in_place_of);
  for (const Stage& s : stages_) {  // consumers are behind their producers
    if (s.in_place_of == last->name) last = &s;
  }
  return last->output ? last : first;
}

std::vector<const Stage*> Schedule::Consumers(const std::string& name) const {
  std::vector<const Stage*> consumers;
  bool behind = false;  // consumers are behind their producers
  for (const Stage& s : stages_) {
    if (behind && s.attach != Attach::kInline && s.Reads(name)) consumers.push_back(&s);
    behind = behind || s.name == name;
  }
  return consumers;
}

std::vector<size_t> Schedule::AxesThrough(const Stage& stage, const Stage& leader) const {
  std::vector<size_t> all;
  bool one = true;
  const auto add = [&](const std::vector<size_t>& axes) {
    one = one && !axes.empty() && (all.empty() || all == axes);
    all = axes;
  };
  if (stage.Reads(leader.name)) add(stage.AxesOfReads(leader.name));
  for (const Stage& s : stages_) {
    if (&s == &stage || s.attach != Attach::kAfter || s.at_stage != leader.name ||
        !stage.Reads(s.name)) {
      continue;
    }
    const std::vector<size_t> axes = stage.AxesOfReads(s.name), further = AxesThrough(s, leader);
    std::vector<size_t> through;
    for (const size_t axis : axes.empty() ? axes : further) through.push_back(axes[axis]);
    add(through);
  }
  return one ? all : std::vector<size_t>{};
}

size_t Schedule::LoopsAroundBuffer(const Stage& stage) const {
  if (stage.output || stage.placeholder || stage.prepared || stage.attach == Attach::kAfter ||
      OwnerOf(stage) != &stage) {
    return 0;
  }
  const auto follows = [&](const Stage& s) {
    return s.attach == Attach::kAfter && s.at_stage == stage.name;
  };
  if (std::ranges::none_of(stages_, follows)) return 0;
  size_t depth = 0;
  while (depth < stage.leaves.size() && !stage.leaves[depth].reduce) ++depth;
  bool read = false;
  for (const Stage& user : stages_) {  // the stage and those in place of it
    if ((user.in_place_of.empty() && &user != &stage) || OwnerOf(user) != &stage) continue;
    for (const Stage* reader : Consumers(user.name)) {
      if (!follows(*reader)) return 0;
      depth = std::min(depth, static_cast<size_t>(stage.LeafIndex(reader->at_axis) + 1));
      read = true;
    }
  }
  return read ? depth : 0;
}

bool Schedule::IsRefilled(const Stage& stage) const {
  const auto repeat = [](const Stage& of, size_t depth, bool follows) {
    const LoopCounts iterations = of.Iterations(of.shape);
    return std::ranges::any_of(of.leaves | std::views::take(depth), [&](const LoopAxis& loop) {
      return iterations.at(loop.var.get()) > 1 && !(follows && loop.reduce);
    });
  };
  const Stage* at = OwnerOf(stage);
  // The buffer of a follower is where its leader's buffer is, or inside the leader's loops.
  if (at->attach == Attach::kAfter && !IsForFollowers(*at)) at = OuterOf(*at);
  if (repeat(*at, LoopsAroundBuffer(*at), false)) return true;
  for (; const Stage* outer = OuterOf(*at); at = outer) {
    // Followers are computed when the sum is complete, in the last iterations of its reduction.
    const bool follows = at->attach == Attach::kAfter || IsForFollowers(*at);
    const auto depth = static_cast<size_t>(outer->LeafIndex(at->at_axis) + 1);
    if (repeat(*outer, depth, follows)) return true;
  }
  return false;
}

bool Schedule::IsForFollowers(const Stage& stage) const {
  const auto alone = [&](const Stage& s) {
    if (s.output || (s.attach != Attach::kAt && s.attach != Attach::kAfter)) return false;
    const std::vector<const Stage*> readers = Consumers(s.name);
    return !readers.empty() && std::ranges::all_of(readers, [&](const Stage* reader) {
      return reader->at_stage == s.at_stage && reader->at_axis == s.at_axis &&
             (reader->attach == Attach::kAfter || OwnerOf(*reader) == OwnerOf(s) ||
              IsForFollowers(*reader));
    });
  };
  if (!alone(stage)) return false;
  // Stages that share a buffer live equally long.
  const Stage* owner = OwnerOf(stage);
  return std::ranges::all_of(
      stages_, [&](const Stage& s) { return &s == &stage || OwnerOf(s) != owner || alone(s); });
}

}  // namespace tessera::schedule
