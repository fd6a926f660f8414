// SPDX-License-Identifier: Apache-2.0
//
// Requantisation by constants in float32, the fastest form on processors with float32 units.
// Depends on: region.h, float_scale.h. Used by: the host's half of the compile driver.
#ifndef TESSERA_COMPILER_REGION_FLOAT_REQUANT_H_
#define TESSERA_COMPILER_REGION_FLOAT_REQUANT_H_

#include "compiler/region/float_scale.h"
#include "compiler/region/region.h"

namespace tessera::te {

// Replaces clamp_add(requant(a, M[c], S[c], r), zero, lo, hi) by requant_clamp
// (compiler/ir/intrin.h) without changing any value. M and S are constant tensors or numbers, |a|
// must stay far enough inside of int32, and FloatScales must find numbers for each channel. Of
// tensors, stage NAME gets four more constants: NAME.offset, NAME.high, NAME.low and NAME.start.
// |known|: the scales of earlier regions, to which those of |region| are added.
RegionTe WithFloatRequant(RegionTe region, FloatScales* known = nullptr);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_REGION_FLOAT_REQUANT_H_
