// SPDX-License-Identifier: Apache-2.0
//
// Times of layers on the host and on GPUs. Each candidate is compiled and runs in a process of its
// own, so that one that crashes, hangs or takes all memory is a failed trial. It runs in turns with
// the schedule that the compiler chooses, on one core that nothing else of this process uses, or
// from that core on the GPU, whose own clock counts; the least time counts. Its result has to be
// that of the compiler's schedule. Depends on: task.h, turns.h, base/workers.h. Used by: the
// command.
#ifndef TESSERA_COMPILER_TUNE_TIME_MEASURE_H_
#define TESSERA_COMPILER_TUNE_TIME_MEASURE_H_

#include <sched.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "compiler/tune/history.h"
#include "compiler/tune/task.h"
#include "compiler/tune/turns.h"
#include "runtime/host/host_code.h"

namespace tessera::tune {

// Causes of failed trials, beside the names of error codes. One is Unavailable: the system makes no
// process.
inline constexpr const char* kCrashed = "Crashed";          // its compilation or its code
inline constexpr const char* kOutOfMemory = "OutOfMemory";  // ... took more than it may
inline constexpr const char* kTooLong = "Timeout";          // ... took longer than the limit
inline constexpr const char* kWrongResult = "WrongResult";  // not what the compiler's code computes

// For tests: called in the process of a candidate of the host. The measurer does without either.
struct HostStandIns {
  std::function<void(const schedule::Trace&)> compiling;  // before its compilation
  // The kernel that runs instead of the candidate's.
  std::function<HostKernel(const schedule::Trace&, HostKernel)> kernel;
};

struct TimeMeasureOptions {
  std::chrono::seconds limit{20};  // of a compilation, and of the runs of a candidate
  uint64_t memory = 0;             // bytes that a candidate may take; 0: half of the machine's
  HostStandIns stand_ins;
};

// Any number of threads may call at once: they compile at the same time and take turns with the
// core. The thread that makes the measurer, and those that it starts, leave that core alone while
// the measurer lives, if the process has another one.
class TimeMeasurer {
 public:
  explicit TimeMeasurer(TimeMeasureOptions options = {});
  ~TimeMeasurer();
  TimeMeasurer(const TimeMeasurer&) = delete;
  TimeMeasurer& operator=(const TimeMeasurer&) = delete;

  // What an earlier search knows of |task|, in nanoseconds: the time of its given point; that of
  // its best one.
  void Know(const Task& task, uint64_t given, uint64_t best);

  // The least nanoseconds of |task| by |point|. Turns with the given one go on, within limits,
  // until that takes no more than it once took: then the core was quiet. Other work can make a
  // point look slow and never fast. A point that is three times slower than the best one is
  // measured less often.
  Measured Measure(const Task& task, const Point& point);
  // Both times, in more turns, for a few points of which one is to be used.
  std::expected<TurnTimes, FailedTrial> MeasureAgain(const Task& task, const Point& point);

  // Moves the calling thread to the core on which candidates run.
  void StayOnCore() const;

  // Whether the interpreter of the loop IR has confirmed the result by |point|; false: it would
  // take too long.
  //   errors  kDataLoss     the results differ; those of Measure
  //           kUnavailable  the system makes no process
  Result<bool> Interpret(const Task& task, const Point& point);

 private:
  struct State;
  enum class Effort : uint8_t { kOnce, kAgain };
  State& Of(const Task& task);
  std::expected<TurnTimes, FailedTrial> Run(const Task& task, const Point& point, Effort effort);

  TimeMeasureOptions options_;
  std::mutex states_mutex_;
  std::map<const Task*, std::unique_ptr<State>> states_;
  std::mutex core_mutex_;  // held by the one candidate that runs
  int core_ = -1;          // -1: unknown
  cpu_set_t before_{};     // of the thread that made the measurer
  bool moved_ = false;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_TIME_MEASURE_H_
