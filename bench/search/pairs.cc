// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "bench/search/bench.h"

namespace tessera::bench {

void PrintPairs(std::span<const Pair> pairs, const std::vector<const Contestant*>& contestants,
                const std::vector<LayerCourses>& layers) {
  const auto index = [&](std::string_view name) {
    const auto at = std::ranges::find_if(
        contestants, [&](const Contestant* c) { return std::string_view(c->name) == name; });
    return static_cast<size_t>(at - contestants.begin());
  };
  fmt::print("\n{:38} {:>8} {:>7} {:>6} {:>6} {:>8} {:>7}  {}\n",
             "trials, as a share of the other's", "quarter", "median", "3 / 4", "all", "missed",
             "wanted", "published");
  for (const Pair& pair : pairs) {
    const size_t with = index(pair.with), without = index(pair.without);
    if (with == contestants.size() || without == contestants.size()) continue;
    std::vector<double> shares;
    double mine = 0, others = 0;
    int64_t missed = 0;
    // Without a layer before it, the first one has nothing to transfer.
    for (size_t k = contestants[with]->transfer ? 1 : 0; k < layers.size(); ++k) {
      for (size_t seed = 0; seed < layers[k].courses[with].size(); ++seed) {
        const Course& a = layers[k].courses[with][seed];
        const Course& b = layers[k].courses[without][seed];
        const auto wanted = static_cast<double>(b.back());
        const auto until = TrialsUntil(a, wanted);
        missed += !until;
        const auto needed = static_cast<double>(until.value_or(a.size())),
                   reference = static_cast<double>(*TrialsUntil(b, wanted));
        mine += needed;
        others += reference;
        shares.push_back(100 * needed / reference);
      }
    }
    if (shares.empty()) continue;
    fmt::print("{:38} {:>6.0f} % {:>5.0f} % {:>4.0f} % {:>4.0f} % {:>8} {:>7}  {}\n", pair.what,
               Quantile(shares, 0.25), Quantile(shares, 0.5), Quantile(shares, 0.75),
               100 * mine / others, fmt::format("{}/{}", missed, shares.size()),
               pair.bar > 0 ? fmt::format("{:.0f} %", 100 * pair.bar) : "", pair.published);
  }
}

}  // namespace tessera::bench
