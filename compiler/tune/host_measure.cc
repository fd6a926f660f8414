// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/host_measure.h"

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
#include "compiler/tune/host_run.h"

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

// The space of |task|, which is of the host.
const LayerSpace& SpaceOfHost(const Task& task) {
  const auto* space = dynamic_cast<const LayerSpace*>(task.space.get());
  TESSERA_CHECK(space != nullptr && task.host != nullptr, "task {} is not of the host", task.name);
  return *space;
}

uint64_t SeedOf(const Task& task) { return task.key.layer; }

// A candidate in its process, from its compilation on.
class HostTrial {
 public:
  HostTrial(const compiler::HostLayer& layer, const schedule::Trace& trace, uint64_t seed,
            const HostMeasureOptions& options)
      : layer_(layer), trace_(trace), seed_(seed), options_(options) {}

  // Compiles it, with stand-ins in the places that the tests want.
  Status Make() {
    if (options_.stand_ins.compiling) options_.stand_ins.compiling(trace_);
    TESSERA_ASSIGN(compiler::HostCandidate made, compiler::Evaluate(layer_, trace_));
    if (options_.stand_ins.kernel) made.kernel = options_.stand_ins.kernel(trace_, made.kernel);
    made_ = std::move(made);
    return {};
  }
  bool made() const { return made_.has_value(); }

  // "ok GIVEN CANDIDATE", nanoseconds of the two in turns.
  std::string Measure(compiler::HostCandidate& given, const TurnOptions& turns) {
    const HostInputs inputs = RandomHostInputs(layer_.region, seed_);
    for (compiler::HostCandidate* side : {&given, &*made_}) {
      PutInputs(inputs, side);
      side->Run();
    }
    const std::string differs =
        ResultDifference(layer_.region.output.dtype(), ResultOf(*made_), ResultOf(given));
    if (!differs.empty())
      return Failure(kWrongResult, fmt::format("{} (inputs of seed {})", differs, seed_));
    const HostTimes times = TakeTurns(given, *made_, turns);
    return fmt::format("ok {} {}", times.given, times.candidate);
  }

  // "ok 1", or "ok 0" if the interpreter would take too long.
  std::string Interpret() {
    PutInputs(RandomHostInputs(layer_.region, seed_), &*made_);
    made_->Run();
    const auto want = InterpretedResult(*made_);
    if (!want && want.error().code == Code::kTimeout) return "ok 0";
    if (!want) return Failure(want.error());
    const std::string differs =
        ResultDifference(layer_.region.output.dtype(), ResultOf(*made_), *want);
    return differs.empty() ? "ok 1" : Failure(CodeName(Code::kDataLoss), differs);
  }

 private:
  const compiler::HostLayer& layer_;
  const schedule::Trace& trace_;
  uint64_t seed_;
  const HostMeasureOptions& options_;
  std::optional<compiler::HostCandidate> made_;
};

}  // namespace

struct HostMeasurer::State {
  std::mutex mutex;  // of what follows
  bool tried = false;
  std::optional<compiler::HostCandidate> given;  // runs in the processes of the candidates
  std::string refused;                           // why there is none
  uint64_t given_ns = 0, best_ns = 0;            // 0: not measured yet
};

HostMeasurer::HostMeasurer(HostMeasureOptions options) : options_(std::move(options)) {
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

HostMeasurer::~HostMeasurer() {
  if (moved_) sched_setaffinity(0, sizeof before_, &before_);
}

void HostMeasurer::StayOnCore() const {
  if (core_ < 0) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core_, &only);
  sched_setaffinity(0, sizeof only, &only);
}

HostMeasurer::State& HostMeasurer::Of(const Task& task) {
  const std::lock_guard lock(states_mutex_);
  std::unique_ptr<State>& state = states_[&task];
  if (!state) state = std::make_unique<State>();
  return *state;
}

void HostMeasurer::Know(const Task& task, uint64_t given, uint64_t best) {
  State& state = Of(task);
  const std::lock_guard lock(state.mutex);
  state.given_ns = given;
  state.best_ns = best;
}

std::expected<HostTimes, FailedTrial> HostMeasurer::Run(const Task& task, const Point& point,
                                                        Effort effort) {
  const LayerSpace& space = SpaceOfHost(task);
  State& state = Of(task);
  TurnOptions turns = effort == Effort::kAgain       ? kLastTurns
                      : point == task.space->given() ? kFirstTurns
                                                     : kTrialTurns;
  {
    const std::lock_guard lock(state.mutex);
    if (!std::exchange(state.tried, true)) {
      auto given = compiler::Evaluate(*task.host, space.TraceOf(space.given()));
      if (given) {
        state.given = std::move(*given);
      } else {
        state.refused = given.error().message;
      }
    }
    if (!state.given) {
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
  // Lives in the candidate's process; here it stays empty.
  HostTrial trial(*task.host, trace, SeedOf(task), options_);
  IsolatedProcess process(options_.limit, [&](const std::string&) -> std::string {
    if (trial.made()) {
      StayOnCore();
      return trial.Measure(*state.given, turns);
    }
    LimitMemory(options_.memory);
    const Status made = trial.Make();
    return made ? "ok" : Failure(made.error());
  });
  if (const auto made = WordsOf(process.Ask("make")); !made) return std::unexpected(made.error());
  const auto answer = [&] {
    const std::lock_guard core(core_mutex_);
    return WordsOf(process.Ask("measure"));
  }();
  if (!answer) return std::unexpected(answer.error());
  HostTimes times;
  std::istringstream(*answer) >> times.given >> times.candidate;
  const std::lock_guard lock(state.mutex);
  const auto keep = [](uint64_t time, uint64_t* least) {
    *least = *least == 0 ? time : std::min(*least, time);
  };
  keep(times.given, &state.given_ns);
  keep(std::min(times.given, times.candidate), &state.best_ns);
  return times;
}

Measured HostMeasurer::Measure(const Task& task, const Point& point) {
  const auto times = Run(task, point, Effort::kOnce);
  if (!times) return std::unexpected(times.error());
  return point == task.space->given() ? std::min(times->given, times->candidate) : times->candidate;
}

std::expected<HostTimes, FailedTrial> HostMeasurer::MeasureAgain(const Task& task,
                                                                 const Point& point) {
  return Run(task, point, Effort::kAgain);
}

Result<bool> HostMeasurer::Interpret(const Task& task, const Point& point) {
  const LayerSpace& space = SpaceOfHost(task);
  const schedule::Trace trace = space.TraceOf(point);
  const WorkEnd end = RunIsolated(
      [&]() -> std::string {
        LimitMemory(options_.memory);
        HostTrial trial(*task.host, trace, SeedOf(task), options_);
        const Status made = trial.Make();
        return made ? trial.Interpret() : Failure(made.error());
      },
      options_.limit);
  const auto answer = WordsOf(end);
  if (answer) return *answer == " 1";
  if (answer.error().cause == kTooLong) return false;
  return Fail(Code::kDataLoss, "{}: by the interpreter of the loops: {}", task.name,
              answer.error().message);
}

}  // namespace tessera::tune
