// SPDX-License-Identifier: Apache-2.0
//
// Random networks of the kinds that run on small devices: plain, residual, mobile, one-dimensional
// and dense, with random layers. Depends on: the recipe.
#ifndef TESSERA_TESTS_NETWORKS_GENERATE_H_
#define TESSERA_TESTS_NETWORKS_GENERATE_H_

#include "tests/networks/recipe.h"

namespace tessera::networks {

// A recipe that BuildGraph accepts, of 2 to about 16 steps; the seed determines it. Even seeds:
// images of 4 to 20 rows and columns, 1 to 48 channels, at most about 300,000 multiply-accumulates
// a layer. Odd seeds: images of 1 to 70 rows and columns, 1 to 100 channels, with pools, windows,
// branches and sums in any order, at most about 600,000.
Recipe Generate(uint64_t seed);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_GENERATE_H_
