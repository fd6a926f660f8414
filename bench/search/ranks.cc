// SPDX-License-Identifier: Apache-2.0
//
// Table `ranks`: how the compiler's estimate ranks the points of a space. Every point is measured.
// The table says which place the estimate gives to the first point within 1 % of the best: a search
// that followed the estimate alone would need that many samples. It also says how far from the best
// the estimate's first point is, and how large the estimate's errors are.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/search/bench.h"

namespace tessera::bench {
namespace {

struct Ranked {
  double score = 0;  // log2 of the speed, estimated
  uint64_t cost = 0;
};

// |whole|'s points, in the order of the estimate.
Result<std::vector<Ranked>> RankedOf(BenchLayer& layer, const isa::Config& config,
                                     const Whole& whole) {
  TESSERA_ASSIGN(
      const std::unique_ptr<tune::CostModel> model,
      tune::MakeCostModel(tune::ModelKind::kPrior, (*layer).space.get(), config, (*layer).follows));
  std::vector<Ranked> ranked;
  for (const auto& [point, cost] : whole.all)
    ranked.push_back({model->Predict({&point, 1})[0], cost});
  std::ranges::stable_sort(ranked, std::greater(), &Ranked::score);
  return ranked;
}

// The per cent by which estimates differ, up or down, from a constant share of the costs.
std::vector<double> ErrorsOf(const std::vector<Ranked>& ranked) {
  std::vector<double> logs;
  for (const Ranked& r : ranked) logs.push_back(-r.score - std::log2(static_cast<double>(r.cost)));
  const double middle = Quantile(logs, 0.5);
  for (double& log : logs) log = 100 * (std::exp2(std::abs(log - middle)) - 1);
  return logs;
}

}  // namespace

Status PrintRanks(const BenchOptions& options) {
  TESSERA_ASSIGN(BenchLayers layers, CountedLayersOf(options));
  TESSERA_ASSIGN(const std::unique_ptr<Costs> costs, Costs::Open(options, layers.config));
  fmt::print("{:44} {:>7} {:>6} {:>9} {:>11} {:>10} {:>13} {:>8}\n", "layer", "points", "near",
             "first near", "its first", "the given", "error: median", "9 of 10");
  std::vector<double> ranks;
  for (BenchLayer& layer : layers.all) {
    TESSERA_TRY(costs->Begin(*layer));
    ShowProgress(fmt::format("{}: all points", (*layer).name));
    TESSERA_ASSIGN(const Whole whole, WholeOf(layer, *costs));
    TESSERA_ASSIGN(const std::vector<Ranked> ranked, RankedOf(layer, layers.config, whole));
    ShowProgress("");
    const auto first = std::ranges::find_if(
        ranked, [&](const Ranked& r) { return static_cast<double>(r.cost) <= whole.limit(); });
    const auto rank = first - ranked.begin() + 1;
    if (!whole.easy()) ranks.push_back(static_cast<double>(rank));
    const auto above = [&](uint64_t cost) {
      return 100 * (static_cast<double>(cost) / static_cast<double>(whole.best) - 1);
    };
    const std::vector<double> errors = ErrorsOf(ranked);
    fmt::print("{:44} {:>7} {:>6} {:>9}. {:>+9.1f} % {:>+8.1f} % {:>11.1f} % {:>6.1f} %{}\n",
               (*layer).name, whole.all.size(), whole.near(), rank, above(ranked[0].cost),
               above(costs->Given(*layer)), Quantile(errors, 0.5), Quantile(errors, 0.9),
               whole.easy() ? " easy" : "");
    std::fflush(stdout);
  }
  if (ranks.empty()) return {};
  fmt::print(
      "\n{} layers that are not easy: the place by the estimate of the first near point: {:.0f} "
      "(median; quartiles {:.0f} and {:.0f}, worst {:.0f})\n",
      ranks.size(), Quantile(ranks, 0.5), Quantile(ranks, 0.25), Quantile(ranks, 0.75),
      Quantile(ranks, 1));
  return {};
}

}  // namespace tessera::bench
