// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm_pieces.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>
#include <vector>

#include "cluster/slurm_task.h"

namespace tessera::tools {
namespace {

constexpr int64_t kPiecesOfTask = 16;

// The next pieces, and the request for them: their numbers.
std::optional<std::pair<std::vector<int64_t>, std::string>> Group(
    const std::function<std::optional<int64_t>()>& next) {
  std::vector<int64_t> pieces;
  std::string request;
  while (std::ssize(pieces) < kPiecesOfTask) {
    const std::optional<int64_t> piece = next();
    if (!piece) break;
    pieces.push_back(*piece);
    request += fmt::format("{} ", *piece);
    if (*piece < 0) break;
  }
  if (pieces.empty()) return std::nullopt;
  return std::pair(std::move(pieces), std::move(request));
}

}  // namespace

// An answer has each result behind its length and a space.
Status RunPieces(cluster::SlurmPool& pool, const std::function<std::optional<int64_t>()>& next,
                 const std::function<void(int64_t piece, WorkEnd end)>& done,
                 const std::function<void()>& tick, const std::function<bool()>& stop) {
  std::vector<std::vector<int64_t>> tasks;
  const auto next_task = [&]() -> std::optional<cluster::SlurmPool::Piece> {
    auto group = Group(next);
    if (!group) return std::nullopt;
    tasks.push_back(std::move(group->first));
    return cluster::SlurmPool::Piece{std::ssize(tasks) - 1, std::move(group->second)};
  };
  const auto task_done = [&](int64_t task, const WorkEnd& end) {
    std::istringstream results(end.bytes);
    for (const int64_t piece : tasks[static_cast<size_t>(task)]) {
      WorkEnd one{.crash = end.crash.empty() ? "left no result" : end.crash};
      size_t size = 0;
      if (results >> size && results.get() == ' ' && size <= end.bytes.size()) {
        std::string bytes(size, '\0');
        results.read(bytes.data(), static_cast<std::streamsize>(size));
        if (results) one = {.bytes = std::move(bytes)};
      }
      done(piece, std::move(one));
    }
  };
  return pool.Run({.next = next_task, .done = task_done, .tick = tick, .stop = stop});
}

Status AnswerPieces(const std::string& task, std::chrono::seconds limit,
                    const Workers::PieceWork& work) {
  return cluster::AnswerTask(task, limit, [&](const std::string& request) {
    std::istringstream pieces(request);
    std::string results;
    for (int64_t piece = 0; pieces >> piece;) {
      const std::string result = work(piece);
      results += fmt::format("{} {}", result.size(), result);
    }
    return results;
  });
}

}  // namespace tessera::tools
