// SPDX-License-Identifier: Apache-2.0
//
// What the constants of a region say of its requantisation. Depends on: region.h. Used by: the
// host's half of the compile driver.
#ifndef TESSERA_COMPILER_TE_OPS_SHIFT_BOUNDS_H_
#define TESSERA_COMPILER_TE_OPS_SHIFT_BOUNDS_H_

#include "compiler/te/ops/region.h"

namespace tessera::te {

// The same values; where a constant tensor's shifts are read, min(shift, N) is, N the largest of
// them: code has no shifts to the left where N is not above 0.
RegionTe WithShiftBounds(RegionTe region);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_OPS_SHIFT_BOUNDS_H_
