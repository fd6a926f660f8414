// SPDX-License-Identifier: Apache-2.0
//
// What some words of a step are: tails of splits, places of stages, loops. Used by: step.h.
#ifndef TESSERA_COMPILER_SCHEDULE_STEP_FIELDS_H_
#define TESSERA_COMPILER_SCHEDULE_STEP_FIELDS_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tessera::schedule {

// What becomes of a split whose factor does not divide.
enum class Tail : uint8_t {
  kGuard,  // the last iterations are skipped by a condition
  kPad,    // they run: every tensor that the axis indexes needs a layout padded so far
  // Of a reduction: the last part begins earlier, so that it is whole, and what it has in common
  // with the part before does not count.
  kOverlap,
};

// A stage in front of which another one goes; "": in the order of who reads whom.
struct Successor {
  std::string stage;
  bool operator==(const Successor&) const = default;
};

// Some of a stage's axes; none: all of them.
struct AxisChoice {
  std::vector<std::string> names;
  bool operator==(const AxisChoice&) const = default;
};

// Dimensions of a tensor that stay as they are; none: no such.
struct KeptDims {
  std::vector<int64_t> dims;
  bool operator==(const KeptDims&) const = default;
};

// A loop of a stage; "": none is named.
struct LoopName {
  std::string stage, axis;
  bool operator==(const LoopName&) const = default;
};

// Where a stage is computed: inside loop |axis| of |stage|, where |decision| says, or at the root.
struct LoopPlace {
  std::string stage, axis, decision;
  bool operator==(const LoopPlace&) const = default;
};

// The loops of all of |lists|, one list behind the other.
inline std::vector<std::string> Joined(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_STEP_FIELDS_H_
