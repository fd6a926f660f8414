// SPDX-License-Identifier: Apache-2.0
//
// The buffers of stages. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_STORAGE_H_
#define TESSERA_COMPILER_LOWER_STORAGE_H_

#include "base/error.h"
#include "compiler/lower/bounds.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// The buffer for the box that |stage| computes where it is attached; for a parameter, all of it.
ir::Buffer MakeBuffer(const schedule::Schedule& schedule, const Bounds& bounds,
                      const schedule::Stage& stage);

// Checks that |stage| may be computed in place of the stage that it names, with its boxes.
//   errors  kInvalidArgument  it may not: says why
Status CheckInPlace(const schedule::Schedule& schedule, const Bounds& bounds,
                    const schedule::Stage& stage);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_STORAGE_H_
