// SPDX-License-Identifier: Apache-2.0
//
// Weaver: appends instructions to a program and orders them with tokens so that no two units race.
// Depends on: isa/check. Used by: rig.cc.
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
  // |data|: the segments with their contents; must outlive the weaver.
  Weaver(const isa::Config& config, isa::Profile profile,
         const std::array<isa::SegmentData, isa::kSegments>& data, Rng& rng);

  // Appends |insn| with the tokens that it needs, if it stays in bounds and reads only what is
  // written. Its own token fields must be zero. Returns whether it was appended.
  bool Append(const isa::AnyInsn& insn);

  // Appends |count| instructions of |from| that each push a token to every unit of the mask |to|;
  // after them, |count| instructions of each of these units that pop one. Some come from |any|, if
  // they fit; the others only move tokens. Every earlier token has its pop in an earlier
  // instruction, so |count| may be as large as MostTokens().
  void Crowd(int from, uint8_t to, int64_t count, const std::function<isa::AnyInsn()>& any);
  // A full counter, an instruction that stalls on it, and a full queue behind that instruction.
  int64_t MostTokens() const {
    return config_.TokenDepth(profile_) + 1 + config_.QueueDepth(profile_);
  }
  // The units to which |unit| can push tokens, as a mask.
  uint8_t Partners(int unit) const;

  // Returns the instructions, with FINISH at the end.
  std::vector<isa::AnyInsn> Finish();

 private:
  struct Item {
    isa::AnyInsn insn;
    int unit = 0;
    uint8_t pop = 0, push = 0;
    isa::VectorClock clock{};
  };

  // What Append must know about an instruction.
  struct Candidate {
    int unit = 0;
    std::vector<isa::Touch> touches;
    isa::VectorClock needed{};  // the number of instructions of each unit that must come before it
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
  // [from][to]: number of the instruction with the last push, 0: none.
  std::array<std::array<uint32_t, isa::kUnits>, isa::kUnits> last_push_{};
  std::array<uint8_t, isa::kUnits> pending_pop_{};  // pops of the unit's next instruction
  std::array<isa::Shadow, isa::kSpaces> shadow_;
  std::vector<std::optional<isa::Uop>> uops_;
};

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_WEAVER_H_
