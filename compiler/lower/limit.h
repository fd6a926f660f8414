// SPDX-License-Identifier: Apache-2.0
//
// The indices for which a stage may be computed. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_LIMIT_H_
#define TESSERA_COMPILER_LOWER_LIMIT_H_

#include <cstdint>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// The shape of |stage|, enlarged by padded splits, and to whole blocks of its layout if the tensors
// that it reads have a place there too.
std::vector<int64_t> LimitOf(const schedule::Schedule& schedule, const schedule::Stage& stage);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_LIMIT_H_
