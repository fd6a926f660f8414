// SPDX-License-Identifier: Apache-2.0
//
// Verilates a machine on first use and keeps it. Depends on: isa/gen (the package),
// build_machine.sh. Used by: plugin.
#ifndef TESSERA_SIM_RTL_ON_DEMAND_H_
#define TESSERA_SIM_RTL_ON_DEMAND_H_

#include <string>

#include "base/error.h"
#include "isa/config.h"
#include "sim/rtl/plugin.h"

namespace tessera::sim {

// Returns the path of the machine of |config| in |cache_dir| and makes the machine if it is
// missing. The file name has a hash of everything that the machine is made from: configuration,
// RTL, memory model, versions of the tools. Errors as FindRtlPlugin.
Result<std::string> BuildOnDemand(const isa::Config& config, WaveKind wave,
                                  const std::string& cache_dir);

// The name and version of the tool that makes machines: "Verilator 5.006".
//   errors  kUnsupported  Verilator is not installed, or the sources are not there
Result<std::string> VerilatorHere();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_ON_DEMAND_H_
