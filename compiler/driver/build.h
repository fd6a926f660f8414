// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the driver share while an artifact grows: its buffers, its host functions, its
// layers. Internal to compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_BUILD_H_
#define TESSERA_COMPILER_DRIVER_BUILD_H_

#include <map>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/driver/host_func.h"
#include "compiler/graph/fuse.h"
#include "compiler/ir/ir.h"
#include "compiler/te/ops/region.h"

namespace tessera::compiler {

// The network in the form that both plans start from. Region i is layer i.
struct FusedNetwork {
  graph::Graph graph;
  std::vector<graph::Region> regions;
  std::vector<te::RegionTe> te;
};

class Build {
 public:
  Build(const FusedNetwork& the_network, const CompileOptions& the_options)
      : network(the_network), options(the_options) {}

  const FusedNetwork& network;
  const CompileOptions& options;
  artifact::Artifact net;
  std::string schedule_dump, ir_dump;

  // A buffer of the arena, for one plan's tensor or a packed activation. Nothing shares its place,
  // so that every layer can be read back.
  uint32_t ArenaBuffer(const std::string& name, int64_t bytes);
  // A buffer with constant contents; equal contents are stored once.
  uint32_t ConstantBuffer(const std::string& name, const std::vector<uint8_t>& bytes);
  // The buffer of graph tensor |id| in plan |plan|, row-major. A view has the buffer of what it
  // views.
  uint32_t TensorBuffer(const std::string& plan, graph::TensorId id);
  // The same for an input or output of the graph in the order that the user sees.
  uint32_t UserBuffer(const std::string& plan, graph::TensorId id);
  // Between the two, for a tensor that has an order of its own; nothing to do for others.
  void AddOrderStep(artifact::ExecutionPlan& plan, graph::TensorId id, bool to_user);

  // A step that calls |func| with |buffers|; scratch memory is added when the code wants it.
  artifact::KernelStep Kernel(ir::Func func, int32_t layer, std::vector<uint32_t> buffers);
  // Region |index| on the host as the next step of |plan|, with a tap. A view has nothing to run.
  Status AddHostRegion(artifact::ExecutionPlan& plan, size_t index);

  // The tensor that region |index| only shows under another shape, if that is all it does.
  std::optional<graph::TensorId> Viewed(size_t index) const;

  // Compiles all functions for the levels that were asked for; fills in the scratch buffer.
  Status FinishHostCode();

 private:
  Result<artifact::KernelStep> HostRegion(const std::string& plan, size_t index);

  std::vector<ir::Func> funcs_;
  std::map<size_t, HostFunc> host_funcs_;  // by region: both plans call the same code
  std::map<std::pair<std::string, graph::TensorId>, uint32_t> tensors_, user_;
  std::multimap<uint64_t, uint32_t> constants_;  // hash -> buffer
  int64_t scratch_bytes_ = 0;
};

// Row-major bytes of a graph tensor.
int64_t BytesOf(const graph::GraphTensor& tensor);
// A tap of a row-major host buffer.
artifact::Tap HostTap(uint32_t layer, uint32_t buffer, const graph::GraphTensor& tensor);

// The two plans.
Status AddCpuPlan(Build& build);
Status AddDevicePlan(Build& build);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_BUILD_H_
