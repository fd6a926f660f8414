// SPDX-License-Identifier: Apache-2.0
//
// Prints hw/rtl/gen/tsr_pkg.sv, from which the RTL takes the configuration, the instruction set and
// the registers. Depends on isa. Used by isa_gen and by builds of other configurations.
#ifndef TESSERA_ISA_GEN_SV_PACKAGE_H_
#define TESSERA_ISA_GEN_SV_PACKAGE_H_

#include <string>

#include "isa/config.h"

namespace tessera::isa {

// The package's text for |config|, which must pass ValidateConfig. It keeps to the subset that
// Verilator and Debian's yosys read: typed localparams and functions with one assignment, without
// `return` and `import`.
std::string PrintSvPackage(const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_SV_PACKAGE_H_
