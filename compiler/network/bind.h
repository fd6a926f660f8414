// SPDX-License-Identifier: Apache-2.0
//
// A region's tensor expressions as the accelerator's compiler takes them. Depends on:
// compiler/te/ops, network/program.h. Used by: placement, compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_BIND_H_
#define TESSERA_COMPILER_NETWORK_BIND_H_

#include "compiler/network/program.h"
#include "compiler/te/ops/region.h"

namespace tessera::network {

// Activations have the numbers of the graph's tensors.
inline AccelRegion BindRegion(const te::RegionTe& region) {
  AccelRegion r;
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

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_BIND_H_
