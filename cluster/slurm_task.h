// SPDX-License-Identifier: Apache-2.0
//
// A task of a Slurm job: one process that answers one request, by files. Depends on: base. Used by:
// slurm_pool.h, tools.
#ifndef TESSERA_CLUSTER_SLURM_TASK_H_
#define TESSERA_CLUSTER_SLURM_TASK_H_

#include <chrono>
#include <string>

#include "base/error.h"
#include "base/workers.h"

namespace tessera::cluster {

// The files of the task |task|, "FOLDER/N": the request is there before it begins, the answer
// appears whole when it has ended, the log has what the task printed.
std::string RequestFile(const std::string& task);
std::string AnswerFile(const std::string& task);
std::string LogFile(const std::string& task);

// Answers the request of |task| by |work|, in a process of its own for at most |limit|: a crash of
// |work| is an answer too.
//   errors  those of ReadFile and WriteFile
Status AnswerTask(const std::string& task, std::chrono::seconds limit, const RequestWork& work);

// The answer of a task as text, and back.
std::string PrintEnd(const WorkEnd& end);
//   errors  kDataLoss  |text| is no answer
Result<WorkEnd> ParseEnd(const std::string& text);

}  // namespace tessera::cluster

#endif  // TESSERA_CLUSTER_SLURM_TASK_H_
