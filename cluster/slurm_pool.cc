// SPDX-License-Identifier: Apache-2.0
#include "cluster/slurm_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "cluster/slurm_task.h"
#include "cluster/slurm_text.h"

namespace tessera::cluster {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAnswers{60};       // of one of Slurm's commands
constexpr std::chrono::milliseconds kLook{200};    // between two looks at the answers
constexpr std::chrono::milliseconds kQueue{1000};  // between two looks at the queue
constexpr int64_t kMostInArray = 1000;             // MaxArraySize of a cluster that sets none

std::string Seconds(std::chrono::seconds time) { return fmt::format("{} s", time.count()); }

}  // namespace

Result<SlurmPool> SlurmPool::Open(SlurmOptions options) {
  SlurmPool pool(std::move(options));
  const auto version = RunProcess({"sbatch", "--version"}, {}, kAnswers);
  if (!version) {
    return Fail(Code::kNotFound,
                "--slurm: {}; install the commands of Slurm (package slurm-client) on this "
                "computer, or leave --slurm out",
                version.error().message);
  }
  std::error_code error;
  const fs::path parent = fs::absolute(pool.options_.folder, error);
  if (error || !fs::is_directory(parent, error)) {
    return Fail(Code::kNotFound, "--slurm: no folder {}; it must be one that all nodes see",
                pool.options_.folder);
  }
  std::string made = (parent / "tessera-slurm-XXXXXX").string();
  if (mkdtemp(made.data()) == nullptr) {
    return Fail(Code::kUnavailable, "--slurm: folder {} cannot be written", parent.string());
  }
  pool.folder_ = made;
  const auto answers = RunProcess({"sinfo", "--noheader", "--format=%a"}, {}, kAnswers);
  if (!answers || answers->code != 0) {
    return Fail(Code::kUnavailable,
                "--slurm: no controller answers: {}; `sinfo` must work here (docs/cluster.md)",
                answers ? LastLine(answers->errors) : answers.error().message);
  }
  return pool;
}

SlurmPool::SlurmPool(SlurmPool&& other) noexcept
    : options_(std::move(other.options_)),
      folder_(std::exchange(other.folder_, "")),
      waiting_(std::move(other.waiting_)),
      open_(std::move(other.open_)),
      away_(other.away_),
      jobs_(other.jobs_),
      lost_(other.lost_),
      keep_(other.keep_) {}

SlurmPool::~SlurmPool() {
  std::error_code error;
  if (!folder_.empty() && !keep_) fs::remove_all(folder_, error);
}

Result<std::optional<std::string>> SlurmPool::Ask(const std::vector<std::string>& argv,
                                                  std::string_view input) {
  TESSERA_ASSIGN(
      const ProcessEnd end,
      RunProcess(argv, {reinterpret_cast<const uint8_t*>(input.data()), input.size()}, kAnswers));
  if (end.code == 0) {
    away_.reset();
    return end.output;
  }
  // A job that ended long ago is forgotten.
  if (end.errors.find("Invalid job id") != std::string::npos) return "";
  if (!end.timed_out && !IsAway(end.errors)) {
    return Fail(Code::kUnavailable, "--slurm: {}", LastLine(end.errors));  // begins with its name
  }
  if (!away_) away_ = Clock::now();
  if (Clock::now() - *away_ < options_.away) return std::nullopt;
  return Fail(Code::kUnavailable,
              "--slurm: the controller has not answered for {}: {}; what has an answer is kept",
              Seconds(options_.away), LastLine(end.errors));
}

// Takes new pieces while the queue has fewer than it may.
Status SlurmPool::Fill(const Calls& calls) {
  const int64_t most = std::min(options_.at_once, kMostInArray);
  const auto in_queue = [&] { return std::ssize(open_) + std::ssize(waiting_); };
  if (waiting_.empty() && in_queue() > most / 2) return {};
  while (in_queue() < most) {
    std::optional<Piece> piece = calls.next();
    if (!piece) break;
    waiting_.push_back({.piece = std::move(*piece)});
  }
  return waiting_.empty() ? Status() : Submit();
}

Status SlurmPool::Submit() {
  const std::string folder = fmt::format("{}/job{}", folder_, jobs_++);
  std::error_code error;
  if (!fs::create_directory(folder, error))
    return Fail(Code::kUnavailable, "--slurm: {}: {}", folder, error.message());
  std::vector<int64_t> indices;
  for (Task& task : waiting_) {
    task.index = std::ssize(indices);
    task.name = fmt::format("{}/{}", folder, task.index);
    TESSERA_TRY(WriteFile(RequestFile(task.name), task.piece.request));
    indices.push_back(task.index);
  }
  std::string script = "#!/bin/sh\nexec";
  for (const std::string& word : options_.command) script += " " + ShellWord(word);
  script += " " + ShellWord(folder + "/") + "\"$SLURM_ARRAY_TASK_ID\"\n";
  const int64_t minutes = options_.limit.count() / 60 + 2;
  std::vector<std::string> argv{"sbatch",
                                "--parsable",
                                "--requeue",
                                "--open-mode=append",
                                "--job-name=" + fs::path(folder_).filename().string(),
                                "--output=" + LogFile(folder + "/%a"),
                                fmt::format("--time={}", minutes),
                                "--array=" + ArrayText(indices)};
  argv.insert(argv.end(), options_.sbatch.begin(), options_.sbatch.end());
  TESSERA_ASSIGN(const std::optional<std::string> printed, Ask(argv, script));
  if (!printed) return {};
  TESSERA_ASSIGN(const int64_t job, ParseSubmitted(*printed));
  for (Task& task : waiting_) {
    task.job = job;
    task.gone.reset();
  }
  std::ranges::move(waiting_, std::back_inserter(open_));
  waiting_.clear();
  return {};
}

Status SlurmPool::TakeAnswers(const Calls& calls) {
  std::vector<Task> still;
  for (Task& task : std::exchange(open_, {})) {
    std::error_code error;
    if (!fs::exists(AnswerFile(task.name), error)) {
      still.push_back(std::move(task));
      continue;
    }
    TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(AnswerFile(task.name)));
    Result<WorkEnd> end = ParseEnd({bytes.begin(), bytes.end()});
    if (!end) return Within(AnswerFile(task.name), end.error());
    calls.done(task.piece.number, std::move(*end));
    for (const std::string& file :
         {RequestFile(task.name), AnswerFile(task.name), LogFile(task.name)})
      fs::remove(file, error);
  }
  open_.insert(open_.end(), std::make_move_iterator(still.begin()),
               std::make_move_iterator(still.end()));
  return {};
}

Status SlurmPool::FindLost(const Calls& calls) {
  if (open_.empty()) return {};
  std::set<int64_t> jobs;
  for (const Task& task : open_) jobs.insert(task.job);
  std::string list;
  for (const int64_t job : jobs) list += fmt::format("{}{}", list.empty() ? "" : ",", job);
  TESSERA_ASSIGN(const std::optional<std::string> queue,
                 Ask({"squeue", "--noheader", "--array", "--format=%F %K", "--jobs=" + list}));
  if (!queue) return {};
  const std::set<std::pair<int64_t, int64_t>> queued = ParseQueue(*queue);
  std::vector<Task> still;
  for (Task& task : std::exchange(open_, {})) {
    if (queued.contains({task.job, task.index})) {
      task.gone.reset();
    } else if (!task.gone) {
      task.gone = Clock::now();
    }
    if (!task.gone || Clock::now() - *task.gone < options_.grace) {
      still.push_back(std::move(task));
    } else if (task.tries < options_.tries) {
      ++task.tries, ++lost_;
      waiting_.push_back(std::move(task));
    } else {
      keep_ = true;
      calls.done(task.piece.number,
                 {.crash = fmt::format("was ended by Slurm {} times without an answer, see {}",
                                       task.tries, LogFile(task.name))});
    }
  }
  open_ = std::move(still);
  return {};
}

void SlurmPool::Cancel() {
  // A job whose submission was not confirmed has the name too. If the controller is away, the
  // tasks end by themselves.
  (void)RunProcess({"scancel", "--quiet", "--name=" + fs::path(folder_).filename().string()}, {},
                   kAnswers);
  open_.clear();
  waiting_.clear();
}

Status SlurmPool::Run(const Calls& calls) {
  bool stopped = false;
  const auto run = [&]() -> Status {
    Clock::time_point looked = Clock::now();
    while (true) {
      TESSERA_TRY(Fill(calls));
      if (open_.empty() && waiting_.empty()) return {};
      calls.tick();
      stopped = calls.stop && calls.stop();
      if (stopped) return {};
      std::this_thread::sleep_for(kLook);
      TESSERA_TRY(TakeAnswers(calls));
      if (Clock::now() - looked < kQueue) continue;
      looked = Clock::now();
      TESSERA_TRY(FindLost(calls));
    }
  };
  const Status ran = run();
  if (!ran || stopped) Cancel();
  return ran;
}

}  // namespace tessera::cluster
