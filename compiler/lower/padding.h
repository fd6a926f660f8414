// SPDX-License-Identifier: Apache-2.0
//
// The conditions that padded splits must meet (schedule::Tail::kPad). Private to compiler/lower.
// Used by: build.cc.
//
// A padded loop runs iterations behind its end. They must lie behind the end of an axis, otherwise
// they repeat iterations of another part. Every tensor that they index must have a place for their
// accesses. In a reduction they must add nothing.
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
