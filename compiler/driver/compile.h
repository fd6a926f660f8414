// SPDX-License-Identifier: Apache-2.0
//
// From a model to an artifact: graph passes, placement, regions, tensor expressions, the host path
// and the accelerator path, steps, memory plans, taps. Depends on: all of compiler/, jit, isa,
// runtime/artifact. Used by tools.
#ifndef TESSERA_COMPILER_DRIVER_COMPILE_H_
#define TESSERA_COMPILER_DRIVER_COMPILE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/phase_clock.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/driver/evaluate.h"
#include "compiler/driver/off_chip.h"
#include "compiler/graph/graph.h"
#include "compiler/network/layer_times.h"
#include "compiler/network/objective.h"
#include "compiler/network/pins.h"
#include "compiler/schedule/trace_file.h"
#include "compiler/validate/validate.h"
#include "isa/config.h"
#include "runtime/artifact/artifact.h"

namespace tessera::compiler {

// The parts of Compiled::dump, from the model to the machine.
inline constexpr std::array<const char*, 5> kDumpLevels{"graph", "te", "schedule", "ir", "asm"};

struct CompileOptions {
  isa::Config config;
  bool cpu = true;     // plan "cpu": every layer on the host
  bool device = true;  // plan "device": the accelerator runs the layers that it can and that pay
  // Plans "opencl" and "cuda": every layer as kernels, from OpenCL C or PTX.
  bool opencl = false, cuda = false;
  // Every layer's result gets its own place, so that it can be read back after an inference;
  // results that stay on chip are stored too. Without it tensors share storage by lifetime, and
  // only the network's results are kept.
  bool keep_tensors = false;
  // The schedules of some layers; the generators make those of the others.
  std::vector<schedule::LayerTrace> schedules;
  network::Pins pins;                      // where the user puts some layers in plan "device"
  std::optional<network::Objective> goal;  // of its placement; nothing: network/place.h's rule
  // What layers took in runs, for the placement; null: it has estimates alone.
  std::shared_ptr<const network::LayerTimes> measured;
  bool fuse = true;      // false: one node a layer, so that every tensor of the graph can be read
  bool simplify = true;  // false: keeps the importer's nodes, except unused ones
  std::vector<std::string>
      cpu_levels;  // host code for these (runtime/host/cpu_level.h); empty: for this machine
  Floats floats = Floats::kExact;  // of the host's layers that have no given schedule
  codegen::HostEffort host_effort = codegen::HostEffort::kFull;
  std::set<std::string> dumps;  // of kDumpLevels
  // Schedules alone, for Compiled::host_layers and gpu_layers: no host code, so the artifact cannot
  // run.
  bool layers_only = false;
  bool verify = false;          // check the accelerator's programs in a second order too
  PhaseClock* clock = nullptr;  // records the phases; null: nothing does
};

struct Compiled {
  artifact::Artifact artifact;
  std::string dump;  // the texts of options.dumps, in the order of the levels
  // The translation check's report for each program of the accelerator.
  std::vector<validate::TranslationReport> translations;
  std::vector<PlannedProgram> programs;  // of the accelerator, in the order of the artifact
  std::vector<OffChip> off_chip;  // layers that lost their places on chip; the user is to know
  // With CompileOptions::layers_only: the layers that a plan runs on the host, each once; none for
  // a level of the host without figures (target/host_level.h).
  std::vector<PlannedHostLayer> host_layers;
  std::vector<PlannedGpuLayer> gpu_layers;  // with layers_only: of the plans of GPUs
};

// Compiles |graph|, which an importer made from the file |model_file| with the checksum
// |model_crc|.
//   errors  kNotFound     a schedule of an unknown layer, or for a target that does not run it
//           kInvalidArgument, kOutOfRange  a schedule that is not legal: names layer and step
//           kUnsupported  a layer that a device cannot run, named
//           kOutOfRange   a layer or the whole does not fit the configuration
//           kDataLoss     a program whose results differ from its layers': a bug of the compiler
Result<Compiled> Compile(graph::Graph graph, const std::string& model_file, uint64_t model_crc,
                         const CompileOptions& options);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_COMPILE_H_
