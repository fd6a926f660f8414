// SPDX-License-Identifier: Apache-2.0
//
// Bounds on shifts that follow from a region's constants. Depends on: region.h. Used by: the host's
// half of the compile driver.
#ifndef TESSERA_COMPILER_REGION_SHIFT_BOUNDS_H_
#define TESSERA_COMPILER_REGION_SHIFT_BOUNDS_H_

#include "compiler/region/region.h"

namespace tessera::te {

// Reads of a constant tensor of shifts, none above 0, become min(shift, 0): the generated code then
// omits left shifts. Values do not change. Layers that differ only in their shifts keep equal code.
RegionTe WithShiftBounds(RegionTe region);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_REGION_SHIFT_BOUNDS_H_
