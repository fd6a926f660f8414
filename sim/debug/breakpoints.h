// SPDX-License-Identifier: Apache-2.0
//
// Breakpoints: the moments at which a run stops. Depends on: target.h, progress.h. Used by:
// session.h.
//
//   insn [PROGRAM:]N             when the unit takes the instruction, before it runs
//   layer NAME                   when a unit takes the first instruction of the layer
//   write TENSOR                 after the first STORE that touches the tensor has retired
//   token FROM->TO [push|pop]    after each push or pop of a token on that pair
//   cycle N                      at the first event in cycle N or later
#ifndef TESSERA_SIM_DEBUG_BREAKPOINTS_H_
#define TESSERA_SIM_DEBUG_BREAKPOINTS_H_

#include <optional>
#include <string>
#include <vector>

#include "sim/debug/tensors.h"

namespace tessera::sim {

struct Breakpoint {
  enum class BreakKind : uint8_t { kInsn, kLayer, kWrite, kToken, kCycle };
  BreakKind kind = BreakKind::kInsn;
  int number = 0;                 // the number that the user sees, from 1
  std::string text;               // "layer conv1"
  InsnPlace place;                // kInsn
  uint32_t layer = 0;             // kLayer
  std::vector<InsnPlace> stores;  // kWrite
  isa::Unit from = isa::Unit::kLoad, to = isa::Unit::kLoad;  // kToken
  std::optional<bool> push;                                  // not set: both
  uint64_t cycle = 0;                                        // kCycle
  uint64_t hits = 0;                                         // hits in this run
};

class Breakpoints {
 public:
  explicit Breakpoints(const DebugTarget& target, const std::vector<ProgramFacts>& facts)
      : target_(target), facts_(facts) {}

  // |words|: the words after "break".
  //   errors  kInvalidArgument  the words have another form
  //           kNotFound         no instruction can match; the message lists what can
  //           kOutOfRange       the program or the instruction does not exist
  Result<const Breakpoint*> Add(const std::vector<std::string>& words);
  //   errors  kNotFound  no such breakpoint
  Status Delete(int number);
  const std::vector<Breakpoint>& list() const { return list_; }
  void Clear() { list_.clear(); }

  // Resets the hits: a run of all programs begins.
  void BeginRun();
  // The breakpoints that the event hits, as "breakpoint 1 (insn 0:3), breakpoint 3 (cycle 9)"; ""
  // if there are none. |program| is the program that runs.
  std::string OnTaken(uint32_t program, const InsnTaken& taken);
  std::string OnRetired(uint32_t program, const TraceEntry& entry);
  std::string OnToken(const TokenMove& move);
  // The breakpoints that this run did not hit, one line each.
  std::string NeverHit() const;

  // Parses "N", an instruction of program |program|, or "PROGRAM:N".
  //   errors  kInvalidArgument, kOutOfRange; kNotFound: the instruction is FINISH
  Result<InsnPlace> PlaceOf(std::string_view word, uint32_t program) const;

 private:
  Status Fill(const std::vector<std::string>& words, Breakpoint& point) const;
  Status FillToken(const std::vector<std::string>& words, Breakpoint& point) const;
  // Counts a hit and adds the breakpoint to |text|.
  static void Hit(Breakpoint& point, std::string& text);
  bool Arrives(const Breakpoint& point, uint64_t cycle) const;

  const DebugTarget& target_;
  const std::vector<ProgramFacts>& facts_;
  std::vector<Breakpoint> list_;
  int last_ = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_BREAKPOINTS_H_
