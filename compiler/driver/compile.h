// SPDX-License-Identifier: Apache-2.0
//
// From a model to an artifact: graph passes, placement, regions, tensor expressions, the host path
// and the accelerator path, steps, memory plans, taps. Depends on: all of compiler/, jit, isa,
// runtime/artifact. Used by tools.
#ifndef TESSERA_COMPILER_DRIVER_COMPILE_H_
#define TESSERA_COMPILER_DRIVER_COMPILE_H_

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/phase_clock.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/driver/evaluate.h"
#include "compiler/graph/graph.h"
#include "compiler/schedule/trace_file.h"
#include "compiler/validate/validate.h"
#include "isa/config.h"
#include "runtime/artifact/artifact.h"

namespace tessera::compiler {

// What Compiled::dump can have, from the model to the machine.
inline constexpr std::array<const char*, 5> kDumpLevels{"graph", "te", "schedule", "ir", "asm"};

struct CompileOptions {
  isa::Config config;
  bool cpu = true;     // plan "cpu": every layer on the host
  bool device = true;  // plan "device": on the accelerator what it can run and is worth it
  // Plans "opencl" and "cuda": every layer as kernels, from OpenCL C or PTX.
  bool opencl = false, cuda = false;
  // Every layer's result has a place of its own and can be read back after an inference; results
  // that stay on chip are stored too. Without: storage is shared by lifetime, and no result but
  // the network's is kept.
  bool keep_tensors = false;
  // The schedules of some layers; the generators make those of the others.
  std::vector<schedule::LayerTrace> schedules;
  bool fuse = true;      // without: a layer a node, so that every tensor of the graph can be read
  bool simplify = true;  // without: the nodes are the importer's, less those that nobody uses
  std::vector<std::string>
      cpu_levels;  // host code for these (runtime/host/cpu_level.h); empty: for this machine
  codegen::HostEffort host_effort = codegen::HostEffort::kFull;
  std::set<std::string> dumps;  // of kDumpLevels
  bool verify = false;          // follow the accelerator's programs in a second order too
  PhaseClock* clock = nullptr;  // is told of the phases; null: nobody is
};

struct Compiled {
  artifact::Artifact artifact;
  std::string dump;  // the texts that were asked for, in the order of the levels
  // What the translation check followed of each program of the accelerator.
  std::vector<validate::TranslationReport> translations;
  std::vector<PlannedProgram> programs;  // of the accelerator, in the order of the artifact
};

// Compiles |graph|, which an importer made from the file |model_file| with the checksum
// |model_crc|.
//   errors  kNotFound     a schedule of a layer that there is not, or does not run there
//           kInvalidArgument, kOutOfRange  a schedule that is not legal: names layer and step
//           kUnsupported  a layer that a device cannot run, named
//           kOutOfRange   a layer or the whole does not fit the configuration
//           kDataLoss     a program that computes something else than its layers: our own bug
Result<Compiled> Compile(graph::Graph graph, const std::string& model_file, uint64_t model_crc,
                         const CompileOptions& options);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_COMPILE_H_
