// SPDX-License-Identifier: Apache-2.0
//
// GpuRegions: the regions of a plan that a GPU runs, and their tensors on it. Internal to
// compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_GPU_REGIONS_H_
#define TESSERA_COMPILER_DRIVER_GPU_REGIONS_H_

#include <map>
#include <set>

#include "compiler/driver/build.h"

namespace tessera::compiler {

class GpuRegions {
 public:
  // The GPU of |kind| is among the devices of the artifact. |all|: it runs all regions; otherwise
  // those that placement gives it.
  GpuRegions(PlanBuild& plan, artifact::DeviceKind kind, bool all);

  uint32_t device() const { return device_; }  // index into Artifact::devices
  // The GPU's buffer of |id|, row-major. A view has the buffer of the tensor that it views.
  uint32_t Buffer(graph::TensorId id);
  // Adds the steps of region |index|; none for a view. Before them, what it reads and the GPU has
  // not yet comes from the host's buffers. After them, the result goes there if another device, or
  // the user, reads it.
  Status AddRegion(size_t index);
  // The buffer that holds |id| after the steps so far: the GPU's if it has it, or else the host's.
  uint32_t Held(graph::TensorId id);

 private:
  graph::TensorId Root(graph::TensorId id) const;
  bool Runs(size_t region) const;
  bool IsReadElsewhere(graph::TensorId root) const;

  PlanBuild& p_;
  const FusedNetwork& n_;
  const artifact::DeviceKind kind_;
  const bool all_;
  uint32_t device_ = 0;
  std::map<graph::TensorId, uint32_t> buffers_;  // by tensor that is no view
  std::set<graph::TensorId> there_;              // of them: on the GPU after the steps so far
};

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_GPU_REGIONS_H_
