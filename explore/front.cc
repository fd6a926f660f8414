// SPDX-License-Identifier: Apache-2.0
#include "explore/front.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera::explore {

bool Dominates(const Values& a, const Values& b) {
  bool better = false;
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k] > b[k]) return false;
    better = better || a[k] < b[k];
  }
  return better;
}

std::vector<size_t> FrontOf(const std::vector<Values>& points) {
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  // What dominates a point comes before it in this order.
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return points[a] < points[b]; });
  std::vector<size_t> front;
  for (const size_t p : order) {
    if (std::ranges::none_of(front, [&](size_t f) {
          return points[f] == points[p] || Dominates(points[f], points[p]);
        }))
      front.push_back(p);
  }
  std::ranges::sort(front);
  return front;
}

std::vector<size_t> RanksOf(const std::vector<Values>& points) {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  std::vector<size_t> ranks(points.size(), kNone), left(points.size());
  std::iota(left.begin(), left.end(), 0);
  for (size_t rank = 0; !left.empty(); ++rank) {
    std::vector<Values> values;
    for (const size_t p : left) values.push_back(points[p]);
    const std::vector<size_t> front = FrontOf(values);
    for (const size_t f : front) ranks[left[f]] = rank;
    // Points that equal one of the front.
    for (const size_t p : left) {
      if (ranks[p] == kNone &&
          std::ranges::any_of(front, [&](size_t f) { return values[f] == points[p]; }))
        ranks[p] = rank;
    }
    std::erase_if(left, [&](size_t p) { return ranks[p] != kNone; });
  }
  return ranks;
}

std::vector<double> CrowdingOf(const std::vector<Values>& points,
                               const std::vector<size_t>& ranks) {
  std::vector<double> crowding(points.size(), 0);
  if (points.empty()) return crowding;
  const size_t last = *std::ranges::max_element(ranks);
  for (size_t rank = 0; rank <= last; ++rank) {
    std::vector<size_t> own;
    for (size_t p = 0; p < points.size(); ++p) {
      if (ranks[p] == rank) own.push_back(p);
    }
    for (size_t k = 0; k < points[0].size(); ++k) {
      std::ranges::stable_sort(own, {}, [&](size_t p) { return points[p][k]; });
      const double extent = points[own.back()][k] - points[own.front()][k];
      crowding[own.front()] = crowding[own.back()] = std::numeric_limits<double>::infinity();
      for (size_t n = 1; n + 1 < own.size() && extent > 0; ++n)
        crowding[own[n]] += (points[own[n + 1]][k] - points[own[n - 1]][k]) / extent;
    }
  }
  return crowding;
}

namespace {

// Of |points|, all better than |reference|, in their first |n| objectives: slices by the last one.
double VolumeOf(std::vector<Values> points, const Values& reference, size_t n) {
  if (points.empty()) return 0;
  std::ranges::sort(points, {}, [&](const Values& p) { return p[n - 1]; });
  if (n == 1) return reference[0] - points[0][0];
  double volume = 0;
  std::vector<Values> before;
  for (size_t p = 0; p < points.size(); ++p) {
    before.push_back(points[p]);
    const double end = p + 1 < points.size() ? points[p + 1][n - 1] : reference[n - 1];
    const double deep = end - points[p][n - 1];
    if (deep > 0) volume += deep * VolumeOf(before, reference, n - 1);
  }
  return volume;
}

}  // namespace

double Hypervolume(const std::vector<Values>& points, const Values& reference) {
  std::vector<Values> inside;
  for (const size_t f : FrontOf(points)) {
    bool better = true;
    for (size_t k = 0; k < reference.size(); ++k) better = better && points[f][k] < reference[k];
    if (better) inside.push_back(points[f]);
  }
  return VolumeOf(std::move(inside), reference, reference.size());
}

}  // namespace tessera::explore
