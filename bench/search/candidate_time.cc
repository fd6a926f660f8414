// SPDX-License-Identifier: Apache-2.0
#include "bench/search/candidate_time.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/cost/target_cost.h"
#include "compiler/tune/cost_model.h"

namespace tessera::bench {
namespace {

constexpr size_t kCandidates = 512;  // as many as a population of evolution
constexpr size_t kTrials = 32;       // from which the models learn
constexpr int kTurns = 5;            // the fastest one counts

struct Row {
  const char* name;
  tune::ModelKind kind;
};
constexpr Row kRows[] = {{"prior", tune::ModelKind::kPrior},
                         {"tree", tune::ModelKind::kTree},
                         {"xgboost", tune::ModelKind::kRank},
                         {"xgboost-regression", tune::ModelKind::kRegression},
                         {"xgboost-alone", tune::ModelKind::kRankAlone}};

// The time that this thread has had a core.
std::chrono::nanoseconds ThreadTime() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// The least microseconds of |work| in some turns, of this thread alone: what another program takes
// of the core does not count. |prepare| is not counted.
template <typename Prepare, typename Work>
double Micros(const Prepare& prepare, const Work& work) {
  double least = 1e30;
  for (int turn = 0; turn < kTurns; ++turn) {
    prepare();
    const std::chrono::nanoseconds begin = ThreadTime();
    work();
    const std::chrono::duration<double, std::micro> took = ThreadTime() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

// Different random points of |space|: as many as |most|, or all that some draws find.
std::vector<tune::Point> Draw(tune::Space& space, size_t most) {
  Rng rng(1);
  std::vector<tune::Point> points;
  std::unordered_set<uint64_t> known;
  for (size_t draw = 0; draw < 8 * most && points.size() < most; ++draw) {
    const auto point = space.Random(rng);
    if (point && known.insert(tune::HashOf(*point)).second) points.push_back(*point);
  }
  return points;
}

}  // namespace

Result<double> PrintCandidateTimes(tune::Task& task, const isa::Config& config) {
  double of_tune = 0;
  auto& space = dynamic_cast<tune::LayerSpace&>(*task.space);
  const tune::LayerSpace fresh = space;  // knows no points
  tune::LayerSpace searched = fresh;
  const std::vector<tune::Point> all = Draw(space, kCandidates + kTrials);
  if (all.size() <= kTrials) {
    fmt::print("\n{}: left out, its space has only {} points\n", task.name, all.size());
    return 0;
  }
  const std::span<const tune::Point> points = std::span(all).subspan(kTrials);
  tune::History history;
  for (size_t k = 0; k < kTrials; ++k) {  // as if each had taken what is estimated
    TESSERA_ASSIGN(const schedule::Schedule schedule, space.ScheduleOf(all[k]));
    TESSERA_ASSIGN(const cost::TargetCost found,
                   cost::CostOnTarget(schedule, config, task.follows));
    history.Add({all[k], static_cast<uint64_t>(cost::CyclesOf(found)), "", ""});
  }
  const double count = static_cast<double>(points.size());
  std::vector<schedule::Schedule> schedules;
  const double replay = Micros([&] { schedules.clear(); },
                               [&] {
                                 for (const tune::Point& point : points) {
                                   auto made = space.ScheduleOf(point);
                                   if (made) schedules.push_back(std::move(*made));
                                 }
                               });
  double cycles = 0;
  const double cost = Micros([] {},
                             [&] {
                               for (const schedule::Schedule& schedule : schedules) {
                                 const auto found =
                                     cost::CostOnTarget(schedule, config, task.follows);
                                 if (found) cycles += cost::CyclesOf(*found);
                               }
                             });
  fmt::print(
      "\n{}: microseconds a candidate on one core, of {} candidates; a replay alone {:.1f}, an "
      "estimate {:.1f}\n",
      task.name, points.size(), replay / count, cost / count);
  fmt::print("{:20} {:>8} {:>8} {:>22}\n", "model", "all", "predict",
             fmt::format("ms a fit of {} trials", kTrials));
  for (const auto& [name, kind] : kRows) {
    if (tune::NeedsXgboost(kind) && !tune::HasXgboost()) continue;
    std::unique_ptr<tune::CostModel> model;
    Status made;
    const auto make = [&] {
      model.reset();
      searched = fresh;
      auto anew = tune::MakeCostModel(kind, &searched, config, task.follows);
      if (anew) {
        model = std::move(*anew);
        made = model->Fit(history);
      } else {
        made = std::unexpected(anew.error());
      }
    };
    make();
    TESSERA_TRY(made);
    double drawn = 0;
    const double whole = Micros(make, [&] {
      const std::vector<tune::Point> candidates = Draw(searched, kCandidates);
      model->Predict(candidates);
      drawn = static_cast<double>(candidates.size());
    });
    model->Predict(points);
    // The features are known now.
    const double predict = Micros([] {}, [&] { model->Predict(points); });
    const double fit = Micros([] {}, [&] { made = model->Fit(history); });
    fmt::print("{:20} {:>8.1f} {:>8.1f} {:>22.1f}\n", name, whole / drawn, predict / count,
               fit / 1000);
    if (kind == (tune::HasXgboost() ? tune::ModelKind::kRank : tune::ModelKind::kPrior))
      of_tune = whole / drawn;
  }
  return of_tune;
}

}  // namespace tessera::bench
