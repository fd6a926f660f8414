// SPDX-License-Identifier: Apache-2.0
//
// Prefetches of cache lines. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_PREFETCH_H_
#define TESSERA_COMPILER_LOWER_PREFETCH_H_

#include "compiler/ir/affine.h"
#include "compiler/lower/bounds.h"

namespace tessera::lower {

// Iterations that would prefetch the same box: there are |count|, and this one has number |index|.
struct Askers {
  ir::Expr index = ir::Expr(0);
  int64_t count = 1;
};

// The askers for |box| of |stage|: the loops between the one that is looked ahead in and the one
// that prefetches.
Askers AskersOf(const schedule::Schedule& schedule, const Bounds& bounds,
                const schedule::Stage& stage, const schedule::Lookahead& ahead, const ReadBox& box);

// Moves |box| |distance| iterations of the loop over |var| ahead, at most to the last one.
void LookAhead(const ir::Expr& var, int64_t distance, const ir::Ranges& ranges, ReadBox* box);

// Loops with one prefetch for each line of |line_bytes| in |box| of |buffer|, or for each of this
// asker's share of the lines. Parts outside the buffer are clamped to its edge.
ir::Stmt PrefetchNest(const ir::Buffer& buffer, const ReadBox& box, int64_t line_bytes,
                      const Askers& askers, const ir::Ranges& ranges);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_PREFETCH_H_
