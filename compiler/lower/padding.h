// SPDX-License-Identifier: Apache-2.0
//
// What padded splits oblige to (schedule::Tail::kPad). Private to compiler/lower. Used by:
// build.cc.
//
// Iterations behind the end of a padded loop run. They must lie behind the end of an axis, or they
// are iterations of another part, which run twice; every tensor that they index needs a place for
// what they read and write; and of a reduction they must add nothing.
#ifndef TESSERA_COMPILER_LOWER_PADDING_H_
#define TESSERA_COMPILER_LOWER_PADDING_H_

#include "base/error.h"
#include "compiler/lower/bounds.h"
#include "compiler/schedule/schedule.h"

namespace tessera::lower {

//   errors  kInvalidArgument  names stage, loop, tensor and a way out
Status CheckPadding(const schedule::Schedule& schedule, const Bounds& bounds);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_PADDING_H_
