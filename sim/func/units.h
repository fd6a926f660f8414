// SPDX-License-Identifier: Apache-2.0
//
// The order in which instructions happen: fetch, four queues, token counters. Knows nothing of what
// an instruction does. Depends on: isa/semantics/fetch.h. Used by: sim/func/run.cc.
#ifndef TESSERA_SIM_FUNC_UNITS_H_
#define TESSERA_SIM_FUNC_UNITS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "isa/config.h"
#include "isa/semantics/fetch.h"

namespace tessera::sim {

// An instruction on its way through a unit.
struct Issued {
  uint32_t number = 0;
  bool executed = false;
  isa::Fetched fetched;
};

// Rules (docs/rationale/isa.md): fetch puts instructions in stream order into queues of queue_depth; the
// head of a queue starts when every counter that it pops has a token; it retires, in order, when every
// counter that it pushes has room. One instruction of a unit is under way at a time.
class Units {
 public:
  explicit Units(const isa::Config& config) : queue_depth_(config.queue_depth), token_depth_(config.token_depth) {}

  bool HasRoom(isa::Unit unit) const { return static_cast<int64_t>(queue_[Index(unit)].size()) < queue_depth_; }
  void Enqueue(Issued issued) { queue_[Index(issued.fetched.unit)].push_back(std::move(issued)); }

  bool CanStart(int unit) const;
  Issued& Start(int unit);  // takes the tokens
  Issued& Running(int unit) { return *running_[unit]; }
  bool CanRetire(int unit) const;
  void Retire(int unit);    // gives the tokens

  bool Empty() const;
  bool TokensLeft() const;

  // What every unit waits for, in one line; for when nothing can go on.
  std::string Explain() const;

 private:
  static int Index(isa::Unit unit) { return static_cast<int>(unit); }
  std::string ExplainUnit(int unit) const;

  int64_t queue_depth_;
  int64_t token_depth_;
  std::array<std::deque<Issued>, isa::kUnits> queue_;
  std::array<std::optional<Issued>, isa::kUnits> running_;
  std::array<std::array<int64_t, isa::kUnits>, isa::kUnits> tokens_{};  // [from][to]
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_UNITS_H_
