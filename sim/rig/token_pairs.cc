// SPDX-License-Identifier: Apache-2.0
#include "sim/rig/token_pairs.h"

#include <algorithm>
#include <optional>

namespace tessera::rig {
namespace {

bool Pushes(const isa::Fetched& f, int from, int to) {
  return static_cast<int>(f.unit) == from && ((f.push >> to) & 1);
}
bool Pops(const isa::Fetched& f, int from, int to) {
  return static_cast<int>(f.unit) == to && ((f.pop >> from) & 1);
}

// The number of pushes, or pops, of the edge before instruction |n|.
size_t PushesBefore(const FetchedProgram& program, size_t n, int from, int to) {
  return static_cast<size_t>(
      std::count_if(program.begin(), program.begin() + static_cast<int64_t>(n),
                    [&](const isa::Fetched& f) { return Pushes(f, from, to); }));
}
size_t PopsBefore(const FetchedProgram& program, size_t n, int from, int to) {
  return static_cast<size_t>(
      std::count_if(program.begin(), program.begin() + static_cast<int64_t>(n),
                    [&](const isa::Fetched& f) { return Pops(f, from, to); }));
}

void TakePush(FetchedProgram& program, const TokenPair& pair) {
  size_t seen = 0;
  for (isa::Fetched& f : program) {
    if (!Pushes(f, pair.from, pair.to) || seen++ != pair.number) continue;
    f.push &= static_cast<uint8_t>(~(1 << pair.to));
    return;
  }
}
void TakePop(FetchedProgram& program, const TokenPair& pair) {
  size_t seen = 0;
  for (isa::Fetched& f : program) {
    if (!Pops(f, pair.from, pair.to) || seen++ != pair.number) continue;
    f.pop &= static_cast<uint8_t>(~(1 << pair.from));
    return;
  }
}

// The nearest instructions of the same unit as |n|. After() excludes the last instruction of the
// program, FINISH.
std::optional<size_t> Before(const FetchedProgram& program, size_t n) {
  for (size_t i = n; i-- > 0;) {
    if (program[i].unit == program[n].unit) return i;
  }
  return std::nullopt;
}
std::optional<size_t> After(const FetchedProgram& program, size_t n) {
  for (size_t i = n + 1; i + 1 < program.size(); ++i) {
    if (program[i].unit == program[n].unit) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<TokenPair> PairsOf(const FetchedProgram& program) {
  std::vector<TokenPair> pairs;
  for (int from = 0; from < isa::kUnits; ++from) {
    for (int to = 0; to < isa::kUnits; ++to) {
      const size_t count = std::max(PushesBefore(program, program.size(), from, to),
                                    PopsBefore(program, program.size(), from, to));
      for (size_t number = 0; number < count; ++number) pairs.push_back({from, to, number});
    }
  }
  return pairs;
}

void TakePair(FetchedProgram& program, const TokenPair& pair) {
  TakePush(program, pair);
  TakePop(program, pair);
}

void Erase(FetchedProgram& program, size_t n, TokenHeir heir) {
  const int unit = static_cast<int>(program[n].unit);
  const std::optional<size_t> before = Before(program, n), after = After(program, n);
  const std::optional<size_t>& pop_heir = heir == TokenHeir::kPrev ? before : after;
  const std::optional<size_t>& push_heir = heir == TokenHeir::kNext ? after : before;
  for (int other = 0; other < isa::kUnits; ++other) {
    const uint8_t bit = static_cast<uint8_t>(1 << other);
    if (program[n].pop & bit) {
      const TokenPair pair{other, unit, PopsBefore(program, n, other, unit)};
      if (!pop_heir) {
        TakePair(program, pair);
      } else if (program[*pop_heir].pop & bit) {
        // The instruction can pop only one of the two tokens: it waits for the later one, which
        // covers both.
        TakePush(program,
                 {other, unit, std::min(pair.number, PopsBefore(program, *pop_heir, other, unit))});
        program[n].pop &= static_cast<uint8_t>(~bit);
      } else {
        program[n].pop &= static_cast<uint8_t>(~bit);
        program[*pop_heir].pop |= bit;
      }
    }
    if (program[n].push & bit) {
      const TokenPair pair{unit, other, PushesBefore(program, n, unit, other)};
      if (!push_heir) {
        TakePair(program, pair);
      } else if (program[*push_heir].push & bit) {
        // The instruction can push only one of the two tokens: the instruction with the earlier pop
        // keeps it.
        TakePop(program, {unit, other,
                          std::max(pair.number, PushesBefore(program, *push_heir, unit, other))});
        program[n].push &= static_cast<uint8_t>(~bit);
      } else {
        program[n].push &= static_cast<uint8_t>(~bit);
        program[*push_heir].push |= bit;
      }
    }
  }
  program.erase(program.begin() + static_cast<int64_t>(n));
}

}  // namespace tessera::rig
