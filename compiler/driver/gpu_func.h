// SPDX-License-Identifier: Apache-2.0
//
// A region as kernels: scheduled and lowered. Internal to compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_GPU_FUNC_H_
#define TESSERA_COMPILER_DRIVER_GPU_FUNC_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/lower/gpu/kernels.h"
#include "compiler/region/region.h"
#include "compiler/schedule/sketch.h"
#include "runtime/artifact/artifact.h"

namespace tessera::compiler {

// Activations and the output are row-major.
struct GpuFunc {
  lower::KernelFunc func;
  // One for each parameter of func.loops; the last is the region's output. Values known at compile
  // time are packed into the parameter's layout.
  std::vector<te::Binding> bindings;
  schedule::Trace schedule;
};

// The name of a kind of device and of its plan: "opencl", "cuda".
const char* GpuName(artifact::DeviceKind kind);
// A kind of device as placements name it (network/pins.h), and the other way round.
uint32_t PlaceOf(artifact::DeviceKind kind);
artifact::DeviceKind KindOf(uint32_t place);

// |trace|: the schedule; null: the generator makes one.
//   errors  kInvalidArgument  a trace that is not legal, or gives an activation a layout
Result<GpuFunc> MakeGpuFunc(const te::RegionTe& region, const std::string& name,
                            artifact::DeviceKind kind, const schedule::Trace* trace = nullptr);

// The sketches of |region|; the first is what MakeGpuFunc makes.
//   errors  those of MakeGpuFunc
Result<std::vector<schedule::Sketch>> GpuSketchesOf(const te::RegionTe& region,
                                                    artifact::DeviceKind kind);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_GPU_FUNC_H_
