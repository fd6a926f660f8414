// SPDX-License-Identifier: Apache-2.0
//
// Table `duels`: ways to search, two by two. All sketches of a layer with evolution against the
// template of its first sketch with annealing, at equal time, the searcher's own time included;
// the choice of the beam by the model, without a trial, against the best of random search; and the
// trials of Q-learning against those of annealing.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/search/bench.h"
#include "tools/curve_picture.h"

namespace tessera::bench {
namespace {

using tune::ModelKind;

constexpr Contestant kDuellists[] = {
    {.name = "random", .strategy = "random"},
    {.name = "annealing, xgboost-alone", .strategy = "annealing", .model = ModelKind::kRankAlone},
    {.name = "q-learning", .strategy = "q-learning"},
};
constexpr Pair kDuels[] = {
    {"Q-learning against annealing", "q-learning", "annealing, xgboost-alone", 0, "27.6 % of time"},
};

struct Timed {
  const char* name;
  const char* strategy;
  ModelKind model;
  bool template_only;
};
constexpr Timed kTimed[] = {
    {"all sketches, evolution, xgboost", "evolution", ModelKind::kRank, false},
    {"template, annealing, xgboost-alone", "annealing", ModelKind::kRankAlone, true},
};

// A trial that takes more times the compiler's choice has no cost. Without one that has, a search
// counts as this slow.
constexpr double kSlow = 4;

// What a search of so many seconds found.
struct Ended {
  double share = 1;  // of the compiler's choice
  int64_t trials = 0;
  std::vector<std::pair<double, double>> curve;  // milliseconds, best so far as a share
};

Result<Ended> SearchFor(BenchLayer& layer, const isa::Config& config, const Timed& timed,
                        uint64_t seed, const BenchOptions& bench, Costs& costs) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  tune::SearchOptions options;
  options.strategy = timed.strategy;
  options.model = timed.model;
  options.seed = seed;
  options.from_given = false;
  options.workers = bench.workers;
  options.until = begin + std::chrono::milliseconds(std::llround(1000 * bench.seconds));
  const auto given = static_cast<double>(costs.Given(*layer));
  Ended ended;
  uint64_t best = UINT64_MAX;
  options.finished = [&](const tune::Task&, const tune::Trial& trial) -> Status {
    best = std::min(best, trial.cycles.value_or(UINT64_MAX));
    const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
    if (best != UINT64_MAX)
      ended.curve.emplace_back(passed.count(), static_cast<double>(best) / given);
    return {};
  };
  const auto measure = [&](const tune::Task& task, const tune::Point& point, uint64_t) {
    return costs.Anew(task, point);
  };
  TESSERA_ASSIGN(tune::Search search, tune::Search::Make(&layer.task, config, options, measure));
  TESSERA_TRY(search.Run());
  ended.trials = search.progress().trials;
  const tune::Trial* found = search.history(0).best();
  if (found == nullptr) {
    ended.share = kSlow;
    return ended;
  }
  TESSERA_ASSIGN(ended.share, costs.ShareOf(*layer, found->point));
  return ended;
}

// The mean of |shares|, as a mean of speeds is taken.
double GeometricMean(const std::vector<double>& shares) {
  double sum = 0;
  for (const double share : shares) sum += std::log(share);
  return std::exp(sum / static_cast<double>(shares.size()));
}

Status PrintEqualTime(const BenchOptions& options) {
  std::vector<tools::Curve> curves;
  std::vector<std::vector<double>> shares(std::size(kTimed));
  const char* unit = "cycles";
  fmt::print(
      "equal time: {:.0f} s for each layer, seeds 1 to {}; per cent of the compiler's choice\n",
      options.seconds, options.seeds);
  fmt::print("{:38} {:>8} {:>7} {:>6} {:>6} {:>8}\n", "search", "quarter", "median", "3 / 4",
             "mean", "trials");
  for (size_t k = 0; k < std::size(kTimed); ++k) {
    const Timed& timed = kTimed[k];
    if (tune::NeedsXgboost(timed.model) && !tune::HasXgboost()) continue;
    TESSERA_ASSIGN(BenchLayers layers, LayersOf(options, timed.template_only));
    TESSERA_ASSIGN(const std::unique_ptr<Costs> costs, Costs::Open(options, layers.config));
    unit = costs->unit();
    int64_t trials = 0;
    constexpr int kSteps = 100;  // of the curve
    std::vector<double> sums(kSteps), counts(kSteps);
    for (BenchLayer& layer : layers.all) {
      TESSERA_TRY(costs->Begin(*layer));
      for (uint64_t seed = 1; seed <= options.seeds; ++seed) {
        ShowProgress(fmt::format("{}: {}, seed {}", (*layer).name, timed.name, seed));
        TESSERA_ASSIGN(const Ended ended,
                       SearchFor(layer, layers.config, timed, seed, options, *costs));
        shares[k].push_back(100 * ended.share);
        trials += ended.trials;
        for (int step = 0; step < kSteps; ++step) {
          const double until = 1000 * options.seconds * (step + 1) / kSteps;
          double best = kSlow;
          for (const auto& [ms, share] : ended.curve) {
            if (ms <= until) best = std::min(best, share);
          }
          sums[static_cast<size_t>(step)] += best;
          ++counts[static_cast<size_t>(step)];
        }
      }
    }
    ShowProgress("");
    fmt::print("{:38} {:>6.1f} % {:>5.1f} % {:>4.1f} % {:>4.1f} % {:>8}\n", timed.name,
               Quantile(shares[k], 0.25), Quantile(shares[k], 0.5), Quantile(shares[k], 0.75),
               GeometricMean(shares[k]), trials);
    std::fflush(stdout);
    tools::Curve& curve = curves.emplace_back(tools::Curve{timed.name, {}});
    for (int step = 0; step < kSteps; ++step) {
      const auto at = static_cast<size_t>(step);
      curve.points.push_back(
          {std::llround(1000 * options.seconds * (step + 1) / kSteps), sums[at] / counts[at]});
    }
  }
  if (options.curves.empty()) return {};
  return tools::WriteCurves(options.curves, curves, unit, "milliseconds of search");
}

// Beam search asks the model alone: its first point, measured once.
Status PrintBeam(BenchLayers& layers, Costs& costs, const std::vector<LayerCourses>& courses,
                 int64_t trials) {
  std::vector<double> gains, until;
  int64_t missed = 0;
  for (size_t k = 0; k < layers.all.size(); ++k) {
    tune::Task& task = *layers.all[k];
    TESSERA_ASSIGN(const std::unique_ptr<tune::Strategy> beam, tune::MakeStrategy("beam", 1));
    TESSERA_ASSIGN(
        const std::unique_ptr<tune::CostModel> model,
        tune::MakeCostModel(ModelKind::kPrior, task.space.get(), layers.config, task.follows));
    const std::vector<tune::Point> batch = beam->NextBatch(*task.space, model.get(), {}, 8);
    const tune::Measured cost = costs.Of(task, batch.at(0));
    if (!cost) return Fail(Code::kNotFound, "{}: {}", task.name, cost.error().message);
    for (const Course& random : courses[k].courses[0]) {
      gains.push_back(static_cast<double>(random.back()) / static_cast<double>(*cost));
      const auto as_good = TrialsUntil(random, static_cast<double>(*cost));
      missed += !as_good;
      until.push_back(static_cast<double>(as_good.value_or(random.size())));
    }
  }
  fmt::print(
      "\nbeam by the compiler's estimate, no trial: {:.2f} times as fast as the best of {} random "
      "trials (geometric mean; quartiles {:.2f}, {:.2f}, {:.2f}); random search needs {:.0f} "
      "trials "
      "(median) to be as good, {} of {} searches were not; published (Halide): twice as fast as "
      "the scheduler before it\n",
      GeometricMean(gains), trials, Quantile(gains, 0.25), Quantile(gains, 0.5),
      Quantile(gains, 0.75), Quantile(until, 0.5), missed, until.size());
  return {};
}

}  // namespace

Status PrintDuels(const BenchOptions& options) {
  TESSERA_TRY(PrintEqualTime(options));
  TESSERA_ASSIGN(BenchLayers layers, LayersOf(options));
  TESSERA_ASSIGN(const std::unique_ptr<Costs> costs, Costs::Open(options, layers.config));
  std::vector<const Contestant*> contestants;
  for (const Contestant& contestant : kDuellists) {
    if (!tune::NeedsXgboost(contestant.model) || tune::HasXgboost())
      contestants.push_back(&contestant);
  }
  fmt::print("\n");
  TESSERA_ASSIGN(const std::vector<LayerCourses> courses,
                 RunAll(options, contestants, layers, *costs));
  TESSERA_TRY(PrintBeam(layers, *costs, courses, options.trials));
  PrintPairs(kDuels, contestants, courses);
  return {};
}

}  // namespace tessera::bench
