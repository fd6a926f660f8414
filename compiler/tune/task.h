// SPDX-License-Identifier: Apache-2.0
//
// What of a network is searched. On the accelerator: what the layers of a program agree on,
// measured on the program; and each layer that differs from the others, measured in the part of the
// program that it exchanges data on chip with. On the host and on GPUs: each layer that differs
// from the others, measured alone (time_measure.h). Depends on: space.h, compiler/driver. Used by:
// searches, the use of records.
#ifndef TESSERA_COMPILER_TUNE_TASK_H_
#define TESSERA_COMPILER_TUNE_TASK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/driver/evaluate.h"
#include "compiler/tune/layer_space.h"
#include "compiler/tune/space.h"
#include "isa/config.h"

namespace tessera::tune {

// Identifies the task of a record. Records of equal keys are about the same points and cycles.
struct TaskKey {
  uint64_t layer = 0;  // the tensor expressions, without the names in them
  // The sketches around which the space is made, without the values and names in them. They depend
  // on the tensors that stay on chip.
  uint64_t space = 0;
  std::string target;  // as in a trace file: "accelerator", "host", "opencl"
  // The name of the configuration, of the host's level or of the kind of GPU, for messages.
  std::string config;
  uint64_t config_hash = 0;  // of its figures
  uint64_t isa = 0;          // isa::kIsaHash; 0: not of the accelerator
  uint64_t steps = 0;        // the language of schedules: a hash of the usages of its steps
  // The host's (ProcessorName) or the GPU's (GpuDeviceName): its times are of this processor.
  std::string processor = {};
  // Whether both are the same work for the same machine and versions. Configuration names may
  // differ.
  bool operator==(const TaskKey& other) const;
};

// The key of |region|, scheduled by |trace|, its generated schedule.
TaskKey KeyOf(const lower::accel::AccelRegion& region, const schedule::Trace& trace,
              const isa::Config& config);
// The key of |layer| with its generated schedule. Layers that differ only in the values of
// constants have one key.
TaskKey KeyOf(const compiler::PlannedHostLayer& layer);
TaskKey KeyOf(const compiler::PlannedGpuLayer& layer);  // the processor is "" without a device
// The key of the network traces of |program|.
TaskKey KeyOf(const compiler::PlannedProgram& program, const isa::Config& config);

struct Task {
  std::string name;  // of its first layer, or of the program
  TaskKey key;
  std::unique_ptr<Space> space;
  int64_t weight = 1;    // how many layers of the network are this task
  bool follows = false;  // another layer runs before it
  size_t program = 0;    // of a network's task: its index
  // What is measured. Of a layer's task: the other regions have the network's schedules.
  compiler::PlannedProgram part;
  // Measured instead, if not null.
  std::shared_ptr<const compiler::HostLayer> host;
  std::shared_ptr<const compiler::GpuLayer> gpu;
};

// The task of program |index| of |programs|: the network traces of its layers.
//   errors  those of NetworkSpace::Make
Result<Task> NetworkTaskOf(const std::vector<compiler::PlannedProgram>& programs, size_t index,
                           const isa::Config& config);

// The tasks of |programs|, which Compile made, in the order of the layers. Layers without a choice
// are none.
//   errors  those of LayerSpace::Make
Result<std::vector<Task>> TasksOf(const std::vector<compiler::PlannedProgram>& programs,
                                  const isa::Config& config);

// The tasks of |layers|, those of Compiled::host_layers.
//   errors  those of LayerSpace::Make
Result<std::vector<Task>> TasksOf(const std::vector<compiler::PlannedHostLayer>& layers);
// The same for Compiled::gpu_layers.
Result<std::vector<Task>> TasksOf(const std::vector<compiler::PlannedGpuLayer>& layers);

// The sketches of |layer|: its generator's, or the schedule that it was given.
std::vector<schedule::Sketch> SketchesOf(const compiler::PlannedHostLayer& layer);
std::vector<schedule::Sketch> SketchesOf(const compiler::PlannedGpuLayer& layer);

// The space of |layer|: its sketches and what they decide, on the host as far as one core can tell.
//   errors  those of LayerSpace::Make
Result<LayerSpace> SpaceOf(const compiler::PlannedHostLayer& layer);
Result<LayerSpace> SpaceOf(const compiler::PlannedGpuLayer& layer);

// The cycles of |task|'s part by |point|. Any number of threads may call.
//   errors  those of compiler::Evaluate; kTimeout beyond |budget| cycles
Result<uint64_t> CyclesOf(const Task& task, const Point& point, const isa::Config& config,
                          uint64_t budget);

// What the compiled program of |task|'s part by |point| has, as features of a model: log2 of its
// instructions, tokens, steps of the array and of VECTOR, loads of micro-ops, and bytes. Nothing:
// the task is not of the accelerator, or the program is refused. Any number of threads may call.
std::optional<std::vector<float>> ProgramNumbers(const Task& task, const Point& point,
                                                 const isa::Config& config);

// Regions |first| to |last| - 1 of |program| as a program. Results of earlier regions are in device
// memory; results that later regions read go to device memory.
compiler::PlannedProgram PartOf(const compiler::PlannedProgram& program, size_t first, size_t last);

// The indices of the regions at whose start |program| has nothing on chip: 0 first, the number of
// regions last.
std::vector<size_t> CutsOf(const compiler::PlannedProgram& program);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_TASK_H_
