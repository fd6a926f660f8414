// SPDX-License-Identifier: Apache-2.0
//
// Shrink: makes a failing program small. Depends on: isa/check. Used by: `tessera regress`, tests
// that compare machines.
#ifndef TESSERA_SIM_RIG_SHRINK_H_
#define TESSERA_SIM_RIG_SHRINK_H_

#include <functional>

#include "isa/config.h"
#include "isa/image.h"

namespace tessera::rig {

// Reduces |image|, which fails, while |fails| stays true: drops instructions, pairs of tokens and
// data, many at once first, and reduces fields. The checker accepts every program that |fails|
// sees. Calls |fails| at most |max_trials| times.
isa::ProgramImage Shrink(const isa::ProgramImage& image, const isa::Config& config,
                         const std::function<bool(const isa::ProgramImage&)>& fails,
                         int max_trials = 2000);

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_SHRINK_H_
