// SPDX-License-Identifier: Apache-2.0
//
// Those steps of a schedule that say how loops run: as vectors, threads or instructions, with what
// is fetched ahead, or not at all. Depends on: step_fields.h. Used by: step.h, which has the
// others.
#ifndef TESSERA_COMPILER_SCHEDULE_LOOP_STEPS_H_
#define TESSERA_COMPILER_SCHEDULE_LOOP_STEPS_H_

#include <string>
#include <tuple>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/schedule/step_fields.h"

namespace tessera::schedule {

// The loop is a vector.
struct VectorizeStep {
  static constexpr const char* kName = "vectorize";
  static constexpr const char* kUsage = "vectorize STAGE AXIS";
  std::string stage, axis;
  bool operator==(const VectorizeStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

// The loop's iterations are written one after the other.
struct UnrollStep {
  static constexpr const char* kName = "unroll";
  static constexpr const char* kUsage = "unroll STAGE AXIS";
  std::string stage, axis;
  bool operator==(const UnrollStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

// The nest from AXIS inwards is one call (target/tensor_intrin.h), of the first intrinsic that it
// is. Where the nest has a condition that is the same in all of it, each branch is a call.
struct TensorizeStep {
  static constexpr const char* kName = "tensorize";
  static constexpr const char* kUsage = "tensorize STAGE AXIS INTRINSIC ...";
  std::string stage, axis;
  std::vector<std::string> intrinsics;
  bool operator==(const TensorizeStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis, s.intrinsics); }
};

inline bool IsGrid(ir::LoopKind kind) {
  return kind >= ir::LoopKind::kGridX && kind <= ir::LoopKind::kGridZ;
}
inline bool IsThread(ir::LoopKind kind) {
  return kind >= ir::LoopKind::kThreadX && kind <= ir::LoopKind::kThreadZ;
}

// The loop's iterations are groups of threads, or the threads of each group.
struct BindStep {
  static constexpr const char* kName = "bind";
  static constexpr const char* kUsage =
      "bind STAGE AXIS grid.x|grid.y|grid.z|thread.x|thread.y|thread.z";
  std::string stage, axis;
  ir::LoopKind kind = ir::LoopKind::kGridX;
  bool operator==(const BindStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis, s.kind); }
};

// The loop's iterations run on several processors of a host; inside another such loop, on one.
struct ParallelStep {
  static constexpr const char* kName = "parallel";
  static constexpr const char* kUsage = "parallel STAGE AXIS";
  std::string stage, axis;
  bool operator==(const ParallelStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

// The loop's iterations are threads, whose statements take turns: each has its own copy of every
// buffer that is allocated inside.
struct VthreadStep {
  static constexpr const char* kName = "vthread";
  static constexpr const char* kUsage = "vthread STAGE AXIS";
  std::string stage, axis;
  bool operator==(const VthreadStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

// The buffer of STAGE takes the next free place of its memory each time it is allocated, at least
// two in turn, so that it is filled while its last contents are read. Else it has one place.
struct DoubleBufferStep {
  static constexpr const char* kName = "double_buffer";
  static constexpr const char* kUsage = "double_buffer STAGE";
  std::string stage;
  bool operator==(const DoubleBufferStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage); }
};

// In loop AXIS of STAGE the cache lines of what it reads of TENSOR, itself or by stages computed in
// it, DISTANCE iterations later are asked for: iterations of that loop, or of LOOP of OUTER around
// it. Then those that would ask for the same ask for a share of it each.
struct PrefetchStep {
  static constexpr const char* kName = "prefetch";
  static constexpr const char* kUsage = "prefetch TENSOR STAGE AXIS DISTANCE [of OUTER LOOP]";
  std::string tensor, stage, axis;
  Amount distance;
  LoopName of;
  bool operator==(const PrefetchStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.stage, s.axis, s.distance, s.of); }
};

// Iterations of the sum STAGE that add 0 by a condition on AXIS of its reduction, as those do that
// meet pads of 0, are not run.
struct SkipStep {
  static constexpr const char* kName = "skip";
  static constexpr const char* kUsage = "skip STAGE AXIS";
  std::string stage, axis;
  bool operator==(const SkipStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_LOOP_STEPS_H_
