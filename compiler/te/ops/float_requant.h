// SPDX-License-Identifier: Apache-2.0
//
// Requantisation by constants as processors with float32 do it in the fewest instructions. Depends
// on: region.h, float_scale.h. Used by: the host's half of the compile driver.
#ifndef TESSERA_COMPILER_TE_OPS_FLOAT_REQUANT_H_
#define TESSERA_COMPILER_TE_OPS_FLOAT_REQUANT_H_

#include "compiler/te/ops/region.h"

namespace tessera::te {

// The same values; clamp_add(requant(a, M[c], S[c], r), zero, lo, hi) of constant tensors M and S,
// where |a| is known to stay far enough inside of int32, is requant_clamp (compiler/ir/intrin.h) if
// each channel has numbers for it. They are four more constants, NAME.offset, NAME.high, NAME.low
// and NAME.start of stage NAME.
RegionTe WithFloatRequant(RegionTe region);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_OPS_FLOAT_REQUANT_H_
