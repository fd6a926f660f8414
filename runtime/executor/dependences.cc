// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor/dependences.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tessera {
namespace {

// The last users of a piece of memory: the task that wrote it, and those that read it since then.
struct Users {
  std::optional<uint32_t> writer;
  std::vector<uint32_t> readers;
};

// The users of one memory. A piece begins at its key and ends at the next one.
class MemoryUsers {
 public:
  void Read(uint32_t task, uint64_t begin, uint64_t end, std::vector<uint32_t>& after) {
    const auto last = Cut(end);
    for (auto it = Cut(begin); it != last; ++it) {
      Users& users = it->second;
      if (users.writer) after.push_back(*users.writer);
      users.readers.push_back(task);
    }
  }

  // The pieces become one, which only |task| has used.
  void Write(uint32_t task, uint64_t begin, uint64_t end, std::vector<uint32_t>& after) {
    const auto last = Cut(end), first = Cut(begin);
    for (auto it = first; it != last; ++it) {
      const Users& users = it->second;
      if (users.writer) after.push_back(*users.writer);
      after.insert(after.end(), users.readers.begin(), users.readers.end());
    }
    pieces_.erase(std::next(first), last);
    first->second = {task, {}};
  }

 private:
  using Pieces = std::map<uint64_t, Users>;

  // The piece that begins at |at|, cut off the one around it if needed.
  Pieces::iterator Cut(uint64_t at) {
    const auto next = pieces_.upper_bound(at);
    const auto it = std::prev(next);
    return it->first == at ? it : pieces_.emplace_hint(next, at, it->second);
  }

  Pieces pieces_{{0, {}}};
};

}  // namespace

std::vector<std::vector<uint32_t>> Dependences(std::span<const Access> tasks) {
  std::map<uint32_t, MemoryUsers> memories;
  std::vector<std::vector<uint32_t>> all(tasks.size());
  for (uint32_t t = 0; t < tasks.size(); ++t) {
    std::vector<uint32_t>& after = all[t];
    for (const ByteRange& r : tasks[t].reads)
      if (r.begin < r.end) memories[r.memory].Read(t, r.begin, r.end, after);
    for (const ByteRange& r : tasks[t].writes)
      if (r.begin < r.end) memories[r.memory].Write(t, r.begin, r.end, after);
    std::erase(after, t);
    std::ranges::sort(after);
    const auto twice = std::ranges::unique(after);
    after.erase(twice.begin(), twice.end());
  }
  return all;
}

}  // namespace tessera
