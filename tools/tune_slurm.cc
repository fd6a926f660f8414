// SPDX-License-Identifier: Apache-2.0
#include "tools/tune_slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>

#include "base/bits.h"
#include "cluster/slurm_task.h"
#include "compiler/tune/select.h"
#include "compiler/tune/time_measure.h"

namespace tessera::tools {
namespace {

constexpr std::chrono::seconds kTaskLimit{600};

// A request: "STAGE BUDGET", the records of what the stages before have chosen, and a record a
// point, whose cycles mean nothing. An answer: a record a point.
std::string RequestOf(const TuneTarget& target, size_t stage, const tune::Task& task,
                      const std::vector<tune::Point>& points, uint64_t budget) {
  std::string request = fmt::format("{} {}\n", stage, budget);
  for (const tune::Record& record : target.Adopted()) request += tune::Print(record);
  for (const tune::Point& point : points)
    request += tune::Print(tune::RecordOf(task, {point, 0, "", ""}));
  return request;
}

tune::Trial TrialOf(const tune::Point& point, const tune::Measured& measured) {
  if (measured) return {point, *measured, "", ""};
  return {point, std::nullopt, measured.error().cause, measured.error().message};
}

tune::Measured MeasuredOf(const tune::Record& record) {
  if (record.cycles) return *record.cycles;
  return std::unexpected(tune::FailedTrial(record.cause, record.message));
}

// The results of |count| points by a task's end.
tune::MeasuredBatch ResultsOf(const WorkEnd& end, size_t count) {
  tune::MeasuredBatch results;
  tune::FailedTrial failed(end.late ? tune::kTooLong : tune::kCrashed,
                           end.crash.empty() ? "left no result" : end.crash);
  std::istringstream lines(end.bytes);
  for (std::string line; results.size() < count; line.clear()) {
    std::getline(lines, line);
    const auto record = tune::ParseRecord(line);
    if (!record && !line.empty()) failed.message = line;  // AnswerTune's
    results.push_back(record ? MeasuredOf(*record) : std::unexpected(failed));
  }
  return results;
}

// The answer to |request|.
Result<std::string> Answer(TuneTarget& target, const std::string& request) {
  std::istringstream lines(request);
  size_t stage = 0;
  uint64_t budget = 0;
  lines >> stage >> budget >> std::ws;
  tune::RecordSet chosen;
  std::vector<tune::Record> points;
  for (std::string line; std::getline(lines, line);) {
    TESSERA_ASSIGN(tune::Record record, tune::ParseRecord(line));
    if (record.network) {
      chosen.Add(std::move(record));
    } else {
      points.push_back(std::move(record));
    }
  }
  TESSERA_TRY(target.Follow(chosen));
  std::string answer;
  std::vector<tune::Task>& tasks = *target.StageAt(stage).tasks;
  for (const tune::Record& record : points) {
    const auto task = std::ranges::find(tasks, record.key, &tune::Task::key);
    const auto point = task == tasks.end() ? std::nullopt : tune::PointOf(*task->space, record);
    if (!point) {
      return Fail(Code::kDataLoss,
                  "{}: this node prepares other layers than the one that asks; is it of the same "
                  "build?",
                  record.name);
    }
    answer +=
        tune::Print(tune::RecordOf(*task, TrialOf(*point, target.Measure(*task, *point, budget))));
  }
  return answer;
}

}  // namespace

Result<TuneCluster> TuneCluster::Open(const TuneFlags& flags) {
  const int64_t at_once = flags.workers > 0 ? flags.workers : kSlurmTasks;
  TESSERA_ASSIGN(cluster::SlurmPool pool, OpenSlurm(flags.slurm, at_once, kTaskLimit));
  return TuneCluster(std::move(pool), static_cast<size_t>(at_once));
}

Result<tune::MeasuredBatch> TuneCluster::Measure(TuneTarget& target, size_t stage,
                                                 const tune::Task& task,
                                                 const std::vector<tune::Point>& points,
                                                 uint64_t budget,
                                                 const std::function<bool()>& stop) {
  if (points.size() == 1) return tune::MeasuredBatch{target.Measure(task, points[0], budget)};
  tune::MeasuredBatch results(points.size());
  const auto each = static_cast<size_t>(
      CeilDiv(static_cast<int64_t>(points.size()), static_cast<int64_t>(at_once_)));
  size_t begun = 0;
  const auto part = [&](size_t first) {
    const auto at = points.begin() + static_cast<ptrdiff_t>(first);
    return std::vector(at, at + static_cast<ptrdiff_t>(std::min(each, points.size() - first)));
  };
  TESSERA_TRY(pool_.Run({.next = [&]() -> std::optional<cluster::SlurmPool::Piece> {
                           if (begun >= points.size()) return std::nullopt;
                           const size_t first = std::exchange(begun, begun + each);
                           return cluster::SlurmPool::Piece{
                               static_cast<int64_t>(first),
                               RequestOf(target, stage, task, part(first), budget)};
                         },
                         .done =
                             [&](int64_t first, const WorkEnd& end) {
                               tune::MeasuredBatch of_task =
                                   ResultsOf(end, part(static_cast<size_t>(first)).size());
                               std::ranges::move(of_task, results.begin() + first);
                             },
                         .tick = [] {},
                         .stop = stop}));
  return results;
}

Status AnswerTune(const std::string& task, TuneTarget& target) {
  return cluster::AnswerTask(task, kTaskLimit, [&](const std::string& request) {
    const auto answer = Answer(target, request);
    return answer ? *answer : answer.error().message + "\n";
  });
}

}  // namespace tessera::tools
