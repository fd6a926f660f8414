// SPDX-License-Identifier: Apache-2.0
//
// RAM blocks and multipliers of a configuration: what yosys makes of the memories and products of
// hw/rtl. Exact; predict_test compares every synthesised configuration.
//
// Depends on: isa. Used by: silicon.cc.
#ifndef TESSERA_HW_PREDICT_EXACT_H_
#define TESSERA_HW_PREDICT_EXACT_H_

#include <cstdint>

#include "isa/config.h"

namespace tessera::hw {

// Halves of a BRAM36.
int64_t Bram18Of(const isa::Config& config);
// DSP48.
int64_t DspOf(const isa::Config& config);

}  // namespace tessera::hw

#endif  // TESSERA_HW_PREDICT_EXACT_H_
