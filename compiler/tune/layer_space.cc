// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/layer_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::tune {

using schedule::Choice;

namespace {

const Choice kNoChoice({"-"});  // of a knob that the point's sketch does not have
// The most schedules that a space keeps. One takes some ten kilobytes.
constexpr size_t kMostBegun = 512, kMostReady = 1024;
constexpr size_t kMostAsked = 50'000;  // beginnings of points that it counts

// Whether |step|, which double_buffers, is worth a choice in |s|. A second copy of what is filled
// once is not filled ahead. The program is the same, but for a place that another layer may need.
bool IsOfUse(const schedule::Step& step, const schedule::Schedule& s) {
  const schedule::Stage* stage = s.Find(std::get<schedule::DoubleBufferStep>(step).stage);
  return stage != nullptr && s.IsRefilled(*stage);
}

}  // namespace

std::vector<LayerSpace::TraceStep> LayerSpace::StepsOf(const schedule::Trace& trace,
                                                       bool one_core) {
  std::vector<TraceStep> steps;
  std::map<std::string, int> count;
  for (size_t k = 0; k < trace.size(); ++k) {
    if (const auto* decide = std::get_if<schedule::DecideStep>(&trace[k])) {
      const bool kept = one_core && decide->domain.kind == schedule::DomainKind::kLoops;
      steps.push_back({.name = decide->name, .at = k, .given = decide->value, .kept = kept});
    } else if (std::holds_alternative<schedule::DoubleBufferStep>(trace[k])) {
      const std::string kind = schedule::DoubleBufferStep::kName;
      steps.push_back({.name = fmt::format("{}.{}", kind, ++count[kind]),
                       .at = k,
                       .given = Choice(1),
                       .optional = true});
    }
  }
  return steps;
}

void LayerSpace::AddKnobs(Member* member) {
  size_t end = members_.empty() ? knobs_.size() : 1;  // behind the last knob of |member| so far
  for (TraceStep& step : member->steps) {
    const auto known = std::ranges::find(knobs_, step.name, &Knob::name);
    const auto index = static_cast<size_t>(known - knobs_.begin());
    if (known != knobs_.end() && index >= end) {
      step.knob = index;
    } else {
      // One of that name that is in front of |end| is another knob.
      if (known != knobs_.end()) step.name = member->sketch.name + "." + step.name;
      knobs_.insert(knobs_.begin() + static_cast<ptrdiff_t>(end), Knob{step.name});
      step.knob = end;
      for (Member& other : members_) {
        for (TraceStep& moved : other.steps) moved.knob += moved.knob >= end ? 1 : 0;
      }
    }
    end = step.knob + 1;
  }
}

Result<LayerSpace> LayerSpace::Make(std::vector<schedule::Sketch> sketches,
                                    std::shared_ptr<const target::Target> target, size_t region,
                                    bool one_core) {
  LayerSpace space;
  space.target_ = std::move(target);
  space.region_ = region;
  if (sketches.size() > 1) space.knobs_.push_back({kSketchKnob});
  for (schedule::Sketch& sketch : sketches) {
    Member member{.sketch = std::move(sketch), .steps = {}, .start = {}, .bare = {}};
    const schedule::Trace& trace = member.sketch.trace;
    member.steps = StepsOf(trace, one_core);
    TESSERA_ASSIGN(schedule::Schedule start,
                   schedule::Schedule::Create({member.sketch.output}, space.target_));
    const size_t first = member.steps.empty() ? trace.size() : member.steps[0].at;
    for (size_t k = 0; k < first; ++k) TESSERA_TRY(start.Apply(trace[k]));
    start.ForgetUndo();
    member.start = std::move(start);
    member.bare = member.start;
    member.bare->ForgetUndo(/*steps=*/true);
    space.AddKnobs(&member);
    space.members_.push_back(std::move(member));
  }
  space.given_.picks.assign(space.knobs_.size(), kNoChoice);
  if (space.members_.size() > 1) space.given_.picks[0] = Choice({space.members_[0].sketch.name});
  for (const TraceStep& step : space.members_[0].steps) space.given_.picks[step.knob] = step.given;
  TESSERA_ASSIGN(const schedule::Schedule given, space.ScheduleOf(space.given_));
  for (const TraceStep& step : space.members_[0].steps) {
    if (step.optional && !IsOfUse(space.members_[0].sketch.trace[step.at], given))
      space.given_.picks[step.knob] = Choice(0);
  }
  return space;
}

const LayerSpace::TraceStep* LayerSpace::Member::StepOf(size_t knob) const {
  const auto found = std::ranges::find(steps, knob, &TraceStep::knob);
  return found == steps.end() ? nullptr : &*found;
}

const LayerSpace::Member& LayerSpace::MemberOf(const std::vector<Choice>& picks) const {
  if (members_.size() == 1) return members_[0];
  return *std::ranges::find(members_, picks[0].words[0],
                            [](const Member& m) { return m.sketch.name; });
}

const std::string& LayerSpace::SketchOf(const Point& point) const {
  return MemberOf(point.picks).sketch.name;
}

const te::Tensor& LayerSpace::OutputOf(const Point& point) const {
  return MemberOf(point.picks).sketch.output;
}

bool LayerSpace::HasChoice() const {
  if (members_.size() > 1) return true;
  return std::ranges::any_of(members_[0].steps, [](const TraceStep& step) { return !step.kept; });
}

schedule::Trace LayerSpace::TraceOf(const Point& point) const {
  const Member& member = MemberOf(point.picks);
  schedule::Trace trace;
  size_t done = 0;
  for (const TraceStep& step : member.steps) {
    const auto from = member.sketch.trace.begin();
    trace.insert(trace.end(), from + static_cast<ptrdiff_t>(done),
                 from + static_cast<ptrdiff_t>(step.at));
    done = step.at + 1;
    const Choice& pick = point.picks[step.knob];
    if (step.optional && pick.number == 0) continue;
    trace.push_back(member.sketch.trace[step.at]);
    if (!step.optional) std::get<schedule::DecideStep>(trace.back()).value = pick;
  }
  trace.insert(trace.end(), member.sketch.trace.begin() + static_cast<ptrdiff_t>(done),
               member.sketch.trace.end());
  return trace;
}

Status LayerSpace::ApplyUntil(const Member& member, const std::vector<Choice>& picks, size_t from,
                              size_t until, bool legal, schedule::Schedule* s) {
  const schedule::Trace& trace = member.sketch.trace;
  for (size_t k = 0; k < member.steps.size(); ++k) {
    const TraceStep& choice = member.steps[k];
    if (choice.knob < from) continue;
    if (choice.knob >= until) break;
    const Choice& pick = picks[choice.knob];
    if (choice.optional) {
      if (pick.number != 0) TESSERA_TRY(s->Apply(trace[choice.at]));
    } else if (legal) {
      TESSERA_TRY(s->Take(std::get<schedule::DecideStep>(trace[choice.at]), pick));
    } else {
      schedule::DecideStep step = std::get<schedule::DecideStep>(trace[choice.at]);
      step.value = pick;
      TESSERA_TRY(s->Apply(step));
    }
    const size_t end = k + 1 < member.steps.size() ? member.steps[k + 1].at : trace.size();
    for (size_t at = choice.at + 1; at < end; ++at) TESSERA_TRY(s->Apply(trace[at]));
  }
  return {};
}

Result<schedule::Schedule> LayerSpace::ScheduleOf(const Point& point) const {
  const Member& member = MemberOf(point.picks);
  schedule::Schedule s = *member.start;
  TESSERA_TRY(ApplyUntil(member, point.picks, 0, point.picks.size(), /*legal=*/false, &s));
  return s;
}

void LayerSpace::Begin(uint64_t hash, const schedule::Schedule& s) {
  if (begun_.size() >= kMostBegun) {
    begun_.clear();
    asked_.clear();
  }
  begun_.insert_or_assign(hash, s);
}

Result<schedule::Schedule> LayerSpace::Begun(const std::vector<Choice>& picks) {
  std::vector<uint64_t> hashes{0};
  for (const Choice& pick : picks) hashes.push_back(HashWith(hashes.back(), pick));
  if (asked_.size() >= kMostAsked) asked_.clear();
  const Member& member = MemberOf(picks);
  size_t count = picks.size();
  while (count > 0 && !begun_.contains(hashes[count])) --count;
  schedule::Schedule s = count > 0 ? begun_.at(hashes[count]) : *member.bare;
  while (count < picks.size()) {
    TESSERA_TRY(ApplyUntil(member, picks, count, count + 1, /*legal=*/true, &s));
    ++count;
    // Picks that two points begin with may begin further ones.
    if (count < picks.size() && ++asked_[hashes[count]] == 2) Begin(hashes[count], s);
  }
  return s;
}

Result<schedule::Schedule> LayerSpace::Replayed(const Point& point) {
  auto ready = ready_.extract(HashOf(point));
  if (!ready.empty()) return std::move(ready.mapped());
  return Begun(point.picks);
}

void LayerSpace::Put(const Point& point, compiler::PlannedProgram* program) const {
  program->regions[region_].schedule = TraceOf(point);
}

std::vector<Point> LayerSpace::Starts() {
  std::vector<Point> starts{given_};
  for (size_t m = 1; m < members_.size(); ++m) {
    Point start = given_;
    start.picks[0] = Choice({members_[m].sketch.name});
    if (std::optional<Point> fitted = Fitted(start)) starts.push_back(std::move(*fitted));
  }
  return starts;
}

std::vector<Choice> LayerSpace::Domain(const std::vector<Choice>& picks) {
  if (members_.size() > 1 && picks.empty()) {
    std::vector<Choice> names;
    for (const Member& member : members_) names.push_back(Choice({member.sketch.name}));
    return names;
  }
  const Member& member = MemberOf(picks);
  const TraceStep* step = member.StepOf(picks.size());
  if (step == nullptr) return {kNoChoice};
  const auto s = Begun(picks);
  if (!s) return {};
  if (!picks.empty()) {
    uint64_t hash = 0;
    for (const Choice& pick : picks) hash = HashWith(hash, pick);
    Begin(hash, *s);
  }
  if (step->optional) {
    if (!IsOfUse(member.sketch.trace[step->at], *s)) return {Choice(0)};
    return {Choice(0), Choice(1)};
  }
  auto found = s->ValuesOf(std::get<schedule::DecideStep>(member.sketch.trace[step->at]));
  if (!found) return {};
  if (step->kept && !found->empty()) return {NearestOf(*found, step->given)};
  return std::move(*found);
}

const Choice& LayerSpace::Wanted(const Point& from, const std::vector<Choice>& picks) const {
  if (members_.size() > 1 && !picks.empty() && from.picks[0] != picks[0]) {
    if (const TraceStep* step = MemberOf(picks).StepOf(picks.size())) return step->given;
  }
  return from.picks[picks.size()];
}

bool LayerSpace::IsLegal(const Point& point) {
  auto s = Begun(point.picks);
  if (!s || !keeps_schedules_) return s.has_value();
  if (ready_.size() >= kMostReady) ready_.clear();
  ready_.insert_or_assign(HashOf(point), std::move(*s));
  return true;
}

}  // namespace tessera::tune
