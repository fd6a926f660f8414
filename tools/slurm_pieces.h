// SPDX-License-Identifier: Apache-2.0
//
// Numbered pieces of work, several to a task of a Slurm cluster: starting a process costs more than
// a short piece. Depends on: cluster. Used by: regress.
#ifndef TESSERA_TOOLS_SLURM_PIECES_H_
#define TESSERA_TOOLS_SLURM_PIECES_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/workers.h"
#include "cluster/slurm_pool.h"

namespace tessera::tools {

// As Workers::Run, with tasks of |pool|. A piece below 0 has a task of its own. If a task ends
// without the results of its pieces, those end with what ended it.
//   errors  those of SlurmPool::Run
Status RunPieces(cluster::SlurmPool& pool, const std::function<std::optional<int64_t>()>& next,
                 const std::function<void(int64_t piece, WorkEnd end)>& done,
                 const std::function<void()>& tick, const std::function<bool()>& stop);

// In the process of |task|: does its pieces, in order, for at most |limit| together.
//   errors  those of cluster::AnswerTask
Status AnswerPieces(const std::string& task, std::chrono::seconds limit,
                    const Workers::PieceWork& work);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_SLURM_PIECES_H_
