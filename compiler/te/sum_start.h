// SPDX-License-Identifier: Apache-2.0
//
// Constants that are added to a sum, as what the sum starts at: one addition less for each element.
// Depends on: te.h. Used by: the host's half of the compile driver.
#ifndef TESSERA_COMPILER_TE_SUM_START_H_
#define TESSERA_COMPILER_TE_SUM_START_H_

#include <set>

#include "compiler/te/te.h"

namespace tessera::te {

// |output| with sums of integers that start at the terms which the stages behind them, each the
// only reader, add and subtract: y = (sum(v; k) - a[c]) + b[c] is y = sum(v; k) from (b[c] - a[c]).
// Terms are of |constants|, which are placeholders, and numbers. Every stage keeps its name; one
// that did nothing else is a copy. The same values, modulo 2^bits as before; sums of floats, whose
// roundings would change, stay.
Tensor WithSumStarts(const Tensor& output, const std::set<const TensorNode*>& constants);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_SUM_START_H_
