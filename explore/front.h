// SPDX-License-Identifier: Apache-2.0
//
// Points of which none is better than another in everything, and how much of a box they dominate.
// All values are to be small. Depends on: nothing of ours. Used by: explore, bench.
#ifndef TESSERA_EXPLORE_FRONT_H_
#define TESSERA_EXPLORE_FRONT_H_

#include <cstddef>
#include <vector>

namespace tessera::explore {

using Values = std::vector<double>;  // one an objective

// Whether |a| is nowhere worse than |b| and somewhere better.
bool Dominates(const Values& a, const Values& b);

// The indices of |points| that none of the others dominates, in their order. Of equal points the
// first one counts.
std::vector<size_t> FrontOf(const std::vector<Values>& points);

// By point: 0 for the front, 1 for the front of the others without it, and so on. Equal points have
// equal ranks.
std::vector<size_t> RanksOf(const std::vector<Values>& points);

// By point: how far apart its neighbours of the same rank are, in shares of the rank's extent in
// each objective; the ends of a rank have infinity (NSGA-II's crowding distance).
std::vector<double> CrowdingOf(const std::vector<Values>& points, const std::vector<size_t>& ranks);

// The volume between |reference| and |points|: of what some point dominates and what dominates
// |reference|. Points that are not better than |reference| in everything count nothing.
double Hypervolume(const std::vector<Values>& points, const Values& reference);

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_FRONT_H_
