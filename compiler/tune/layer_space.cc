// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/layer_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::tune {

using schedule::Choice;

Result<LayerSpace> LayerSpace::Make(te::Tensor output, schedule::Trace trace,
                                    std::shared_ptr<const target::Target> target, size_t region,
                                    bool one_core) {
  LayerSpace space;
  space.output_ = std::move(output);
  space.trace_ = std::move(trace);
  space.target_ = std::move(target);
  space.region_ = region;
  std::map<std::string, int> count;
  for (size_t k = 0; k < space.trace_.size(); ++k) {
    if (const auto* decide = std::get_if<schedule::DecideStep>(&space.trace_[k])) {
      space.knobs_.push_back({decide->name});
      const bool kept = one_core && decide->domain.kind == schedule::DomainKind::kLoops;
      space.steps_.push_back({k, false, kept});
      space.given_.picks.push_back(decide->value);
    } else if (std::holds_alternative<schedule::DoubleBufferStep>(space.trace_[k])) {
      const std::string kind = schedule::DoubleBufferStep::kName;
      space.knobs_.push_back({fmt::format("{}.{}", kind, ++count[kind])});
      space.steps_.push_back({k, true, false});
      space.given_.picks.emplace_back(1);
    }
  }
  TESSERA_ASSIGN(schedule::Schedule start,
                 schedule::Schedule::Create({space.output_}, space.target_));
  const size_t first = space.knobs_.empty() ? space.trace_.size() : space.steps_[0].at;
  for (size_t k = 0; k < first; ++k) TESSERA_TRY(start.Apply(space.trace_[k]));
  start.ForgetUndo();
  space.start_ = std::move(start);
  TESSERA_TRY(space.ScheduleOf(space.given_));
  return space;
}

bool LayerSpace::HasChoice() const {
  return std::ranges::any_of(steps_, [](const TraceStep& step) { return !step.kept; });
}

schedule::Trace LayerSpace::TraceOf(const Point& point) const {
  schedule::Trace trace;
  size_t knob = 0;
  for (size_t k = 0; k < trace_.size(); ++k) {
    if (knob == knobs_.size() || steps_[knob].at != k) {
      trace.push_back(trace_[k]);
      continue;
    }
    const Choice& pick = point.picks[knob];
    if (!steps_[knob].optional) {
      trace.push_back(trace_[k]);
      std::get<schedule::DecideStep>(trace.back()).value = pick;
    } else if (pick.number != 0) {
      trace.push_back(trace_[k]);
    }
    ++knob;
  }
  return trace;
}

Status LayerSpace::ApplyUntil(const Point& point, size_t from, size_t to,
                              schedule::Schedule* s) const {
  for (size_t knob = from; knob < to; ++knob) {
    schedule::Step step = trace_[steps_[knob].at];
    if (!steps_[knob].optional) std::get<schedule::DecideStep>(step).value = point.picks[knob];
    if (!steps_[knob].optional || point.picks[knob].number != 0) TESSERA_TRY(s->Apply(step));
    const size_t end = knob + 1 < knobs_.size() ? steps_[knob + 1].at : trace_.size();
    for (size_t k = steps_[knob].at + 1; k < end; ++k) TESSERA_TRY(s->Apply(trace_[k]));
  }
  return {};
}

Result<schedule::Schedule> LayerSpace::ScheduleOf(const Point& point) const {
  schedule::Schedule s = *start_;
  TESSERA_TRY(ApplyUntil(point, 0, knobs_.size(), &s));
  return s;
}

void LayerSpace::Put(const Point& point, compiler::PlannedProgram* program) const {
  program->regions[region_].schedule = TraceOf(point);
}

std::vector<Choice> LayerSpace::Domain(const std::vector<Choice>& picks) {
  const TraceStep& step = steps_[picks.size()];
  schedule::Schedule s = *start_;
  if (!ApplyUntil({picks}, 0, picks.size(), &s)) return {};
  if (step.optional) return {Choice(0), Choice(1)};
  auto found = s.ValuesOf(std::get<schedule::DecideStep>(trace_[step.at]));
  if (!found) return {};
  if (step.kept && !found->empty()) return {NearestOf(*found, given_.picks[picks.size()])};
  return std::move(*found);
}

bool LayerSpace::IsLegal(const Point& point) { return ScheduleOf(point).has_value(); }

}  // namespace tessera::tune
