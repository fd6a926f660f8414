// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/search.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "base/hash.h"

namespace tessera::tune {
namespace {

// The task scheduler's constants, Ansor's: the weight of the observed gain in the expected gain,
// and the number of batches over which it is observed.
constexpr double kObserved = 0.2;
constexpr size_t kWindow = 3;
// The search stops measuring a schedule that takes this many times the cycles of the given one.
constexpr uint64_t kPatience = 4, kPatienceCycles = 100'000;
// The fewest trials of other tasks that teach a task. It learns again when there are twice as many.
constexpr size_t kFewestOfOthers = 16;

}  // namespace

Result<Search> Search::Make(std::vector<Task>* tasks, const isa::Config& config,
                            const SearchOptions& options, Measure measure) {
  Search search(tasks, config, options, std::move(measure));
  search.states_.resize(tasks->size());
  for (size_t t = 0; t < tasks->size(); ++t) {
    State& state = search.states_[t];
    // Tasks do not share random numbers: a task's points do not depend on the other tasks.
    TESSERA_ASSIGN(state.strategy,
                   MakeStrategy(options.strategy, Mix64(options.seed + t * 0x9e3779b97f4a7c15u)));
    Task& task = (*tasks)[t];
    NumbersOfProgram programs;
    if (!task.host && !task.gpu) {
      programs = [&task, config](const Point& point) {
        return ProgramNumbers(task, point, config);
      };
    }
    TESSERA_ASSIGN(state.model, MakeCostModel(options.model, task.space.get(), config, task.follows,
                                              std::move(programs)));
    if (state.model != nullptr && options.learned != nullptr)
      state.model->StartFrom(options.learned);
  }
  return search;
}

uint64_t Search::GivenCycles(size_t task) const {
  const Point& given = (*tasks_)[task].space->given();
  for (const Trial& trial : states_[task].history.trials()) {
    if (trial.point == given) return trial.cycles.value_or(0);
  }
  return 0;
}

bool Search::Over() const {
  return options_.stop() || std::chrono::steady_clock::now() >= options_.until ||
         (options_.trials > 0 && progress_.trials >= options_.trials);
}

std::optional<double> Search::SeenGain(size_t t) const {
  const State& state = states_[t];
  if (state.ended) return 0;
  if (state.best.size() <= kWindow) return std::nullopt;
  const double before = state.best[state.best.size() - 1 - kWindow], now = state.best.back();
  const double gain = before == 0 ? now : before - now;  // 0: all trials had failed
  return static_cast<double>((*tasks_)[t].weight) * gain / kWindow;
}

bool Search::GainsTooLittle() const {
  if (options_.least_gain <= 0) return false;
  double gain = 0;
  for (size_t t = 0; t < tasks_->size(); ++t) {
    const std::optional<double> seen = SeenGain(t);
    if (!seen) return false;
    gain += *seen;
  }
  return gain < options_.least_gain * progress_.best;
}

size_t Search::NextTask() const {
  size_t next = tasks_->size();
  double most = -1;
  for (size_t t = 0; t < tasks_->size(); ++t) {
    const State& state = states_[t];
    if (state.ended) continue;
    const std::vector<double>& best = state.best;
    if (best.empty()) return t;  // every task gets a first batch
    // Two estimates of a batch's gain: the mean gain of the last batches, and best / batches, as if
    // each batch gained the mean of all.
    const size_t window = std::min(kWindow, best.size() - 1);
    const double now = best.back(), count = static_cast<double>(best.size());
    const double seen =
        window == 0 ? 0 : (best[best.size() - 1 - window] - now) / static_cast<double>(window);
    const double gain = static_cast<double>((*tasks_)[t].weight) *
                        (kObserved * seen + (1 - kObserved) * now / count);
    if (gain > most) next = t;
    most = std::max(most, gain);
  }
  return next;
}

void Search::Count() {
  progress_.best = progress_.given = 0;
  for (size_t t = 0; t < tasks_->size(); ++t) {
    const double weight = static_cast<double>((*tasks_)[t].weight);
    const auto given = static_cast<double>(GivenCycles(t));
    const Trial* best = states_[t].history.best();
    progress_.given += weight * given;
    progress_.best += weight * (best != nullptr ? static_cast<double>(*best->cycles) : given);
  }
}

MeasuredBatch Search::MeasureHere(const Task& task, const std::vector<Point>& points,
                                  uint64_t budget) {
  MeasuredBatch results(points.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t k = next++; k < points.size(); k = next++) {
      if (options_.stop() || std::chrono::steady_clock::now() >= options_.until) return;
      results[k] = measure_(task, points[k], budget);
    }
  };
  std::vector<std::thread> others;
  for (int w = 1; w < options_.workers; ++w) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  return results;
}

Status Search::RunBatch(size_t t, const std::vector<Point>& points) {
  const Task& task = (*tasks_)[t];
  State& state = states_[t];
  const uint64_t given = GivenCycles(t);
  const uint64_t budget = given == 0 ? 1'000'000'000 : kPatience * given + kPatienceCycles;
  MeasuredBatch results;
  if (options_.elsewhere) {
    TESSERA_ASSIGN(results, options_.elsewhere(task, points, budget));
  } else {
    results = MeasureHere(task, points, budget);
  }
  // Records trials in the order of the batch, so that the number of workers changes nothing. A
  // point without a result, because the time ran out, is not a trial.
  for (size_t k = 0; k < points.size(); ++k) {
    if (!results[k]) continue;
    Trial trial{points[k], std::nullopt, "", ""};
    if (*results[k]) {
      trial.cycles = **results[k];
    } else {
      trial.cause = results[k]->error().cause;
      trial.message = results[k]->error().message;
    }
    ++progress_.trials;
    progress_.failed += !trial.cycles;
    TESSERA_TRY(options_.finished(task, trial));
    state.history.Add(std::move(trial));
  }
  progress_.task = t;
  Count();
  options_.progress(progress_);
  return {};
}

std::vector<Lessons> Search::LessonsBut(size_t task) const {
  std::vector<Lessons> all;
  for (size_t t = 0; t < states_.size(); ++t) {
    const State& state = states_[t];
    if (t == task || state.model == nullptr || state.history.trials().empty()) continue;
    auto lessons = state.model->LessonsOf(state.history);
    if (lessons) all.push_back(std::move(*lessons));
  }
  return all;
}

Status Search::Teach(size_t task) {
  State& state = states_[task];
  if (!options_.transfer || !HasXgboost() || !Learns(options_.model)) return {};
  size_t count = 0;
  for (const State& other : states_) count += &other == &state ? 0 : other.history.trials().size();
  if (count < kFewestOfOthers || count < 2 * state.taught) return {};
  const std::vector<Lessons> lessons = LessonsBut(task);
  if (lessons.empty()) return {};
  state.taught = count;
  const SharedModel nothing(lessons[0].kind);
  const SharedModel& before = options_.learned != nullptr ? *options_.learned : nothing;
  TESSERA_ASSIGN(SharedModel shared, before.With(lessons));
  state.model->StartFrom(std::make_shared<const SharedModel>(std::move(shared)));
  return {};
}

Status Search::Run() {
  // Those of |points| that the task has not measured yet.
  const auto begin = [&](size_t t, std::vector<Point> points) -> Status {
    std::erase_if(points, [&](const Point& point) { return states_[t].history.Has(point); });
    if (options_.trials > 0 && std::ssize(points) > options_.trials - progress_.trials)
      points.resize(static_cast<size_t>(options_.trials - progress_.trials));
    return points.empty() ? Status() : RunBatch(t, points);
  };
  if (options_.from_given) {
    // The given points of all tasks come first: a short search has at least these.
    for (size_t t = 0; t < tasks_->size() && !Over(); ++t)
      TESSERA_TRY(begin(t, {(*tasks_)[t].space->given()}));
    for (size_t t = 0; t < tasks_->size() && !Over(); ++t)
      TESSERA_TRY(begin(t, (*tasks_)[t].space->Starts()));
  }
  Count();
  while (!Over() && !GainsTooLittle()) {
    const size_t t = NextTask();
    if (t == tasks_->size()) break;
    State& state = states_[t];
    if (state.model != nullptr) {
      TESSERA_TRY(Teach(t));
      TESSERA_TRY(state.model->Fit(state.history));
    }
    size_t n = options_.batch;
    if (options_.trials > 0)
      n = std::min(n, static_cast<size_t>(options_.trials - progress_.trials));
    const std::vector<Point> points =
        state.strategy->NextBatch(*(*tasks_)[t].space, state.model.get(), state.history, n);
    state.ended = points.empty();
    if (!points.empty()) TESSERA_TRY(RunBatch(t, points));
    const Trial* best = state.history.best();
    state.best.push_back(best == nullptr ? 0 : static_cast<double>(*best->cycles));
  }
  return {};
}

}  // namespace tessera::tune
