// SPDX-License-Identifier: Apache-2.0
//
// Plans "opencl" and "cuda": every region as kernels. Tensors stay on the device between the
// network's inputs and outputs; constants are on the device from the start.
#include "compiler/driver/build.h"
#include "compiler/driver/gpu_regions.h"

namespace tessera::compiler {

Status AddGpuPlan(Build& build, artifact::DeviceKind kind) {
  const FusedNetwork& n = build.network;
  PlanBuild p(build, GpuName(kind));
  GpuRegions regions(p, kind, true);
  for (const graph::TensorId id : n.graph.inputs) {
    p.plan.inputs.push_back(p.UserBuffer(id));
    p.AddOrderStep(id, false);
  }
  for (size_t r = 0; r < n.regions.size(); ++r) {
    p.plan.layers[r].device = regions.device();
    TESSERA_TRY(regions.AddRegion(r));
  }
  for (const graph::TensorId id : n.graph.outputs) {
    p.plan.outputs.push_back(p.UserBuffer(id));
    p.AddOrderStep(id, true);
  }
  for (size_t r = 0; r < n.regions.size() && build.options.keep_tensors; ++r)
    p.plan.taps.push_back({static_cast<uint32_t>(r), regions.Held(n.regions[r].output), {}});
  p.PlaceBuffers();
  build.net.plans.push_back(std::move(p.plan));
  return {};
}

}  // namespace tessera::compiler
