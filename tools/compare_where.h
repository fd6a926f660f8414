// SPDX-License-Identifier: Apache-2.0
//
// Where a program that keeps results on chip first goes wrong, whose layers cannot be read.
// Depends on: sim/trace/compare.h, tools/network.h. Used by: compare.cc.
#ifndef TESSERA_TOOLS_COMPARE_WHERE_H_
#define TESSERA_TOOLS_COMPARE_WHERE_H_

#include <span>
#include <string>

#include "runtime/tensor/tensor.h"
#include "tools/network.h"

namespace tessera::tools {

// |runner|'s outputs for |item| are wrong though each layer is right in a program that stores all
// of them. Runs |item| again on such a device, opened anew, and on the functional simulator, both
// watched. Says in which layer and instruction the two first part, or that they do not, or why
// that cannot be told; a line.
std::string WhereItGoesWrong(const LoadedNetwork& network, const Runner& runner,
                             std::span<const HostTensor> item, const ExecutorOptions& options);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_WHERE_H_
