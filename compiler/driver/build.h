// SPDX-License-Identifier: Apache-2.0
//
// The state that the driver's parts share while they make an artifact: its host functions,
// constants and layers (Build), and the buffers and steps of one plan (PlanBuild). Internal to
// compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_BUILD_H_
#define TESSERA_COMPILER_DRIVER_BUILD_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/driver/gpu_func.h"
#include "compiler/driver/host_func.h"
#include "compiler/driver/off_chip.h"
#include "compiler/graph/fuse.h"
#include "compiler/ir/func_set.h"
#include "compiler/network/layers.h"
#include "compiler/network/memory_plan.h"
#include "compiler/network/place.h"
#include "compiler/network/program.h"
#include "compiler/network/shared_places.h"
#include "compiler/region/region.h"

namespace tessera::compiler {

// The network in the form that all plans start from. Region i is layer i.
struct FusedNetwork {
  graph::Graph graph;
  std::optional<network::Layers> layers;   // of graph, after its last pass
  std::vector<network::NodePlace> places;  // by node
  std::vector<graph::Region> regions;
  std::vector<uint32_t> devices;  // by region: the device of plan "device"
  network::Pins shared;           // the layers that both devices make

  const te::RegionTe& Te(size_t index) const { return layers->Te(regions[index]); }
};

// The limits that failed attempts to compile a network found; the next attempt keeps to them.
struct AcceleratorLimits {
  network::RefusedRegions refused;      // regions to cut or to run on the host
  std::set<graph::TensorId> in_memory;  // tensors that must not stay on chip
  std::vector<OffChip> off_chip;        // why not
};

// Runs the passes over |graph|, chooses the device of each node and fuses nodes to layers. With a
// goal it also chooses layers that both devices make.
//   errors  those of the quantisation rules, ShareLayers, CheckPins
Status PlaceAndFuse(graph::Graph graph, const CompileOptions& options,
                    const AcceleratorLimits& limits, FusedNetwork* fused);

// The operators of |region|: "conv + rescale".
std::string OperatorsOf(const graph::Graph& graph, const graph::Region& region);

class Build {
 public:
  Build(const FusedNetwork& the_network, const CompileOptions& the_options,
        const AcceleratorLimits& the_limits);

  const FusedNetwork& network;
  const CompileOptions& options;
  const AcceleratorLimits& limits;
  // If the device plan could not be made: the limits for another attempt.
  std::optional<AcceleratorLimits> more_limits;
  artifact::Artifact net;
  std::string schedule_dump, ir_dump;
  std::vector<validate::TranslationReport> translations;
  std::vector<PlannedProgram> programs;
  std::vector<PlannedHostLayer> host_layers;  // with layers_only
  std::vector<PlannedGpuLayer> gpu_layers;    // with layers_only

  // The trace that the user gave for region |index|; null: none.
  const schedule::Trace* TraceOf(size_t index, std::string_view target) const;
  const schedule::NetworkTrace* NetworkTraceOf(size_t index, std::string_view target) const;
  // Keeps the trace that region |index| was compiled with; |notes| go into a dump alone.
  void AddSchedule(size_t index, const char* target, const schedule::Trace& trace,
                   std::string_view notes = "");
  void AddNetworkTrace(size_t index, const char* target, const schedule::NetworkTrace& trace);
  // Whether every schedule of the options has a layer that runs where it says.
  Status CheckSchedules() const;

  // The offset of |bytes| in the constants, a multiple of 64; equal contents are stored once.
  uint64_t ConstantOffset(const std::vector<uint8_t>& bytes);
  // Adds |func| to the functions to compile. Of functions that differ only in their names one is
  // compiled; returns its name.
  std::string AddFunc(const ir::Func& func) { return funcs_.all()[funcs_.Add(func)].name; }
  // Region |index| as host code for tensors in |layouts|. Plans with equal layouts share it.
  Result<const HostFunc*> HostFuncOf(size_t index, const HostLayouts& layouts);
  // The same as kernels of |kind|.
  Result<const GpuFunc*> GpuFuncOf(size_t index, artifact::DeviceKind kind);
  // Adds |kernel| to the source for |kind|. Of kernels that differ only in their names one is kept;
  // returns its name.
  std::string AddKernel(const lower::GpuKernel& kernel, artifact::DeviceKind kind);

  // Compiles all functions for the levels that the options name.
  Status FinishHostCode();
  // Prints the kernels of each GPU as source.
  Status FinishGpuCode();

 private:
  const schedule::LayerTrace* GivenFor(size_t index, std::string_view target) const;
  void Keep(const schedule::LayerTrace& layer, std::string_view notes);

  const target::HostLevel* level_;  // of the host's schedules; null: there is none
  int64_t constant_bytes_ = 0;      // of the network's graph
  ir::FuncSet funcs_;
  // By region and its tensors that are not row-major, with their layouts.
  using Laid = std::vector<std::pair<graph::TensorId, std::string>>;
  std::map<std::pair<size_t, Laid>, HostFunc> host_funcs_;
  std::map<std::pair<size_t, artifact::DeviceKind>, GpuFunc> gpu_funcs_;
  struct GpuCode {
    ir::FuncSet funcs;  // the kernels as loops
    std::vector<lower::GpuKernel> kernels;
  };
  std::map<artifact::DeviceKind, GpuCode> gpu_code_;
  std::multimap<uint64_t, std::pair<uint64_t, uint64_t>> constants_;  // hash -> offset, bytes
};

class PlanBuild {
 public:
  PlanBuild(Build& build, std::string name);

  Build& build;
  artifact::ExecutionPlan plan;
  HostLayouts layouts;  // of the host's tensors; tensors not listed are row-major
  // Lays the parts of shared layers, and what they read, into the tensors of the host that these
  // are pieces of (network/shared_places.h).
  void LayShared();
  // Whether |part| lies in another tensor of the host.
  bool IsLaid(graph::TensorId part) const { return laid_.contains(part); }

  // A buffer of the arena of |device|; PlaceBuffers decides where.
  uint32_t ArenaBuffer(const std::string& name, int64_t bytes,
                       uint32_t device = artifact::kHostDevice);
  // |bytes| from byte |offset| of buffer |whole| on.
  uint32_t PartBuffer(const std::string& name, uint32_t whole, int64_t offset, int64_t bytes);
  uint32_t ConstantBuffer(const std::string& name, const std::vector<uint8_t>& bytes,
                          uint32_t device = artifact::kHostDevice);
  // The host's buffer of graph tensor |id|, in its layout. A view has the buffer of the tensor that
  // it views.
  uint32_t TensorBuffer(graph::TensorId id);
  Layout LayoutOf(graph::TensorId id) const;
  // The same as a layout of [batch, channel, y, x].
  Layout ImageLayoutOf(graph::TensorId id) const;
  // Does the same for an input or output of the graph, in the order that the user sees.
  uint32_t UserBuffer(graph::TensorId id);
  // Adds a step between the two buffers if the tensor has an order of its own.
  void AddOrderStep(graph::TensorId id, bool to_user);
  // Adds a step that calls |func|, which writes its last parameter. Adds scratch memory if the code
  // needs it.
  void AddKernel(const ir::Func& func, int32_t layer, std::vector<uint32_t> buffers);
  // Adds a step that runs region |index| on the host; none for a view, and for what LayShared did.
  Status AddHostRegion(size_t index);

  // Adds a step that runs |program|, whose needs have |buffers|. The step writes the results that
  // others read, with keep_tensors all results.
  void AddProgram(uint32_t program, const network::ProgramPlan& needs, size_t regions,
                  const std::vector<uint32_t>& buffers);

  // Gives every buffer its place, by lifetime or, with keep_tensors, one of its own.
  void PlaceBuffers();

 private:
  // The use of a buffer by a program's step: from region |first| to region |last| of the program.
  struct ProgramUse {
    size_t step = 0;
    uint32_t buffer = 0;
    int64_t first = 0, last = 0;
  };
  std::vector<network::Lifetime> Lifetimes() const;  // one a buffer

  struct Part {
    uint32_t whole = 0;  // which is no part
    int64_t offset = 0;
  };
  std::map<graph::TensorId, uint32_t> tensors_, user_;
  std::map<graph::TensorId, network::HostPlace> laid_;
  std::set<size_t> in_place_;       // regions that LayShared left nothing to do
  std::map<uint32_t, Part> parts_;  // by buffer
  std::vector<ProgramUse> program_uses_;
};

// Row-major bytes of a graph tensor.
int64_t BytesOf(const graph::GraphTensor& tensor);

// The plans.
Status AddCpuPlan(Build& build);
Status AddDevicePlan(Build& build);
// Of every region as kernels for the devices of |kind|, and the source of those.
Status AddGpuPlan(Build& build, artifact::DeviceKind kind);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_BUILD_H_
