// SPDX-License-Identifier: Apache-2.0
//
// Table `samples`: how many measured schedules each search needs until one is within 1 % of the
// best of the whole space. Every point of the space is measured first, so the best is known. Spaces
// of more than --most points are left out, and those where any search is soon there (Whole::easy).
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "bench/search/bench.h"
#include "tools/curve_picture.h"

namespace tessera::bench {
namespace {

using tune::ModelKind;

constexpr const char* kYardstick = "annealing, xgboost-alone (AutoTVM)";
constexpr const char* kOurs = "evolution, xgboost, from the compiler's (tessera tune)";
constexpr double kBar = 0.12;  // of the yardstick's samples

constexpr Contestant kSampled[] = {
    {.name = "random", .strategy = "random"},
    {.name = "grid", .strategy = "grid"},
    {.name = "genetic", .strategy = "genetic"},
    {.name = kYardstick,
     .strategy = "annealing",
     .model = ModelKind::kRankAlone,
     .published = "100 %"},
    {.name = "annealing-diverse, xgboost-alone",
     .strategy = "annealing-diverse",
     .model = ModelKind::kRankAlone},
    {.name = "evolution, xgboost-alone (MetaSchedule)",
     .strategy = "evolution",
     .model = ModelKind::kRankAlone},
    {.name = "constrained, xgboost-alone (Heron)",
     .strategy = "constrained",
     .model = ModelKind::kRankAlone},
    {.name = "screening, xgboost-compiled (ML2Tuner)",
     .strategy = "screening",
     .model = ModelKind::kCompiled,
     .published = "12.3 %"},
    {.name = "q-learning (FlexTensor)", .strategy = "q-learning", .published = "27.6 % of time"},
    {.name = "annealing, xgboost", .strategy = "annealing", .model = ModelKind::kRank},
    {.name = "evolution, tree", .strategy = "evolution", .model = ModelKind::kTree},
    {.name = "evolution, xgboost", .strategy = "evolution", .model = ModelKind::kRank},
    {.name = "evolution, prior", .strategy = "evolution", .model = ModelKind::kPrior},
    {.name = "evolution, prior, from the compiler's",
     .strategy = "evolution",
     .model = ModelKind::kPrior,
     .from_given = true},
    {.name = kOurs, .strategy = "evolution", .model = ModelKind::kRank, .from_given = true},
};

struct Runs {
  const Contestant* contestant = nullptr;
  std::vector<double> samples;  // of each layer and seed
  int64_t missed = 0;           // searches that did not come near
  double all = 0;
};

void PrintRuns(const std::vector<Runs>& all) {
  const auto yardstick = std::ranges::find_if(
      all, [](const Runs& runs) { return std::string_view(runs.contestant->name) == kYardstick; });
  const double base = yardstick == all.end() ? 0 : yardstick->all;
  fmt::print("{:54} {:>8} {:>7} {:>6} {:>7} {:>7} {:>12}  {}\n", "search", "quarter", "median",
             "3 / 4", "mean", "missed", "of AutoTVM's", "published");
  for (const Runs& runs : all) {
    const auto count = static_cast<double>(runs.samples.size());
    fmt::print("{:54} {:>8.0f} {:>7.0f} {:>6.0f} {:>7.1f} {:>7} {:>12}  {}\n",
               runs.contestant->name, Quantile(runs.samples, 0.25), Quantile(runs.samples, 0.5),
               Quantile(runs.samples, 0.75), runs.all / count, runs.missed,
               base > 0 ? fmt::format("{:.1f} %", 100 * runs.all / base) : "",
               runs.contestant->published);
    if (std::string_view(runs.contestant->name) == kOurs && base > 0)
      fmt::print("{:54} {}: at most {:.0f} % of AutoTVM's samples were wanted\n", "",
                 runs.all <= kBar * base ? "reached" : "missed", 100 * kBar);
  }
}

}  // namespace

Status PrintSamples(const BenchOptions& options) {
  TESSERA_ASSIGN(BenchLayers layers, CountedLayersOf(options));
  TESSERA_ASSIGN(const std::unique_ptr<Costs> costs, Costs::Open(options, layers.config));
  std::vector<Runs> all;
  for (const Contestant& contestant : kSampled) {
    if (Takes(options, contestant)) all.push_back({&contestant, {}, 0, 0});
  }
  std::vector<tools::Curve> curves;
  for (const Runs& runs : all) curves.push_back({runs.contestant->name, {}});
  std::vector<std::vector<double>> shares(all.size(),
                                          std::vector<double>(static_cast<size_t>(options.trials)));
  Taught taught;
  double points = 0;
  size_t counted = 0;  // layers
  for (BenchLayer& layer : layers.all) {
    TESSERA_TRY(costs->Begin(*layer));
    ShowProgress(fmt::format("{}: all points", (*layer).name));
    TESSERA_ASSIGN(const Whole whole, WholeOf(layer, *costs));
    const double near = whole.limit();
    ShowProgress("");
    fmt::print(
        "{}: {:.0f} points, {} near the best of {} {}{}; the compiler's choice {:+.1f} %\n",
        (*layer).name, layer.size.points, whole.near(), whole.best, costs->unit(),
        whole.easy() ? ", left out" : "",
        100 * (static_cast<double>(costs->Given(*layer)) / static_cast<double>(whole.best) - 1));
    std::fflush(stdout);
    if (whole.easy()) continue;
    ++counted;
    points += layer.size.points;
    for (size_t k = 0; k < all.size(); ++k) {
      Runs& runs = all[k];
      for (uint64_t seed = 1; seed <= options.seeds; ++seed) {
        ShowProgress(fmt::format("{}: {}, seed {}", (*layer).name, runs.contestant->name, seed));
        RunOptions run{.seed = seed, .trials = options.trials};
        run.workers = options.workers;
        run.enough = [&](uint64_t so_far) { return static_cast<double>(so_far) <= near; };
        TESSERA_ASSIGN(const Course course,
                       CourseOf(layer, layers.config, *runs.contestant, run, *costs, &taught));
        const auto until = TrialsUntil(course, near);
        runs.missed += !until;
        // A search that has measured all points ends before its trials do.
        runs.samples.push_back(static_cast<double>(until.value_or(course.size())));
        runs.all += runs.samples.back();
        for (size_t at = 1; at <= shares[k].size(); ++at)
          shares[k][at - 1] += std::min(4.0, static_cast<double>(BestAfter(course, at)) /
                                                 static_cast<double>(costs->Given(*layer)));
      }
    }
  }
  ShowProgress("");
  fmt::print(
      "\n{} layers, {:.0f} points, all measured on '{}'; seeds 1 to {}; samples until within 1 % "
      "of "
      "the best, at most {}\n",
      counted, points, options.host ? "cpu" : options.config, options.seeds, options.trials);
  if (counted == 0) return Fail(Code::kNotFound, "no layer is left");
  PrintRuns(all);
  if (options.curves.empty()) return {};
  const auto searches = static_cast<double>(counted * options.seeds);
  for (size_t k = 0; k < all.size(); ++k) {
    for (size_t at = 1; at <= shares[k].size(); ++at)
      curves[k].points.push_back({static_cast<int64_t>(at), shares[k][at - 1] / searches});
  }
  return tools::WriteCurves(options.curves, curves, costs->unit());
}

}  // namespace tessera::bench
