// SPDX-License-Identifier: Apache-2.0
//
// A region's tensor expressions as the accelerator's compiler takes them. Internal to
// compiler/driver.
#ifndef TESSERA_COMPILER_DRIVER_ACCEL_REGION_H_
#define TESSERA_COMPILER_DRIVER_ACCEL_REGION_H_

#include "compiler/codegen/accel/accel.h"
#include "compiler/te/ops/region.h"

namespace tessera::compiler {

// Activations have the numbers of the graph's tensors.
inline codegen::accel::AccelRegion BindRegion(const te::RegionTe& region) {
  codegen::accel::AccelRegion r;
  r.op = region.name;
  r.output = region.output;
  r.result = region.output_id;
  for (const te::Binding& b : region.bindings) {
    if (b.activation >= 0) {
      r.activations[b.placeholder.get()] = b.activation;
    } else {
      r.constants[b.placeholder.get()] = b.constant;
    }
  }
  return r;
}

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_ACCEL_REGION_H_
