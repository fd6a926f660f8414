// SPDX-License-Identifier: Apache-2.0
//
// Steps that say how loops run: as vectors, threads or instructions, with prefetches, or not at
// all. Depends on: compiler/ir, domain.h, step_fields.h. Used by: step.h, which has the others.
#ifndef TESSERA_COMPILER_SCHEDULE_LOOP_STEPS_H_
#define TESSERA_COMPILER_SCHEDULE_LOOP_STEPS_H_

#include <string>
#include <tuple>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/schedule/domain.h"
#include "compiler/schedule/step_fields.h"

namespace tessera::schedule {

// Runs the loop as a vector.
struct VectorizeStep {
  static constexpr const char* kName = "vectorize";
  static constexpr const char* kUsage = "vectorize STAGE AXIS";
  std::string stage, axis;
  bool operator==(const VectorizeStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

// Unrolls the loop: writes its iterations one after the other.
struct UnrollStep {
  static constexpr const char* kName = "unroll";
  static constexpr const char* kUsage = "unroll STAGE AXIS";
  std::string stage, axis;
  bool operator==(const UnrollStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

// Replaces the nest from AXIS inwards by a call (target/tensor_intrin.h) of the first intrinsic
// that matches; $NAME is a decision's. If a condition of the nest is the same in all of it, each
// branch becomes a call.
struct TensorizeStep {
  static constexpr const char* kName = "tensorize";
  static constexpr const char* kUsage = "tensorize STAGE AXIS INTRINSIC|$NAME ...";
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

// Binds the loop's iterations to groups of threads, or to the threads of each group.
struct BindStep {
  static constexpr const char* kName = "bind";
  static constexpr const char* kUsage =
      "bind STAGE AXIS grid.x|grid.y|grid.z|thread.x|thread.y|thread.z";
  std::string stage, axis;
  ir::LoopKind kind = ir::LoopKind::kGridX;
  bool operator==(const BindStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis, s.kind); }
};

// Runs the loop's iterations on several processors of a host; on one if inside another such loop.
// $NAME is a decision's loop, or none.
struct ParallelStep {
  static constexpr const char* kName = "parallel";
  static constexpr const char* kUsage = "parallel STAGE AXIS|$NAME";
  std::string stage, axis;
  bool operator==(const ParallelStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

// Runs the loop's iterations as virtual threads that take turns. Each has its own copy of the
// buffers allocated inside.
struct VthreadStep {
  static constexpr const char* kName = "vthread";
  static constexpr const char* kUsage = "vthread STAGE AXIS";
  std::string stage, axis;
  bool operator==(const VthreadStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

// The buffer of STAGE rotates: each allocation takes the next free place of at least two, so that
// one can be filled while another is read. Without the step it has one place.
struct DoubleBufferStep {
  static constexpr const char* kName = "double_buffer";
  static constexpr const char* kUsage = "double_buffer STAGE";
  std::string stage;
  bool operator==(const DoubleBufferStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage); }
};

// Prefetches in loop AXIS of STAGE the cache lines of TENSOR that it, or a stage computed in it,
// reads DISTANCE iterations later; nothing if that is 0. These are iterations of AXIS, or of LOOP
// of OUTER around it; then the iterations that would request the same lines request a share each.
struct PrefetchStep {
  static constexpr const char* kName = "prefetch";
  static constexpr const char* kUsage = "prefetch TENSOR STAGE AXIS DISTANCE [of OUTER LOOP]";
  std::string tensor, stage, axis;
  Amount distance;
  LoopName of;
  bool operator==(const PrefetchStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.tensor, s.stage, s.axis, s.distance, s.of); }
};

// Skips iterations of the sum STAGE that add 0 by a condition on AXIS of its reduction, such as
// those that read pads of 0; of an instruction, those that are all such.
struct SkipStep {
  static constexpr const char* kName = "skip";
  static constexpr const char* kUsage = "skip STAGE AXIS";
  std::string stage, axis;
  bool operator==(const SkipStep&) const = default;
  static auto Fields(auto& s) { return std::tie(s.stage, s.axis); }
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_LOOP_STEPS_H_
