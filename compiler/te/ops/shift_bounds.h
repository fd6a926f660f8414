// SPDX-License-Identifier: Apache-2.0
//
// What the constants of a region say of its requantisation. Depends on: region.h. Used by: the
// host's half of the compile driver.
#ifndef TESSERA_COMPILER_TE_OPS_SHIFT_BOUNDS_H_
#define TESSERA_COMPILER_TE_OPS_SHIFT_BOUNDS_H_

#include "compiler/te/ops/region.h"

namespace tessera::te {

// The same values; where shifts of a constant tensor are read of which none is above 0, min(shift,
// 0) is: code has no shifts to the left then. Layers that differ in their shifts alone stay alike.
RegionTe WithShiftBounds(RegionTe region);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_OPS_SHIFT_BOUNDS_H_
