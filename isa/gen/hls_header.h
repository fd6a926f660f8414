// SPDX-License-Identifier: Apache-2.0
//
// Prints hw/hls/gen/tsr_hls_isa.h, from which the HLS twin takes the configuration and the
// instruction set. Depends on isa. Used by isa_gen.
#ifndef TESSERA_ISA_GEN_HLS_HEADER_H_
#define TESSERA_ISA_GEN_HLS_HEADER_H_

#include <string>

#include "isa/config.h"

namespace tessera::isa {

// The header's text for |config|, which must pass ValidateConfig: C++14 over ap_int.h, constants
// and inline functions without loops, memory or calls of other functions.
std::string PrintHlsHeader(const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_GEN_HLS_HEADER_H_
