// SPDX-License-Identifier: Apache-2.0
//
// A search over machines: asks a strategy which ones to look at, looks at each in a process of its
// own, and writes down every answer. Depends on: explore/strategy.h, explore/evaluate.h,
// base/workers.h, base/line_log.h. Used by: tools, bench.
#ifndef TESSERA_EXPLORE_SEARCH_H_
#define TESSERA_EXPLORE_SEARCH_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/line_log.h"
#include "cluster/slurm_pool.h"
#include "explore/evaluate.h"
#include "explore/explored.h"
#include "explore/strategy.h"

namespace tessera::explore {

struct ExploreOptions {
  std::string strategy = "halving";
  uint64_t seed = 1;
  int64_t runs = 0;                            // machines that run at most, beside others(); 0: any
  std::chrono::steady_clock::duration time{};  // 0: without a limit
  int workers = 1;
  std::chrono::seconds machine_limit{300};  // of one stage of one machine
  std::function<bool()> stop;               // whether to end early; may be empty
  // Machines run as its tasks, which call AnswerRequest; null: in processes of this computer.
  // Predictions take less time than a task needs to begin, and stay here.
  cluster::SlurmPool* slurm = nullptr;
  // What a machine costs in a stage; empty: CostOf of the networks. It runs in another process.
  std::function<MachineCost(const isa::Config&, Stage)> cost = {};
};

// How far a search is.
struct ExploreProgress {
  int64_t predicted = 0, ran = 0, failed = 0, known = 0;  // |known|: answers of an earlier search
  size_t front = 0;
  double seconds = 0;                                // since the start
  std::map<Stage, std::pair<int64_t, double>> work;  // by stage: machines, and seconds of workers
};

// The answers of an earlier search, by machine and stage.
using KnownAnswers = std::map<std::pair<int64_t, Stage>, MachineCost>;

// What identifies a search: a log goes on only with the same one.
struct SearchIdentity {
  std::string sweep, base, networks, part, objective, strategy, seed;
};

// The log of a search: a line that says which search it is, then a line an answer.
class ExploreLog {
 public:
  // |known| receives the answers of the search before.
  //   errors  those of LineLog::Open; kInvalidArgument  the log is of another search: names what
  //           differs; kDataLoss  a line is damaged
  static Result<ExploreLog> Open(const std::string& path, const SearchIdentity& identity,
                                 bool resume, KnownAnswers* known);
  Status Append(int64_t machine, Stage stage, const MachineCost& cost);

 private:
  explicit ExploreLog(LineLog log) : log_(std::move(log)) {}
  LineLog log_;
};

// In a task: the answer to |request|, a machine to run |networks| on.
std::string AnswerRequest(const std::vector<ExploredNetwork>& networks, const std::string& request);

class MachineSearch {
 public:
  // |explored| and |networks| outlive the search. |log|: null for none.
  MachineSearch(const std::vector<ExploredNetwork>& networks, ExploreOptions options,
                KnownAnswers known, Explored* explored, ExploreLog* log);

  // Called after each answer, and several times a second.
  std::function<void(const ExploreProgress&)> progress;

  // Runs others(), then what the strategy asks for, until the budget is spent or the strategy is at
  // its end.
  //   errors  kNotFound     no such strategy
  //           kUnavailable  the log cannot be written; the system makes no process
  //           kUnsupported  no network compiles on any machine: names the first cause
  Status Run();

  // The answers of |stage| for |configs|, which need not be of the space; nothing is logged.
  //   errors  kUnavailable  the system makes no process
  Result<std::vector<MachineCost>> AnswersFor(const std::vector<isa::Config>& configs, Stage stage);

  const ExploreProgress& now() const { return progress_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Told = std::function<Status(size_t index, MachineCost cost)>;
  bool Over() const;
  // Looks at |machines|, the known ones without work.
  Status LookAt(const std::vector<int64_t>& machines, Stage stage);
  Status Work(const std::vector<isa::Config>& configs, Stage stage, const Told& told);
  void Count(Stage stage, const MachineCost& cost);
  Status SomeCompiles() const;

  const std::vector<ExploredNetwork>& networks_;
  const ExploreOptions options_;
  const KnownAnswers known_;
  Explored& explored_;
  ExploreLog* const log_;
  ExploreProgress progress_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_SEARCH_H_
