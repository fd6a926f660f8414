// SPDX-License-Identifier: Apache-2.0
//
// Evaluates one layer with one schedule, in process and without files: a search calls this for each
// candidate. Calls share no state, so any number of threads may call at once. Depends on:
// compiler/network, lower, codegen, sim/cycle/count.h, runtime/host. Used by: bench, tests.
#ifndef TESSERA_COMPILER_DRIVER_EVALUATE_H_
#define TESSERA_COMPILER_DRIVER_EVALUATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/driver/gpu_func.h"
#include "compiler/driver/host_func.h"
#include "compiler/network/program.h"
#include "compiler/region/region.h"
#include "compiler/schedule/step.h"
#include "isa/config.h"
#include "isa/image.h"
#include "jit/program_builder.h"
#include "runtime/device.h"
#include "runtime/host/host_code.h"
#include "runtime/host/mapping.h"

namespace tessera::compiler {

// A layer alone on the accelerator, with its activations in device memory.
struct AccelLayer {
  lower::accel::AccelRegion region;
  std::vector<network::Activation> activations;  // by tensor of the graph
  isa::Config config;
};

// |layer| of |graph|, whose layers are placed. Constants are zeros: their bytes are not copied.
AccelLayer AccelLayerOf(const graph::Graph& graph, const te::RegionTe& layer,
                        const isa::Config& config);

// The program of |layer| by |trace|, checked (isa/check). Cycles depend on no data, so constants
// are zeros.
//   errors  those of network::PlanProgram, codegen::accel::EmitProgram and isa::RequireChecked
Result<isa::ProgramImage> ProgramOf(const AccelLayer& layer, const schedule::Trace& trace);

// Cycles, units and traffic of that program on device `cycle`.
//   errors  those of ProgramOf and sim::CountCycles
Result<RunReport> Evaluate(const AccelLayer& layer, const schedule::Trace& trace);

// A program of the accelerator: layers that run one after another.
struct PlannedProgram {
  std::vector<network::Activation> activations;  // by tensor of the graph
  std::vector<lower::accel::AccelRegion> regions;
  // Set by Compile, not read by Evaluate. By region: its schedule; by activation: whether it stays
  // on chip.
  std::vector<schedule::Trace> traces;
  std::vector<schedule::NetworkTrace> network;
  std::vector<bool> on_chip;
};

// Sets |traces|, |network| and |on_chip| of |program| to those of |plan|.
void TakePlan(network::ProgramPlan plan, PlannedProgram* program);

// Plans |program| by its network traces and schedules, and sets |traces|, |network| and |on_chip|.
//   errors  those of network::PlanProgram
Status PlanAgain(PlannedProgram* program, const isa::Config& config);

// Cycles, units and traffic of |program| on device `cycle`. The generator schedules the regions
// that have no schedule. |budget|: cycles.
//   errors  those of network::PlanProgram, codegen::accel::EmitProgram and isa::RequireChecked;
//           kTimeout the run takes more than |budget| cycles; those of sim::CountCycles
Result<RunReport> Evaluate(const PlannedProgram& program, const isa::Config& config,
                           uint64_t budget = 1'000'000'000);

// What the code generator counts of the image of |program|, without a run.
//   errors  those of network::PlanProgram and codegen::accel::EmitProgram
Result<jit::ProgramStats> StatsOf(const PlannedProgram& program, const isa::Config& config);

// A layer on the host.
struct HostLayer {
  te::RegionTe region;
  HostLayouts layouts;
  const target::HostLevel* level = nullptr;  // one that this machine has
};

// A layer of a network on the host, with its schedule there.
struct PlannedHostLayer {
  HostLayer layer;
  schedule::Trace trace;
  std::vector<schedule::Sketch> sketches = {};  // the generator's; empty: |trace| was given
};

// A loaded host function with memory for its operands and results.
struct HostCandidate {
  HostFunc made;
  // One for each parameter of made.func, in the layout of made.buffers: constants have their
  // values, activations are zeros. The scratch memory, if the code needs any, is last.
  std::vector<Mapping> memory;
  HostCode code;
  HostKernel kernel = nullptr;

  void Run();
};

//   errors  those of MakeHostFunc, codegen::CompileObject and HostCode::Load
Result<HostCandidate> Evaluate(const HostLayer& layer, const schedule::Trace& trace);

// A layer on a GPU.
struct GpuLayer {
  te::RegionTe region;
  artifact::DeviceKind kind = artifact::DeviceKind::kOpenCl;
};

// A layer of a network on a GPU, with its schedule there.
struct PlannedGpuLayer {
  GpuLayer layer;
  schedule::Trace trace;
  std::vector<schedule::Sketch> sketches = {};  // as of a host's layer
};

struct GpuCandidate {
  GpuFunc made;
  std::string source;  // of its kernels: OpenCL C or PTX
};

//   errors  those of MakeGpuFunc and codegen::PtxSource
Result<GpuCandidate> Evaluate(const GpuLayer& layer, const schedule::Trace& trace);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_EVALUATE_H_
