// SPDX-License-Identifier: Apache-2.0
//
// How far a stage may be computed. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_LIMIT_H_
#define TESSERA_COMPILER_LOWER_LIMIT_H_

#include <cstdint>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// The shape of |stage|, grown to whole blocks of its layout, where what it reads has a place too,
// and of padded splits.
std::vector<int64_t> LimitOf(const schedule::Schedule& schedule, const schedule::Stage& stage);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_LIMIT_H_
