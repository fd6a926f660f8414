// SPDX-License-Identifier: Apache-2.0
//
// Cache lines that are asked for before they are read. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_PREFETCH_H_
#define TESSERA_COMPILER_LOWER_PREFETCH_H_

#include "compiler/ir/affine.h"
#include "compiler/lower/bounds.h"

namespace tessera::lower {

// Loops with one prefetch for each line of |line_bytes| that |box| of |buffer| is in. What hangs
// over an edge of the buffer is asked for at that edge.
ir::Stmt PrefetchNest(const ir::Buffer& buffer, const ReadBox& box, int64_t line_bytes,
                      const ir::Ranges& ranges);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_PREFETCH_H_
