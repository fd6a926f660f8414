// SPDX-License-Identifier: Apache-2.0
//
// Work in processes of its own, so that a crash, a failed TESSERA_CHECK or a hang of one piece is a
// result like any other. Nothing here may be called where other threads run. Depends on: base. Used
// by: `tessera regress`, tests/networks.
#ifndef TESSERA_SIM_RIG_WORKERS_H_
#define TESSERA_SIM_RIG_WORKERS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace tessera::rig {

// How a piece of work ended.
struct WorkEnd {
  std::string bytes;  // what it returned
  std::string crash;  // "ended by signal 6: FILE:LINE: check failed ..."; "" if it returned
};

// What a process makes of a request.
using RequestWork = std::function<std::string(const std::string& request)>;

class Worker;  // one process

// A process that answers requests one by one and keeps what it keeps from one to the next; where
// one crashed it or took longer than |limit|, the next has a new process.
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

// |work| in a process of its own, at most |limit|.
WorkEnd RunIsolated(const std::function<std::string()>& work, std::chrono::seconds limit);

class Workers {
 public:
  // |work| is run in one of |jobs| processes, which keep what it keeps from one piece to the next;
  // after a crash a new process takes the place of the old one.
  using PieceWork = std::function<std::string(int64_t piece)>;
  Workers(int jobs, std::chrono::seconds limit, PieceWork work)
      : jobs_(jobs), limit_(limit), work_(std::move(work)) {}

  // Hands out what |next| gives until that is nothing and all has ended; |next| is asked again
  // after each end. |done| hears of each end; |tick| is called some times a second. All three run
  // in this process. What |work| sees of this one's memory is of the moment its process was made.
  void Run(const std::function<std::optional<int64_t>()>& next,
           const std::function<void(int64_t piece, WorkEnd end)>& done,
           const std::function<void()>& tick);

 private:
  int jobs_;
  std::chrono::seconds limit_;
  PieceWork work_;
};

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_WORKERS_H_
