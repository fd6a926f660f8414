// SPDX-License-Identifier: Apache-2.0
//
// The tasks of one inference of a plan, in order: its steps, with what comes before and after them.
// A transfer between two devices is two tasks, which receive the bytes from one and send them to
// the other. Depends on: runtime/artifact, flow.h, dependences.h. Used by: the executor.
#ifndef TESSERA_RUNTIME_EXECUTOR_TASKS_H_
#define TESSERA_RUNTIME_EXECUTOR_TASKS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/artifact/artifact.h"
#include "runtime/executor/dependences.h"
#include "runtime/executor/flow.h"

namespace tessera {

struct PlanTask {
  enum class Kind : uint8_t {
    kInputs,      // fills the inputs in
    kStates,      // fills in the states that the inference begins with
    kKernel,      // a step of the plan, on the host or a device that runs kernels
    kProgram,     // a step of the plan
    kReceive,     // takes the bytes of a transfer from a device to the host
    kSend,        // gives those of the host to a device
    kKeepStates,  // keeps the states that the inference leaves
    kFinish,      // the outputs, the report
  };
  Kind kind = Kind::kInputs;
  uint32_t device = artifact::kHostDevice;  // whose calls it makes
  uint32_t step = 0;                        // of the plan, if |HasStep|
  bool HasStep() const { return kind >= Kind::kKernel && kind <= Kind::kSend; }
};

std::vector<PlanTask> TasksOf(const artifact::Artifact& artifact,
                              const artifact::ExecutionPlan& plan);

// What each of |tasks| reads and writes. Memory d is the arena of device d; behind those, each
// transfer between two devices has a memory of the host. A program may use every byte of its arena:
// its step does not list the results that it needs inside alone.
std::vector<Access> AccessesOf(const artifact::Artifact& artifact,
                               const artifact::ExecutionPlan& plan,
                               std::span<const PlanTask> tasks);

// |tasks| with their dependences. |queues|: by device id; that of the host is 0. |carry_states|: an
// inference begins with the states that the one before it left.
Flow FlowOf(const artifact::Artifact& artifact, const artifact::ExecutionPlan& plan,
            std::span<const PlanTask> tasks, std::span<const uint32_t> queues, bool carry_states);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_EXECUTOR_TASKS_H_
