// SPDX-License-Identifier: Apache-2.0
//
// Runs pieces of work on the nodes of a Slurm cluster: each is a task of an array job that sbatch
// takes. Slurm decides where and when. A piece is lost when its task is gone from the queue and has
// left no answer: its node vanished, or someone cancelled it. Then it is given to Slurm again. The
// answer is a file, so a piece that runs twice has one answer. While the controller is away nothing
// is lost: the queue is asked again. Depends on: slurm_task.h. Used by: tools.
#ifndef TESSERA_CLUSTER_SLURM_POOL_H_
#define TESSERA_CLUSTER_SLURM_POOL_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/workers.h"

namespace tessera::cluster {

struct SlurmOptions {
  // The command of a task; the name of the task is put behind it. The program must be able to run
  // on each node.
  std::vector<std::string> command;
  std::string folder = ".";         // that all nodes see; the pool makes one in it
  std::vector<std::string> sbatch;  // more options of sbatch: "--partition=long"
  std::chrono::seconds limit{600};  // of a task
  int64_t at_once = 32;             // tasks in the queue
  int tries = 3;                    // of a piece that is lost
  std::chrono::seconds away{900};   // how long the controller may be away
  // How long the answer of a task that is gone may take to be seen here.
  std::chrono::milliseconds grace{10000};
};

class SlurmPool {
 public:
  // Checks that Slurm's commands are there, and makes the folder.
  //   errors  kNotFound     no sbatch, no folder
  //           kUnavailable  the folder cannot be written, no controller answers
  static Result<SlurmPool> Open(SlurmOptions options);
  ~SlurmPool();
  SlurmPool(SlurmPool&&) noexcept;

  struct Piece {
    int64_t number = 0;
    std::string request;
  };
  struct Calls {
    std::function<std::optional<Piece>()> next;            // nothing: no more for now
    std::function<void(int64_t piece, WorkEnd end)> done;  // once for each piece
    std::function<void()> tick;                            // some times a second
    std::function<bool()> stop;                            // cancels all; empty: never
  };
  // Hands out pieces until |next| returns nothing and all have ended; asks |next| again after each
  // end. A piece that was lost too often ends with a crash that says so. After an error or a stop
  // no task is left in the queue.
  //   errors  kUnavailable  Slurm refuses a job, or the controller is away for too long
  Status Run(const Calls& calls);

  // Tasks that were lost and given again.
  int64_t lost() const { return lost_; }

 private:
  explicit SlurmPool(SlurmOptions options) : options_(std::move(options)) {}

  using Clock = std::chrono::steady_clock;
  struct Task {
    Piece piece;
    int64_t job = 0, index = 0;
    std::string name;                       // "FOLDER/N"
    std::optional<Clock::time_point> gone;  // since when the queue does not have it
    int tries = 1;
  };
  // Runs a command of Slurm and returns what it printed; nothing if the controller is away.
  //   errors  kUnavailable  the command fails otherwise, or the controller is away for too long
  Result<std::optional<std::string>> Ask(const std::vector<std::string>& argv,
                                         std::string_view input = {});
  Status Fill(const Calls& calls);
  Status Submit();
  Status TakeAnswers(const Calls& calls);
  Status FindLost(const Calls& calls);
  void Cancel();

  SlurmOptions options_;
  std::string folder_;         // "": moved from
  std::vector<Task> waiting_;  // that Slurm does not have yet
  std::vector<Task> open_;     // that it has
  std::optional<Clock::time_point> away_;
  int64_t jobs_ = 0, lost_ = 0;
  bool keep_ = false;  // the folder has a log that someone may read
};

}  // namespace tessera::cluster

#endif  // TESSERA_CLUSTER_SLURM_POOL_H_
