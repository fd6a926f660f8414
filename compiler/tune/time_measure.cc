// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/time_measure.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include "base/check.h"
#include "base/workers.h"
#include "compiler/tune/turns.h"

namespace tessera::tune {
namespace {

// A candidate this many times slower than the best point is not measured to the end.
constexpr double kSlow = 3;
// Turns of a trial; of the given point, with which all are compared; of points of which one is to
// be used.
constexpr TurnOptions kTrialTurns{.turns = 20, .most_ns = 300'000'000},
    kFirstTurns{.turns = 100, .most_ns = 500'000'000},
    kLastTurns{.turns = 200, .most_ns = 1'000'000'000};

// The answers of a candidate's process: "ok WORDS" or "failed CAUSE MESSAGE".
std::string Failure(const std::string& cause, const std::string& message) {
  return "failed " + cause + " " + message;
}
std::string Failure(const Error& error) {
  // All memory that a candidate is refused is its own.
  return Failure(error.code == Code::kUnavailable ? kOutOfMemory : CodeName(error.code),
                 error.message);
}

// The words of an answer, or why there are none.
std::expected<std::string, FailedTrial> WordsOf(const WorkEnd& end) {
  if (end.unmade) return std::unexpected(FailedTrial(CodeName(Code::kUnavailable), end.crash));
  // The system ends a process that takes too much memory by this signal, and so does LimitMemory.
  if (end.signal == SIGKILL) return std::unexpected(FailedTrial(kOutOfMemory, end.crash));
  if (!end.crash.empty())
    return std::unexpected(FailedTrial(end.late ? kTooLong : kCrashed, end.crash));
  std::istringstream words(end.bytes);
  std::string kind, cause, rest;
  words >> kind;
  if (kind == "ok") return end.bytes.substr(kind.size());
  words >> cause >> std::ws;
  std::getline(words, rest, '\0');
  return std::unexpected(FailedTrial(cause, rest));
}

// Limits the memory of this process to what it has and |bytes| more.
void LimitMemory([[maybe_unused]] uint64_t bytes) {
  std::set_new_handler([] { std::raise(SIGKILL); });
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses
  uint64_t pages = 0, data = 0;
  std::ifstream sizes("/proc/self/statm");
  for (int k = 0; k < 6; ++k) sizes >> (k == 5 ? data : pages);
  if (!sizes) return;
  const rlim_t most = data * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_DATA, &limit);
#endif
}

// The space of |task|, which is of the host or of a GPU.
const LayerSpace& SpaceOfTimed(const Task& task) {
  const auto* space = dynamic_cast<const LayerSpace*>(task.space.get());
  const bool timed = task.host != nullptr || task.gpu != nullptr;
  TESSERA_CHECK(space != nullptr && timed, "task {} is not of the host or a GPU", task.name);
  return *space;
}

const te::RegionTe& RegionOf(const Task& task) {
  return task.host ? task.host->region : task.gpu->region;
}

uint64_t SeedOf(const Task& task) { return task.key.layer; }

// |task| by |trace|, ready to run.
Result<std::unique_ptr<TimedLayer>> CompiledTask(const Task& task, const schedule::Trace& trace) {
  if (task.host) {
    TESSERA_ASSIGN(compiler::HostCandidate made, compiler::Evaluate(*task.host, trace));
    return OnHost(std::move(made));
  }
  TESSERA_ASSIGN(compiler::GpuCandidate made, compiler::Evaluate(*task.gpu, trace));
  return OnGpu(std::move(made), task.gpu->kind);
}

// A candidate in its process, from its compilation on.
class TimedTrial {
 public:
  TimedTrial(const Task& task, const schedule::Trace& trace, const TimeMeasureOptions& options)
      : task_(task), trace_(trace), options_(options) {}

  // With stand-ins in the places that the tests want.
  Status Compile() {
    if (options_.stand_ins.compiling) options_.stand_ins.compiling(trace_);
    if (task_.host && options_.stand_ins.kernel) {
      TESSERA_ASSIGN(compiler::HostCandidate made, compiler::Evaluate(*task_.host, trace_));
      made.kernel = options_.stand_ins.kernel(trace_, made.kernel);
      layer_ = OnHost(std::move(made));
      return {};
    }
    TESSERA_ASSIGN(layer_, CompiledTask(task_, trace_));
    return {};
  }
  bool compiled() const { return layer_ != nullptr; }

  // "ok GIVEN CANDIDATE", nanoseconds of the two in turns.
  Result<std::string> Measure(TimedLayer& given, const TurnOptions& turns) {
    const LayerInputs inputs = RandomInputs(RegionOf(task_), SeedOf(task_));
    for (TimedLayer* side : {&given, layer_.get()}) {
      TESSERA_TRY(side->Put(inputs));
      TESSERA_TRY(side->Run(1));
    }
    TESSERA_ASSIGN(const std::vector<uint8_t> got, layer_->Output());
    TESSERA_ASSIGN(const std::vector<uint8_t> want, given.Output());
    const std::string differs = ResultDifference(RegionOf(task_).output.dtype(), got, want);
    if (!differs.empty())
      return Failure(kWrongResult, fmt::format("{} (inputs of seed {})", differs, SeedOf(task_)));
    TESSERA_ASSIGN(const TurnTimes times, TakeTurns(given, *layer_, turns));
    return fmt::format("ok {} {}", times.given, times.candidate);
  }

  // "ok 1", or "ok 0" if the interpreter would take too long.
  Result<std::string> Interpret() {
    TESSERA_TRY(layer_->Put(RandomInputs(RegionOf(task_), SeedOf(task_))));
    TESSERA_TRY(layer_->Run(1));
    const auto want = layer_->Interpreted();
    if (!want && want.error().code == Code::kTimeout) return std::string("ok 0");
    if (!want) return std::unexpected(want.error());
    TESSERA_ASSIGN(const std::vector<uint8_t> got, layer_->Output());
    const std::string differs = ResultDifference(RegionOf(task_).output.dtype(), got, *want);
    return differs.empty() ? "ok 1" : Failure(CodeName(Code::kDataLoss), differs);
  }

 private:
  const Task& task_;
  const schedule::Trace& trace_;
  const TimeMeasureOptions& options_;
  std::unique_ptr<TimedLayer> layer_;  // null: not compiled yet
};

// The answer of a process.
std::string Told(const Result<std::string>& answer) {
  return answer ? *answer : Failure(answer.error());
}

}  // namespace

struct TimeMeasurer::State {
  std::mutex mutex;  // of what follows
  bool tried = false;
  // Of the host: compiled once, it runs in the processes of the candidates. Drivers of GPUs do not
  // outlive a fork: each process compiles its own.
  std::unique_ptr<TimedLayer> given;
  std::string refused;                 // why there is none
  uint64_t given_ns = 0, best_ns = 0;  // 0: not measured yet
};

TimeMeasurer::TimeMeasurer(TimeMeasureOptions options) : options_(std::move(options)) {
  if (options_.memory == 0) {
    options_.memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) / 2 *
                      static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &before_)) core_ = core;
  }
  cpu_set_t others = before_;
  CPU_CLR(core_, &others);
  moved_ = CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0;
}

TimeMeasurer::~TimeMeasurer() {
  if (moved_) sched_setaffinity(0, sizeof before_, &before_);
}

void TimeMeasurer::StayOnCore() const {
  if (core_ < 0) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core_, &only);
  sched_setaffinity(0, sizeof only, &only);
}

TimeMeasurer::State& TimeMeasurer::Of(const Task& task) {
  const std::lock_guard lock(states_mutex_);
  std::unique_ptr<State>& state = states_[&task];
  if (!state) state = std::make_unique<State>();
  return *state;
}

void TimeMeasurer::Know(const Task& task, uint64_t given, uint64_t best) {
  State& state = Of(task);
  const std::lock_guard lock(state.mutex);
  state.given_ns = given;
  state.best_ns = best;
}

std::expected<TurnTimes, FailedTrial> TimeMeasurer::Run(const Task& task, const Point& point,
                                                        Effort effort) {
  const LayerSpace& space = SpaceOfTimed(task);
  State& state = Of(task);
  TurnOptions turns = effort == Effort::kAgain       ? kLastTurns
                      : point == task.space->given() ? kFirstTurns
                                                     : kTrialTurns;
  {
    const std::lock_guard lock(state.mutex);
    if (!std::exchange(state.tried, true) && task.host) {
      auto given = CompiledTask(task, space.TraceOf(space.given()));
      if (given) {
        state.given = std::move(*given);
      } else {
        state.refused = given.error().message;
      }
    }
    if (!state.refused.empty()) {
      return std::unexpected(
          FailedTrial(CodeName(Code::kUnavailable), "the compiler's schedule: " + state.refused));
    }
    if (state.given_ns > 0) {
      turns.quiet_ns = state.given_ns;
      turns.enough =
          kSlow * static_cast<double>(state.best_ns) / static_cast<double>(state.given_ns);
    }
    if (effort == Effort::kAgain) turns.enough = 0;
  }
  const schedule::Trace trace = space.TraceOf(point);
  // These live in the candidate's process; here they stay empty.
  TimedTrial trial(task, trace, options_);
  std::unique_ptr<TimedLayer> own_given;
  IsolatedProcess process(options_.limit, [&](const std::string&) -> std::string {
    if (trial.compiled()) {
      StayOnCore();
      return Told(trial.Measure(own_given ? *own_given : *state.given, turns));
    }
    LimitMemory(options_.memory);
    if (task.gpu) {
      auto given = CompiledTask(task, space.TraceOf(space.given()));
      if (!given) return Failure(given.error());
      own_given = std::move(*given);
    }
    const Status made = trial.Compile();
    return made ? "ok" : Failure(made.error());
  });
  if (const auto made = WordsOf(process.Ask("compile")); !made)
    return std::unexpected(made.error());
  const auto answer = [&] {
    const std::lock_guard core(core_mutex_);
    return WordsOf(process.Ask("measure"));
  }();
  if (!answer) return std::unexpected(answer.error());
  TurnTimes times;
  std::istringstream(*answer) >> times.given >> times.candidate;
  const std::lock_guard lock(state.mutex);
  const auto keep = [](uint64_t time, uint64_t* least) {
    *least = *least == 0 ? time : std::min(*least, time);
  };
  keep(times.given, &state.given_ns);
  keep(std::min(times.given, times.candidate), &state.best_ns);
  return times;
}

Measured TimeMeasurer::Measure(const Task& task, const Point& point) {
  const auto times = Run(task, point, Effort::kOnce);
  if (!times) return std::unexpected(times.error());
  return point == task.space->given() ? std::min(times->given, times->candidate) : times->candidate;
}

std::expected<TurnTimes, FailedTrial> TimeMeasurer::MeasureAgain(const Task& task,
                                                                 const Point& point) {
  return Run(task, point, Effort::kAgain);
}

Result<bool> TimeMeasurer::Interpret(const Task& task, const Point& point) {
  const LayerSpace& space = SpaceOfTimed(task);
  const schedule::Trace trace = space.TraceOf(point);
  const WorkEnd end = RunIsolated(
      [&]() -> std::string {
        LimitMemory(options_.memory);
        TimedTrial trial(task, trace, options_);
        const Status made = trial.Compile();
        return made ? Told(trial.Interpret()) : Failure(made.error());
      },
      options_.limit);
  if (end.unmade) return Fail(Code::kUnavailable, "{}: {}", task.name, end.crash);
  const auto answer = WordsOf(end);
  if (answer) return *answer == " 1";
  if (answer.error().cause == kTooLong) return false;
  return Fail(Code::kDataLoss, "{}: by the interpreter of the loops: {}", task.name,
              answer.error().message);
}

}  // namespace tessera::tune
