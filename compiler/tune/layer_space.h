// SPDX-License-Identifier: Apache-2.0
//
// What a search may choose for one layer: among the sketches of its generator, and then the
// decisions of the sketch's trace and those of its steps that may be left out. The trace of a point
// is a schedule. Depends on: space.h, compiler/schedule. Used by: tasks, cost models.
#ifndef TESSERA_COMPILER_TUNE_LAYER_SPACE_H_
#define TESSERA_COMPILER_TUNE_LAYER_SPACE_H_

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/sketch.h"
#include "compiler/tune/space.h"

namespace tessera::tune {

// The first knob of a space of several sketches. Its value is a sketch's name.
inline constexpr const char* kSketchKnob = "sketch";

class LayerSpace : public Space {
 public:
  // The space around |sketches|, schedules for |target|; the first is given. Sketches share knobs
  // of one name, if these are in the same order. A knob that the point's sketch lacks has one
  // value, "-". The steps that double_buffer are optional: a knob "double_buffer.1" is 1 or,
  // without the step and where the buffer is filled once, 0. Put gives the schedule to region
  // |region|. |one_core|: points are measured on one core, which cannot tell what a parallel loop
  // is worth; decisions of such loops have the value given in the sketch alone, or the first one
  // where that is not possible.
  //   errors  those of a step that is refused
  static Result<LayerSpace> Make(std::vector<schedule::Sketch> sketches,
                                 std::shared_ptr<const target::Target> target, size_t region = 0,
                                 bool one_core = false);

  const target::Target& target() const { return *target_; }
  // Whether a knob may have several values.
  bool HasChoice() const;
  // The sketch of |point|: its name, and the tensor of which the point's trace is a schedule.
  const std::string& SketchOf(const Point& point) const;
  const te::Tensor& OutputOf(const Point& point) const;
  // |point| as a schedule's steps. |point| is one that this space returned.
  schedule::Trace TraceOf(const Point& point) const;
  //   errors  those of a step that is refused
  Result<schedule::Schedule> ScheduleOf(const Point& point) const;
  // Does the same without the trace, for many points: steps that points have in common replay once.
  // One thread at a time.
  Result<schedule::Schedule> Replayed(const Point& point);
  // From now on a point that was found to be legal keeps its schedule for the next Replayed.
  void KeepSchedules() { keeps_schedules_ = true; }
  void Put(const Point& point, compiler::PlannedProgram* program) const override;
  // The schedules of all sketches as their generator makes them; the given one is the first.
  std::vector<Point> Starts() override;

 private:
  // A step with a choice: the name of its knob, the knob's index, the step's index in the trace,
  // the choice in the sketch, whether the step may be left out, and whether it keeps the choice.
  struct TraceStep {
    std::string name;
    size_t knob = 0, at = 0;
    schedule::Choice given;
    bool optional = false, kept = false;
  };
  struct Member {
    schedule::Sketch sketch;
    std::vector<TraceStep> steps;  // in the order of the trace and of the knobs
    // By the steps in front of the first choice; with its trace, and without.
    std::optional<schedule::Schedule> start, bare;
    // Null: the sketch does not have knob |knob|.
    const TraceStep* StepOf(size_t knob) const;
  };

  std::vector<schedule::Choice> Domain(const std::vector<schedule::Choice>& picks) override;
  bool IsLegal(const Point& point) override;
  // Choices for one sketch say nothing about another, which has its own given ones.
  const schedule::Choice& Wanted(const Point& from,
                                 const std::vector<schedule::Choice>& picks) const override;
  static std::vector<TraceStep> StepsOf(const schedule::Trace& trace, bool one_core);
  // Adds the knobs of |member|, and numbers its steps.
  void AddKnobs(Member* member);
  const Member& MemberOf(const std::vector<schedule::Choice>& picks) const;
  // Replays |member| from its first step whose knob is not before |from| up to the first one whose
  // knob is not before |until|. |legal|: each pick is in its domain, which is not found again; |s|
  // has no trace.
  static Status ApplyUntil(const Member& member, const std::vector<schedule::Choice>& picks,
                           size_t from, size_t until, bool legal, schedule::Schedule* s);
  // Keeps |s| as what the picks of |hash| make.
  void Begin(uint64_t hash, const schedule::Schedule& s);
  // The schedule, without its trace, as |picks|, each in its domain, and what is known of points
  // that begin like them make it.
  Result<schedule::Schedule> Begun(const std::vector<schedule::Choice>& picks);

  std::vector<Member> members_;  // by sketch
  std::shared_ptr<const target::Target> target_;
  size_t region_ = 0;
  // Schedules without their traces, by the hash of the picks: as the picks in front of a knob make
  // them, and of legal points whose schedules nobody has asked for yet.
  std::unordered_map<uint64_t, schedule::Schedule> begun_, ready_;
  std::unordered_map<uint64_t, int> asked_;  // how often points began with the picks of a hash
  bool keeps_schedules_ = false;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_LAYER_SPACE_H_
