// SPDX-License-Identifier: Apache-2.0
//
// InsnGenerator: random instructions and data for the rig. Depends on: isa. Used by: rig.cc.
#ifndef TESSERA_SIM_RIG_GENERATOR_H_
#define TESSERA_SIM_RIG_GENERATOR_H_

#include <array>
#include <vector>

#include "base/rng.h"
#include "isa/image.h"
#include "isa/semantics/fetch.h"

namespace tessera::rig {

// The part of a memory that a program uses. It is small, so that instructions share tiles.
struct TileWindow {
  int64_t first = 0;
  int64_t count = 0;
};

class InsnGenerator {
 public:
  InsnGenerator(const isa::Config& config, isa::Profile profile, Rng& rng);

  const std::array<isa::SegmentData, isa::kSegments>& segments() const { return segments_; }

  // Loads that fill a large part of the window of each scratchpad, micro-ops first.
  std::vector<isa::AnyInsn> Prologue();
  // Any instruction; it may leave its memories or read tiles that were not written.
  isa::AnyInsn Any();
  // A store of tiles of the output window.
  isa::AnyInsn Epilogue();

 private:
  // The address steps of two loops.
  struct Steps {
    int64_t out = 0, in = 0;
  };
  void MakeSegments();
  void MakeUops(std::vector<uint8_t>& data);
  void FillPrm(std::vector<uint8_t>& data);
  int64_t Pick(const TileWindow& window, int64_t extent);
  Steps PickSteps(int64_t iter_out, int64_t iter_in, int64_t room, int64_t* extent);
  const TileWindow& WindowOf(isa::Memory memory) const {
    return windows_[static_cast<int>(memory)];
  }
  const TileWindow& WindowOf(int64_t vector_memory) const;
  // Draws one of the values that the table allows for a field.
  int64_t Value(const isa::FieldValues& values);
  int64_t Iterations() { return rng_.OneIn(24) ? 0 : rng_.Range(1, 4); }

  isa::Load FillLoad(isa::Memory memory, int64_t first, int64_t count);
  isa::Insn RandomLoad();
  isa::Insn RandomStore();
  isa::Insn RandomGemm();
  isa::Insn RandomDepthwise();
  isa::Insn RandomRequant();
  isa::Insn RandomAdd();
  isa::Insn RandomAlu();
  template <typename T>
  void RandomRescale(T& v);
  isa::VtaInsn RandomVta();
  isa::VtaLoad RandomVtaLoad(isa::Memory memory);

  const isa::Config& config_;
  const isa::Profile profile_;
  Rng& rng_;
  std::array<TileWindow, isa::kMemories> windows_;
  std::array<isa::SegmentData, isa::kSegments> segments_;
  int64_t uops_ = 0;         // micro-ops in segment 0
  int64_t prm_records_ = 0;  // records at the start of the constants
};

}  // namespace tessera::rig

#endif  // TESSERA_SIM_RIG_GENERATOR_H_
