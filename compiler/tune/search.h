// SPDX-License-Identifier: Apache-2.0
//
// A search over the tasks of a network: decides which task gets the next batch of trials, and
// measures the batch with its workers. Depends on: task.h, strategy.h. Used by: the command, bench.
#ifndef TESSERA_COMPILER_TUNE_SEARCH_H_
#define TESSERA_COMPILER_TUNE_SEARCH_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/tune/cost_model.h"
#include "compiler/tune/strategy.h"
#include "compiler/tune/task.h"

namespace tessera::tune {

// Called by several threads at once.
using Measure = std::function<Measured(const Task& task, const Point& point, uint64_t budget)>;
// What became of the points of a batch, by point. Nothing: the time ran out before.
using MeasuredBatch = std::vector<std::optional<Measured>>;

// The progress of a search.
struct SearchProgress {
  size_t task = 0;  // the task of the last batch
  int64_t trials = 0, failed = 0;
  double best = 0, given = 0;  // weighted cycles of all tasks: best points, given points
};

struct SearchOptions {
  std::string strategy = "evolution";
  ModelKind model = ModelKind::kPrior;
  uint64_t seed = 1;
  int workers = 1;
  // Measures a batch in the place of the workers; empty: they do. Errors end a search.
  std::function<Result<MeasuredBatch>(const Task& task, const std::vector<Point>& points,
                                      uint64_t budget)>
      elsewhere;
  size_t batch = 16;  // trials between two fits of the model
  // Whether a task's model begins with what the trials of the other tasks teach.
  bool transfer = true;
  // What earlier searches have learned, of the kind of the models' lessons; null: nothing.
  std::shared_ptr<const SharedModel> learned;
  // Whether the first trials of a task are its Starts(); without, strategies that begin anywhere
  // know nothing of the compiler's choice.
  bool from_given = true;
  int64_t trials = 0;  // of all tasks; 0: no limit
  // The search ends when a batch of each task is expected to gain less than this share of the
  // weighted cycles of all best points; 0: never.
  double least_gain = 0;
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  std::function<bool()> stop = [] { return false; };
  // Receives each new trial, in an order that does not depend on the workers. Errors end a search.
  std::function<Status(const Task& task, const Trial& trial)> finished =
      [](const Task&, const Trial&) { return Status(); };
  std::function<void(const SearchProgress&)> progress = [](const SearchProgress&) {};
};

class Search {
 public:
  // |tasks| outlive the search.
  //   errors  those of MakeStrategy and MakeCostModel
  static Result<Search> Make(std::vector<Task>* tasks, const isa::Config& config,
                             const SearchOptions& options, Measure measure);

  // Adds a trial of an earlier search; SearchOptions::finished does not receive it.
  void AddKnown(size_t task, Trial trial) { states_[task].history.Add(std::move(trial)); }

  // Searches until the budget is spent, stop() returns true, the expected gain is less than asked,
  // or no task has another point.
  //   errors  those of SearchOptions::finished, CostModel::Fit and SharedModel::With
  Status Run();

  const History& history(size_t task) const { return states_[task].history; }
  // The cycles of the given point; 0: not measured yet, or failed.
  uint64_t GivenCycles(size_t task) const;
  const SearchProgress& progress() const { return progress_; }
  // What the trials teach the models of other tasks, by task. None: the model does not learn.
  std::vector<Lessons> AllLessons() const { return LessonsBut(tasks_->size()); }

 private:
  struct State {
    History history;
    std::unique_ptr<Strategy> strategy;
    std::unique_ptr<CostModel> model;
    std::vector<double> best;  // after each batch
    bool ended = false;        // no points are left
    size_t taught = 0;         // trials of other tasks from which the model has learned
  };

  Search(std::vector<Task>* tasks, const isa::Config& config, SearchOptions options,
         Measure measure)
      : tasks_(tasks),
        config_(config),
        options_(std::move(options)),
        measure_(std::move(measure)) {}
  bool Over() const;
  // The mean gain of |task|'s last batches, in weighted cycles a batch; nothing: there were too few
  // to tell. 0: the task has no points left.
  std::optional<double> SeenGain(size_t task) const;
  // Whether all tasks together are expected to gain less than SearchOptions::least_gain.
  bool GainsTooLittle() const;
  // The task whose next batch is expected to gain the most cycles; tasks_->size(): no task has
  // points left.
  size_t NextTask() const;
  // Lets the model of |task| begin with what the other tasks' trials teach now.
  Status Teach(size_t task);
  // Those of all tasks but |task|.
  std::vector<Lessons> LessonsBut(size_t task) const;
  // Measures |points| with the workers.
  MeasuredBatch MeasureHere(const Task& task, const std::vector<Point>& points, uint64_t budget);
  Status RunBatch(size_t task, const std::vector<Point>& points);
  void Count();

  std::vector<Task>* tasks_;
  isa::Config config_;
  SearchOptions options_;
  Measure measure_;
  std::vector<State> states_;
  SearchProgress progress_;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_SEARCH_H_
