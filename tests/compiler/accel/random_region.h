// SPDX-License-Identifier: Apache-2.0
//
// Random regions as tensor expressions: a reduction of each kind that the accelerator has, or none,
// and a random epilogue behind it.
#ifndef TESSERA_TESTS_COMPILER_ACCEL_RANDOM_REGION_H_
#define TESSERA_TESTS_COMPILER_ACCEL_RANDOM_REGION_H_

#include "base/rng.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test {

// The kind of reduction in the region.
enum class RandomAnchor {
  kProduct,      // of an output and an input channel, in one group
  kActivations,  // of two activations, some with zero points
  kGroups,       // in groups of channels
  kChannelwise,  // a window of each channel over weights
  kSum,          // a window without weights
  kExtreme,      // the greatest or least, of int8 or int32
  kNone,
};

// One region with its activations, without a program: a plan or the machine may refuse it.
// |images|: the largest batch.
Compiled RandomRegion(RandomAnchor anchor, int64_t images, Rng& rng);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_ACCEL_RANDOM_REGION_H_
