// SPDX-License-Identifier: Apache-2.0
//
// Runs work in separate processes, so that a crash, a failed TESSERA_CHECK or a hang of one piece
// of work is a normal result. A new process has the calling thread alone. If other threads run at
// that moment, work must not need a lock that one of them may hold; memory of malloc is safe.
// Depends on: base. Used by: `tessera regress`, compiler/tune, tests/networks.
#ifndef TESSERA_BASE_WORKERS_H_
#define TESSERA_BASE_WORKERS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tessera {

// The end of a piece of work.
struct WorkEnd {
  std::string bytes;  // the result of the work
  std::string crash;  // "ended by signal 6: FILE:LINE: check failed ..."; "" if it returned
  bool late = false;  // it took more than the limit
  int signal = 0;     // that ended it before the limit; 0: none
  // The system made no process, in some tries: the work has not begun. |crash| says why.
  bool unmade = false;
};

// Computes the answer to a request.
using RequestWork = std::function<std::string(const std::string& request)>;

class Worker;  // one process

// A process that answers requests one by one and keeps its state from one to the next. If it
// crashes or takes longer than |limit|, the next request goes to a new process. One thread uses it.
class IsolatedProcess {
 public:
  IsolatedProcess(std::chrono::seconds limit, RequestWork work);
  ~IsolatedProcess();

  WorkEnd Ask(const std::string& request);

 private:
  std::chrono::seconds limit_;
  RequestWork work_;
  std::unique_ptr<Worker> worker_;
};

// Runs |work| in a separate process, for at most |limit|.
WorkEnd RunIsolated(const std::function<std::string()>& work, std::chrono::seconds limit);

class Workers {
 public:
  // |work| runs in one of |jobs| processes, which keep their state from one piece to the next.
  // After a crash a new process replaces the old one.
  using PieceWork = std::function<std::string(int64_t piece)>;
  Workers(int jobs, std::chrono::seconds limit, PieceWork work)
      : jobs_(jobs), limit_(limit), work_(std::move(work)) {}

  // Hands out pieces from |next| until it returns nothing and all pieces have ended; asks |next|
  // again after each end. Calls |done| after each end and |tick| several times a second. These
  // three functions run in this process. |work| sees the memory of this process as it was when the
  // worker was forked.
  void Run(const std::function<std::optional<int64_t>()>& next,
           const std::function<void(int64_t piece, WorkEnd end)>& done,
           const std::function<void()>& tick);

 private:
  int jobs_;
  std::chrono::seconds limit_;
  PieceWork work_;
};

}  // namespace tessera

#endif  // TESSERA_BASE_WORKERS_H_
