// SPDX-License-Identifier: Apache-2.0
//
// Random regions as tensor expressions: a reduction of each kind that the accelerator has, or none,
// and a random epilogue behind it.
#ifndef TESSERA_TESTS_COMPILER_ACCEL_RANDOM_REGION_H_
#define TESSERA_TESTS_COMPILER_ACCEL_RANDOM_REGION_H_

#include "base/rng.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test {

// What the region's reduction is.
enum class RandomAnchor {
  kProduct,      // an output and an input channel, one group
  kActivations,  // of two activations, with zero points or without
  kGroups,       // of channels
  kChannelwise,  // a window of each channel over weights
  kSum,          // a window without weights
  kExtreme,      // the greatest or least, of int8 or int32
  kNone,
};

// One region with its activations, which has no program yet: neither a plan nor the machine may be
// able to have it. |images|: in a batch, at most.
Compiled RandomRegion(RandomAnchor anchor, int64_t images, Rng& rng);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_ACCEL_RANDOM_REGION_H_
