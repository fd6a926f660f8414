// SPDX-License-Identifier: Apache-2.0
//
// Weaver: appends instructions to a program and ties them together with tokens so that no two units
// race. Depends on: isa/check. Used by: the rig's generator.
#ifndef TESSERA_SIM_RIG_WEAVER_H_
#define TESSERA_SIM_RIG_WEAVER_H_

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "isa/check/shadow.h"
#include "isa/check/walk.h"
#include "isa/image.h"

namespace tessera::rig {

class Weaver {
 public:
  // |data| are the segments with their contents; they stay where they are.
  Weaver(const isa::Config& config, isa::Profile profile,
         const std::array<isa::SegmentData, isa::kSegments>& data, Rng& rng);

  // Appends |insn| if it stays in bounds and reads only what is written, with the tokens that it
  // needs. Its own token fields must be zero. Returns whether it was appended.
  bool Append(const isa::AnyInsn& insn);

  // Appends |count| instructions of |from| that each give a token to every unit of the mask |to|,
  // and behind them |count| of each of these that take one. Some are |any|'s, where one fits; the
  // others only move tokens. In front of it the counters are empty, however late units run, so
  // MostTokens() is legal.
  void Crowd(int from, uint8_t to, int64_t count, const std::function<isa::AnyInsn()>& any);
  // A counter full, an instruction that stalls on it, and a full queue behind that.
  int64_t MostTokens() const {
    return config_.TokenDepth(profile_) + 1 + config_.QueueDepth(profile_);
  }
  // The units to which |unit| can give tokens, as a mask.
  uint8_t Partners(int unit) const;

  // The stream, FINISH at the end.
  std::vector<isa::AnyInsn> Finish();

 private:
  struct Item {
    isa::AnyInsn insn;
    int unit = 0;
    uint8_t pop = 0, push = 0;
    isa::VectorClock clock{};
  };

  // What Append finds out about an instruction.
  struct Candidate {
    int unit = 0;
    std::vector<isa::Touch> touches;
    isa::VectorClock needed{};  // instructions of each unit that come before it
  };

  std::optional<Candidate> Look(const isa::AnyInsn& insn) const;
  int Place(const isa::AnyInsn& insn, const Candidate& candidate);
  int AddSome(int unit, const std::function<isa::AnyInsn()>& any);
  int64_t Limit(isa::Space space) const;
  int Add(const isa::AnyInsn& insn, int unit);
  int AddCarrier(int unit);
  void Order(int unit, const isa::VectorClock& needed);
  void Tie(int from, int to, uint32_t number);
  void NoteUops(const isa::AnyInsn& insn);

  const isa::Config& config_;
  const isa::Profile profile_;
  const std::array<isa::SegmentData, isa::kSegments>& data_;
  Rng& rng_;
  std::optional<isa::VtaCodec> vta_;
  std::vector<Item> items_;
  std::array<std::vector<int>, isa::kUnits> by_unit_;  // indices into items_
  std::array<isa::VectorClock, isa::kUnits> clock_{};
  std::array<std::array<uint32_t, isa::kUnits>, isa::kUnits>
      last_push_{};                                 // [from][to]: number, 0: none
  std::array<uint8_t, isa::kUnits> pending_pop_{};  // of the unit's next instruction
  std::array<isa::Shadow, isa::kSpaces> shadow_;
  std::vector<std::optional<isa::Uop>> uops_;
};

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_WEAVER_H_
