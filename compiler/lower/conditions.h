// SPDX-License-Identifier: Apache-2.0
//
// Which loops of a stage the conditions of its loops ask. Private to compiler/lower.
#ifndef TESSERA_COMPILER_LOWER_CONDITIONS_H_
#define TESSERA_COMPILER_LOWER_CONDITIONS_H_

#include <vector>

#include "compiler/schedule/schedule.h"

namespace tessera::lower {

// Is a loop of |stage|'s reduction in |condition|?
bool AsksReduction(const schedule::Stage& stage, const ir::Expr& condition);

// Those of |conditions| that ask no loop of the reduction: they hold where it starts, too.
std::vector<ir::Expr> OfDataLoops(const schedule::Stage& stage, std::vector<ir::Expr> conditions);

// Does |condition| decide, by the first |depth| loops alone, whether iterations of a reduction run?
bool SkipsReduction(const schedule::Stage& stage, size_t depth, const ir::Expr& condition);

}  // namespace tessera::lower

#endif  // TESSERA_COMPILER_LOWER_CONDITIONS_H_
