// SPDX-License-Identifier: Apache-2.0
//
// Cache lines that are asked for before they are read. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_PREFETCH_H_
#define TESSERA_COMPILER_LOWER_PREFETCH_H_

#include "compiler/ir/affine.h"
#include "compiler/lower/bounds.h"

namespace tessera::lower {

// Iterations that would ask for the same box: there are |count|, and |index| is which one it is.
struct Askers {
  ir::Expr index = ir::Expr(0);
  int64_t count = 1;
};

// Of |box|, which |stage| asks for: the loops between the one that is looked ahead in and the one
// that asks.
Askers AskersOf(const schedule::Schedule& schedule, const Bounds& bounds,
                const schedule::Stage& stage, const schedule::Lookahead& ahead, const ReadBox& box);

// |box| as it is |distance| iterations of the loop over |var| later, or in the last one.
void LookAhead(const ir::Expr& var, int64_t distance, const ir::Ranges& ranges, ReadBox* box);

// Loops with one prefetch for each line of |line_bytes| that |box| of |buffer| is in, or for each
// of this asker's share of them. What hangs over an edge of the buffer is asked for at that edge.
ir::Stmt PrefetchNest(const ir::Buffer& buffer, const ReadBox& box, int64_t line_bytes,
                      const Askers& askers, const ir::Ranges& ranges);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_PREFETCH_H_
