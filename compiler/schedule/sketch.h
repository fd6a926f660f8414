// SPDX-License-Identifier: Apache-2.0
//
// Sketches: the schedules that a generator can make of one expression. They differ in their steps,
// and each has decisions of its own. The first is the one that the generator prefers; a search may
// try them all. Depends on: schedule.h. Used by: the generators, compiler/driver, compiler/tune.
#ifndef TESSERA_COMPILER_SCHEDULE_SKETCH_H_
#define TESSERA_COMPILER_SCHEDULE_SKETCH_H_

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/schedule/schedule.h"

namespace tessera::schedule {

struct Sketch {
  std::string name;  // a word of a step; unique among the sketches of a layer
  te::Tensor output;
  Trace trace;  // a schedule of |output|
};

// Which sketch a generator is to make. It asks once, where it knows which ones fit.
class SketchChoice {
 public:
  explicit SketchChoice(size_t index = 0) : index_(index) {}
  // The one to make of |names|, the preferred one first.
  std::string Among(std::vector<std::string> names);
  const std::vector<std::string>& names() const { return names_; }  // those that fit

 private:
  size_t index_;
  std::vector<std::string> names_;
};

// The sketches of |output| that |make|, a generator, can make. One whose steps are refused does not
// fit and is left out, except for the first. A generator that does not ask has one sketch, "plain".
//   errors  those of the first sketch
Result<std::vector<Sketch>> SketchesBy(
    const te::Tensor& output, const std::function<Result<Schedule>(SketchChoice* choice)>& make);

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_SKETCH_H_
