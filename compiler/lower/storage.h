// SPDX-License-Identifier: Apache-2.0
//
// The buffers of stages. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_STORAGE_H_
#define TESSERA_COMPILER_LOWER_STORAGE_H_

#include "base/error.h"
#include "compiler/lower/bounds.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// The buffer of the box that |stage| computes where it is attached; all of it for a parameter.
ir::Buffer MakeBuffer(const schedule::Schedule& schedule, const Bounds& bounds,
                      const schedule::Stage& stage);

// May |stage| be computed in place of what it says, on the boxes that it has?
//   errors  kInvalidArgument  no: why
Status CheckInPlace(const schedule::Schedule& schedule, const Bounds& bounds,
                    const schedule::Stage& stage);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_STORAGE_H_
