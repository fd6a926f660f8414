// SPDX-License-Identifier: Apache-2.0
//
// What a search may choose for one layer: the decisions of its schedule's trace, and those of its
// steps that may be left out. The trace of a point is a schedule. Depends on: space.h,
// compiler/schedule. Used by: tasks, cost models.
#ifndef TESSERA_COMPILER_TUNE_LAYER_SPACE_H_
#define TESSERA_COMPILER_TUNE_LAYER_SPACE_H_

#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tune/space.h"

namespace tessera::tune {

class LayerSpace : public Space {
 public:
  // The space around |trace|, a schedule of |output| for |target|. The steps of |trace| that
  // double_buffer are optional: a knob "double_buffer.1" is 1 or, without the step, 0. Put gives
  // the schedule to region |region|. |one_core|: points are measured on one core, which cannot tell
  // what a parallel loop is worth; decisions of such loops have the value given in |trace| alone,
  // or the first one where that is not possible.
  //   errors  those of a step that is refused
  static Result<LayerSpace> Make(te::Tensor output, schedule::Trace trace,
                                 std::shared_ptr<const target::Target> target, size_t region = 0,
                                 bool one_core = false);

  const te::Tensor& output() const { return output_; }
  const target::Target& target() const { return *target_; }
  // Whether a knob may have several values.
  bool HasChoice() const;
  // |point| as a schedule's steps. |point| is one that this space returned.
  schedule::Trace TraceOf(const Point& point) const;
  //   errors  those of a step that is refused
  Result<schedule::Schedule> ScheduleOf(const Point& point) const;
  void Put(const Point& point, compiler::PlannedProgram* program) const override;

 private:
  // The step of a knob: its index in the trace, whether it may be left out, and whether it keeps
  // the given value.
  struct TraceStep {
    size_t at = 0;
    bool optional = false, kept = false;
  };

  std::vector<schedule::Choice> Domain(const std::vector<schedule::Choice>& picks) override;
  bool IsLegal(const Point& point) override;
  // |schedule|, which has the steps before knob |from|, with the steps up to knob |to|.
  Status ApplyUntil(const Point& point, size_t from, size_t to, schedule::Schedule* s) const;

  te::Tensor output_;
  schedule::Trace trace_;
  std::shared_ptr<const target::Target> target_;
  size_t region_ = 0;
  std::vector<TraceStep> steps_;             // by knob
  std::optional<schedule::Schedule> start_;  // the steps in front of the first knob
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_LAYER_SPACE_H_
