// SPDX-License-Identifier: Apache-2.0
//
// Table `rates`: how many trials a second `tessera tune` makes, for the accelerator and the host,
// with one worker and with two. All layers of the models are searched together, as the command
// does, and each trial is measured.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>

#include "bench/search/bench.h"
#include "tools/curve_picture.h"

namespace tessera::bench {

Status PrintRates(const BenchOptions& wanted) {
  using Clock = std::chrono::steady_clock;
  std::vector<tools::Curve> curves;
  fmt::print("{:24} {:>7} {:>7} {:>7} {:>8} {:>9}  {}\n", "target", "layers", "workers", "trials",
             "seconds", "a second", "published");
  for (const bool host : {false, true}) {
    for (const int workers : {1, 2}) {
      BenchOptions options = wanted;
      options.host = host;
      options.keep.clear();
      TESSERA_ASSIGN(BenchLayers layers, LayersOf(options));
      TESSERA_ASSIGN(const std::unique_ptr<Costs> costs, Costs::Open(options, layers.config));
      std::vector<tune::Task> tasks;
      for (BenchLayer& layer : layers.all) tasks.push_back(std::move(*layer));
      tune::SearchOptions search;
      search.model = host && tune::HasXgboost() ? tune::ModelKind::kRank : tune::ModelKind::kPrior;
      search.workers = workers;
      search.trials = options.trials;
      const std::string target = host ? "cpu" : options.config;
      tools::Curve curve{fmt::format("{}, {} workers", target, workers), {}};
      const Clock::time_point begin = Clock::now();
      const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - begin).count();
      };
      search.progress = [&](const tune::SearchProgress& progress) {
        if (progress.given > 0)
          curve.points.push_back(
              {static_cast<int64_t>(1000 * seconds()), progress.best / progress.given});
        ShowProgress(fmt::format("{}, {} workers: {} trials", target, workers, progress.trials));
      };
      const auto measure = [&](const tune::Task& task, const tune::Point& point, uint64_t) {
        return costs->Anew(task, point);
      };
      TESSERA_ASSIGN(tune::Search made, tune::Search::Make(&tasks, layers.config, search, measure));
      TESSERA_TRY(made.Run());
      ShowProgress("");
      const double took = seconds();
      fmt::print("{:24} {:>7} {:>7} {:>7} {:>8.1f} {:>9.1f}  {}\n", target, tasks.size(), workers,
                 made.progress().trials, took, static_cast<double>(made.progress().trials) / took,
                 host ? "" : "0.7: AutoTVM on six boards with VTA");
      std::fflush(stdout);
      curves.push_back(std::move(curve));
    }
  }
  if (wanted.curves.empty()) return {};
  return tools::WriteCurves(wanted.curves, curves, "cost", "milliseconds of search");
}

}  // namespace tessera::bench
