// SPDX-License-Identifier: Apache-2.0
//
// Reads of halos (base/layout.h). Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_HALO_H_
#define TESSERA_COMPILER_LOWER_HALO_H_

#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/ir/ir.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// |e| without selects that only test whether an index is inside of a tensor: either it always is,
// or the tensor's padding or halo reaches as far as the index and holds the other value. select(0
// <= i, Load(x, i), 3) becomes Load(x, i) if parameter x has a halo of 3; halos of the function's
// own buffers are not filled. |guards| hold wherever |e| is computed.
ir::Expr ReadHalos(const schedule::Schedule& schedule, const ir::Expr& e,
                   const std::vector<ir::Expr>& guards, const ir::Ranges& ranges);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_HALO_H_
