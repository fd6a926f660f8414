// SPDX-License-Identifier: Apache-2.0
//
// Finds where a program that keeps results on chip, whose layers cannot be read, first goes wrong.
// Depends on: sim/trace/compare.h, tools/network.h. Used by: compare.cc.
#ifndef TESSERA_TOOLS_COMPARE_WHERE_H_
#define TESSERA_TOOLS_COMPARE_WHERE_H_

#include <span>
#include <string>

#include "runtime/tensor/tensor.h"
#include "tools/network.h"

namespace tessera::tools {

// For |runner| with wrong outputs for |item|, although each layer is right in a program that stores
// all results. Runs |item| again on such a device, opened anew, and on the functional simulator,
// and traces both. One line: the layer and the instruction in which the two first differ, or that
// they do not differ, or why the line cannot tell.
std::string WhereItGoesWrong(const LoadedNetwork& network, const Runner& runner,
                             std::span<const HostTensor> item, const ExecutorOptions& options);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPARE_WHERE_H_
