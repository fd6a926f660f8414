// SPDX-License-Identifier: Apache-2.0
//
// The tensors of a program in device memory. Private to compiler/network.
#ifndef TESSERA_COMPILER_NETWORK_PROGRAM_NEEDS_H_
#define TESSERA_COMPILER_NETWORK_PROGRAM_NEEDS_H_

#include <vector>

#include "compiler/network/program.h"

namespace tessera::network {

// Fills in the needs of |plan|, whose regions and residency are known, in order of first use.
//   errors  kInvalidArgument  a region prepares an activation that the host does not pack
Status ListNeeds(const std::vector<Activation>& activations,
                 const std::vector<lower::accel::AccelRegion>& regions, const isa::Config& config,
                 bool store_all, ProgramPlan* plan);

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_PROGRAM_NEEDS_H_
