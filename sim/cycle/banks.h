// SPDX-License-Identifier: Apache-2.0
//
// Banks: the bank of a scratchpad that holds a tile (mem/tsr_banked_mem.sv). Depends on:
// isa/config.h. Used by: sim/cycle.
#ifndef TESSERA_SIM_CYCLE_BANKS_H_
#define TESSERA_SIM_CYCLE_BANKS_H_

#include <bit>
#include <cstdint>

#include "isa/config.h"

namespace tessera::sim::cycle {

inline constexpr int kNoBank = -1;

class Banks {
 public:
  Banks(const isa::Config& config, isa::Memory memory) {
    const isa::MemoryRow& row = isa::RowOf(memory);
    mask_ = row.banks - 1;
    if (row.banked_by == isa::BankedBy::kHighBits)
      shift_ = std::countr_zero(static_cast<uint64_t>(config.Depth(memory) / row.banks));
  }
  int Of(int64_t tile) const { return static_cast<int>(tile >> shift_) & mask_; }

 private:
  int shift_ = 0, mask_ = 0;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_BANKS_H_
