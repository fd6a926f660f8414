// SPDX-License-Identifier: Apache-2.0
//
// Options of verbs whose pieces of work can be tasks of a Slurm cluster (docs/cluster.md). A task
// is the command of the user, once more, with the name of the task behind it: it plans the same
// work and does one piece of it. Depends on: cluster. Used by: regress, explore,
// tune.
#ifndef TESSERA_TOOLS_SLURM_H_
#define TESSERA_TOOLS_SLURM_H_

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "cluster/slurm_pool.h"

namespace tessera::tools {

inline constexpr int kSlurmTasks = 32;  // in the queue at once, if the user says nothing

struct SlurmWords {
  bool on = false;
  std::string folder = ".", options;
  std::string task;  // of this process; "": it is none
};

// Adds --slurm, --slurm-folder, --slurm-options and, hidden, --slurm-task to |verb|.
void AddSlurmOptions(CLI::App& verb, SlurmWords& words);

// The pool for |words|, whose tasks run the command of this process for at most |limit|.
//   errors  those of SlurmPool::Open
Result<cluster::SlurmPool> OpenSlurm(const SlurmWords& words, int64_t at_once,
                                     std::chrono::seconds limit);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_SLURM_H_
