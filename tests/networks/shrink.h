// SPDX-License-Identifier: Apache-2.0
//
// Makes a failing network smaller while it still fails. Depends on: the recipe.
#ifndef TESSERA_TESTS_NETWORKS_SHRINK_H_
#define TESSERA_TESTS_NETWORKS_SHRINK_H_

#include <functional>
#include <vector>

#include "tests/networks/recipe.h"

namespace tessera::networks {

// Whether a recipe still shows the fault; false for recipes that build no graph.
using Fails = std::function<bool(const Recipe&)>;

// The recipes one step simpler than |recipe|, those with the largest cuts first: another step as
// the only output, a step left out, an extent or a number of channels halved or reduced by one, a
// field at its default. Some of them build no graph.
std::vector<Recipe> Simpler(const Recipe& recipe);

// |recipe| fails; repeatedly takes the first simpler recipe that still fails, until none fails or
// |attempts| are used up.
Recipe Shrink(Recipe recipe, const Fails& fails, int attempts = 2000);

}  // namespace tessera::networks

#endif  // TESSERA_TESTS_NETWORKS_SHRINK_H_
