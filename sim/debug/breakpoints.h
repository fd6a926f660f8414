// SPDX-License-Identifier: Apache-2.0
//
// Breakpoints: where a run is to stop. Depends on: target.h, progress.h. Used by: session.h.
//
//   insn [PROGRAM:]N             before the instruction, as its unit takes it
//   layer NAME                   before the first instruction of the layer that is taken
//   write TENSOR                 after the first STORE that touches the tensor has retired
//   token FROM->TO [push|pop]    after each token that moves on that pair
//   cycle N                      at the first moment in cycle N or later
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
  int number = 0;                                            // as the user names it, from 1
  std::string text;                                          // "layer conv1"
  InsnPlace place;                                           // kInsn
  uint32_t layer = 0;                                        // kLayer
  std::vector<InsnPlace> stores;                             // kWrite
  isa::Unit from = isa::Unit::kLoad, to = isa::Unit::kLoad;  // kToken
  std::optional<bool> push;                                  // nothing: both
  uint64_t cycle = 0;                                        // kCycle
  uint64_t hits = 0;                                         // in this run
};

class Breakpoints {
 public:
  explicit Breakpoints(const DebugTarget& target, const std::vector<ProgramFacts>& facts)
      : target_(target), facts_(facts) {}

  // |words|: what follows "break".
  //   errors  kInvalidArgument  another form
  //           kNotFound         nothing in the programs can match it; the message has what can
  //           kOutOfRange       an instruction that the program lacks
  Result<const Breakpoint*> Add(const std::vector<std::string>& words);
  //   errors  kNotFound  no such breakpoint
  Status Delete(int number);
  const std::vector<Breakpoint>& list() const { return list_; }
  void Clear() { list_.clear(); }

  // A run of all programs begins.
  void BeginRun();
  // Those that the moment matches, "breakpoint 1, breakpoint 3"; "": none. |program| runs.
  std::string OnTaken(uint32_t program, const InsnTaken& taken);
  std::string OnRetired(uint32_t program, const TraceEntry& entry);
  std::string OnToken(const TokenMove& move);
  // Those that this run never came to, a line each.
  std::string NeverHit() const;

  // An instruction that is there: "N" of program |program| or "PROGRAM:N".
  //   errors  kInvalidArgument, kOutOfRange
  Result<InsnPlace> PlaceOf(std::string_view word, uint32_t program) const;

 private:
  Status Fill(const std::vector<std::string>& words, Breakpoint& point) const;
  Status FillToken(const std::vector<std::string>& words, Breakpoint& point) const;
  // Counts a hit and adds to |text|.
  static void Hit(Breakpoint& point, std::string& text);
  bool Arrives(const Breakpoint& point, uint64_t cycle) const;

  const DebugTarget& target_;
  const std::vector<ProgramFacts>& facts_;
  std::vector<Breakpoint> list_;
  int last_ = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_BREAKPOINTS_H_
