// SPDX-License-Identifier: Apache-2.0
//
// Makes a failing program small. Depends on: isa/check. Used by: `tessera regress`, tests that
// compare machines.
#ifndef TESSERA_SIM_RIG_SHRINK_H_
#define TESSERA_SIM_RIG_SHRINK_H_

#include <functional>

#include "isa/config.h"
#include "isa/image.h"

namespace tessera::rig {

// The smallest program that can be reached from |image| by dropping instructions, pairs of tokens
// and data, halves first, and by reducing fields, such that the checker accepts every step and
// |fails| still says true. Asks |fails| at most |max_trials| times. fails(image) is true.
isa::ProgramImage Shrink(const isa::ProgramImage& image, const isa::Config& config,
                         const std::function<bool(const isa::ProgramImage&)>& fails,
                         int max_trials = 2000);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_SHRINK_H_
