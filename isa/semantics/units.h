// SPDX-License-Identifier: Apache-2.0
//
// Units: the order in which instructions happen, by fetch, four queues and token counters. Does not
// know what an instruction does. Depends on: isa/semantics/fetch.h, standing.h. Used by: sim/func,
// sim/hls, isa/check.
#ifndef TESSERA_ISA_SEMANTICS_UNITS_H_
#define TESSERA_ISA_SEMANTICS_UNITS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "isa/config.h"
#include "isa/semantics/fetch.h"
#include "isa/semantics/standing.h"

namespace tessera::isa {

// An instruction on its way through a unit.
struct Issued {
  uint32_t number = 0;
  bool executed = false;
  Fetched fetched;
};

// Rules (docs/rationale/isa.md): fetch puts instructions in stream order into queues of
// Config::QueueDepth. The head of a queue starts when every counter that it pops has a token. It
// retires, in order, when every counter that it pushes to has room. A unit runs one instruction at
// a time.
class Units {
 public:
  Units(const Config& config, Profile profile)
      : queue_depth_(config.QueueDepth(profile)), token_depth_(config.TokenDepth(profile)) {}

  bool HasRoom(Unit unit) const {
    return static_cast<int64_t>(queue_[Index(unit)].size()) < queue_depth_;
  }
  void Enqueue(Issued issued) { queue_[Index(issued.fetched.unit)].push_back(std::move(issued)); }

  bool CanStart(int unit) const;
  Issued& Start(int unit);  // takes the tokens
  Issued& Running(int unit) { return *running_[unit]; }
  bool CanRetire(int unit) const;
  Issued Retire(int unit);  // gives the tokens

  // The instruction that |unit| runs, or that waits first in its queue; null if there is none.
  const Issued* Waiting(int unit) const {
    if (running_[unit]) return &*running_[unit];
    return queue_[unit].empty() ? nullptr : &queue_[unit].front();
  }

  int64_t Queued(int unit) const { return static_cast<int64_t>(queue_[unit].size()); }
  // The first instruction in the queue, null if that is empty; Missing: the units whose tokens it
  // waits for, a mask.
  const Issued* Head(int unit) const {
    return queue_[unit].empty() ? nullptr : &queue_[unit].front();
  }
  uint8_t Missing(int unit) const;
  uint8_t Full(int unit) const;  // a mask: the units to which the running one cannot push yet

  bool Empty() const;
  bool TokensLeft() const;
  int64_t Tokens(int from, int to) const { return tokens_[from][to]; }

  // What every unit holds and waits for, when nothing can go on.
  std::array<UnitStanding, kUnits> Standing() const;

 private:
  static int Index(Unit unit) { return static_cast<int>(unit); }

  int64_t queue_depth_;
  int64_t token_depth_;
  std::array<std::deque<Issued>, kUnits> queue_;
  std::array<std::optional<Issued>, kUnits> running_;
  std::array<std::array<int64_t, kUnits>, kUnits> tokens_{};  // [from][to]
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_SEMANTICS_UNITS_H_
