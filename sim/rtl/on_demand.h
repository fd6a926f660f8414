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

// The path of |config|'s machine in |cache_dir|; it is made there if it is missing. The file's name
// has a hash of everything it is made from: configuration, RTL, memory model, tools' versions.
// errors as FindRtlPlugin.
Result<std::string> BuildOnDemand(const isa::Config& config, WaveKind wave,
                                  const std::string& cache_dir);

// The tool that makes machines, as it names itself: "Verilator 5.006".
//   errors  kUnsupported  it is not installed, or the sources are not there
Result<std::string> VerilatorHere();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_ON_DEMAND_H_
