// SPDX-License-Identifier: Apache-2.0
//
// Table `curves`: the best so far over the trials, and what each part of the search saves: the same
// search with it and without it (pairs.cc).
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "bench/search/bench.h"
#include "tools/curve_picture.h"

namespace tessera::bench {
namespace {

using tune::ModelKind;

constexpr Contestant kSearches[] = {
    {.name = "random", .strategy = "random"},
    {.name = "annealing, xgboost-alone", .strategy = "annealing", .model = ModelKind::kRankAlone},
    {.name = "annealing-diverse, xgboost-alone",
     .strategy = "annealing-diverse",
     .model = ModelKind::kRankAlone},
    {.name = "annealing, xgboost-alone, transfer",
     .strategy = "annealing",
     .model = ModelKind::kRankAlone,
     .transfer = true},
    {.name = "evolution, xgboost", .strategy = "evolution", .model = ModelKind::kRank},
    {.name = "evolution, xgboost-regression",
     .strategy = "evolution",
     .model = ModelKind::kRegression},
    {.name = "evolution, tree", .strategy = "evolution", .model = ModelKind::kTree},
    {.name = "evolution, xgboost, transfer",
     .strategy = "evolution",
     .model = ModelKind::kRank,
     .transfer = true},
    {.name = "evolution, prior", .strategy = "evolution", .model = ModelKind::kPrior},
    {.name = "evolution, prior, from the compiler's",
     .strategy = "evolution",
     .model = ModelKind::kPrior,
     .from_given = true},
};

constexpr Pair kSavings[] = {
    {"learned against random (AutoTVM's)", "annealing, xgboost-alone", "random", 1.0 / 3,
     "far fewer (plots)"},
    {"learned against random (ours)", "evolution, xgboost", "random", 1.0 / 3, ""},
    {"rank against regression", "evolution, xgboost", "evolution, xgboost-regression", 0,
     "rank at least as good"},
    {"trees against the network", "evolution, xgboost", "evolution, tree", 0, "equal"},
    {"diverse batches", "annealing-diverse, xgboost-alone", "annealing, xgboost-alone", 0,
     "no effect"},
    {"transfer, without the estimate", "annealing, xgboost-alone, transfer",
     "annealing, xgboost-alone", 0.5, "10 to 50 %"},
    {"transfer, beside the estimate", "evolution, xgboost, transfer", "evolution, xgboost", 0.5,
     "10 to 50 %"},
};

void PrintCourses(const std::vector<const Contestant*>& contestants,
                  const std::vector<LayerCourses>& layers, size_t trials) {
  std::vector<size_t> at;
  for (size_t k = 8; k < trials; k *= 2) at.push_back(k);
  at.push_back(trials);
  fmt::print("{:42} best so far, % above the best known: median (quarter to 3 / 4) after\n{:42}",
             "search", "");
  for (const size_t k : at) fmt::print(" {:>18}", fmt::format("{} trials", k));
  fmt::print("\n");
  for (size_t c = 0; c < contestants.size(); ++c) {
    fmt::print("{:42}", contestants[c]->name);
    for (const size_t k : at) {
      std::vector<double> above;
      for (const LayerCourses& layer : layers) {
        for (const Course& course : layer.courses[c])
          above.push_back(
              100 *
              (static_cast<double>(BestAfter(course, k)) / static_cast<double>(layer.best) - 1));
      }
      fmt::print(" {:>18}", fmt::format("{:.1f} ({:.1f} to {:.1f})", Quantile(above, 0.5),
                                        Quantile(above, 0.25), Quantile(above, 0.75)));
    }
    fmt::print("\n");
  }
}

std::vector<tools::Curve> CurvesOf(const std::vector<const Contestant*>& contestants,
                                   const std::vector<LayerCourses>& layers, size_t trials) {
  std::vector<tools::Curve> curves;
  for (size_t c = 0; c < contestants.size(); ++c) {
    tools::Curve& curve = curves.emplace_back(tools::Curve{contestants[c]->name, {}});
    // Before that many trials the worst random points would squeeze the rest of the picture.
    for (size_t at = 8; at <= trials; ++at) {
      double sum = 0, count = 0;
      for (const LayerCourses& layer : layers) {
        for (const Course& course : layer.courses[c]) {
          sum += std::min(
              4.0, static_cast<double>(BestAfter(course, at)) / static_cast<double>(layer.given));
          ++count;
        }
      }
      curve.points.push_back({static_cast<int64_t>(at), sum / count});
    }
  }
  return curves;
}

}  // namespace

Status PrintCurves(const BenchOptions& options) {
  TESSERA_ASSIGN(BenchLayers found, LayersOf(options));
  TESSERA_ASSIGN(const std::unique_ptr<Costs> costs, Costs::Open(options, found.config));
  std::vector<const Contestant*> contestants;
  for (const Contestant& contestant : kSearches) {
    if (Takes(options, contestant)) contestants.push_back(&contestant);
  }
  TESSERA_ASSIGN(const std::vector<LayerCourses> layers,
                 RunAll(options, contestants, found, *costs));
  const auto trials = static_cast<size_t>(options.trials);
  fmt::print("\n{} layers on '{}', seeds 1 to {}, {} trials\n", layers.size(),
             options.host ? "cpu" : options.config, options.seeds, trials);
  PrintCourses(contestants, layers, trials);
  PrintPairs(kSavings, contestants, layers);
  if (options.curves.empty()) return {};
  return tools::WriteCurves(options.curves, CurvesOf(contestants, layers, trials), costs->unit());
}

}  // namespace tessera::bench
