// SPDX-License-Identifier: Apache-2.0
//
// Moves constants that are added to a sum into its start value: one addition less for each element.
// Depends on: te.h. Used by: the host's half of the compile driver.
#ifndef TESSERA_COMPILER_TE_SUM_START_H_
#define TESSERA_COMPILER_TE_SUM_START_H_

#include <set>

#include "compiler/te/te.h"

namespace tessera::te {

// |output| with integer sums that start at the terms which later stages add and subtract; each of
// these stages must be the only reader. y = (sum(v; k) - a[c]) + b[c] becomes y = sum(v; k) from
// (b[c] - a[c]). Terms consist of |constants|, which are placeholders, and numbers. Every stage
// keeps its name; a stage that did nothing else becomes a copy. Values are the same modulo 2^bits;
// sums of floats are unchanged, because their rounding would differ.
Tensor WithSumStarts(const Tensor& output, const std::set<const TensorNode*>& constants);

}  // namespace tessera::te

#endif  // TESSERA_COMPILER_TE_SUM_START_H_
