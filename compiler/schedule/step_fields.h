// SPDX-License-Identifier: Apache-2.0
//
// Types of words in steps: tails of splits, places of stages, loops. Used by: step.h, loop_steps.h,
// stage.h.
#ifndef TESSERA_COMPILER_SCHEDULE_STEP_FIELDS_H_
#define TESSERA_COMPILER_SCHEDULE_STEP_FIELDS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tessera::schedule {

// How a split treats the last part if its factor does not divide the iterations.
enum class Tail : uint8_t {
  kGuard,  // a condition skips the extra iterations
  kPad,    // they run: every tensor that the axis indexes needs a padded layout
  // Of a reduction: the last part begins earlier, so that it is whole; iterations that it shares
  // with the part before do not count.
  kOverlap,
};

// The stage OTHER of "before OTHER"; "": the order follows the reads.
struct Successor {
  std::string stage;
  bool operator==(const Successor&) const = default;
};

// Some of a stage's axes; empty: all of them.
struct AxisChoice {
  std::vector<std::string> names;
  bool operator==(const AxisChoice&) const = default;
};

// Dimensions of a tensor that stay; empty: none.
struct KeptDims {
  std::vector<int64_t> dims;
  bool operator==(const KeptDims&) const = default;
};

// A loop of a stage; "": no loop.
struct LoopName {
  std::string stage, axis;
  bool operator==(const LoopName&) const = default;
};

// The place of a stage: inside loop |axis| of |stage|, where |decision| says, or the root.
struct LoopPlace {
  std::string stage, axis, decision;
  bool operator==(const LoopPlace&) const = default;
};

// The loops of all of |lists|, one list after the other.
inline std::vector<std::string> Joined(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_STEP_FIELDS_H_
