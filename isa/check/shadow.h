// SPDX-License-Identifier: Apache-2.0
//
// Shadow: which instruction of each unit touched an address last; finds races and unwritten reads.
// Depends on: isa/access.h. Used by: the checker, the generator of random programs.
#ifndef TESSERA_ISA_CHECK_SHADOW_H_
#define TESSERA_ISA_CHECK_SHADOW_H_

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/access.h"
#include "isa/enums.h"

namespace tessera::isa {

// For each unit, how many of its instructions happened before. Instruction n of a unit (from 1) is
// ordered before every instruction with clock[unit] >= n.
using VectorClock = std::array<uint32_t, kUnits>;

inline void Join(VectorClock& clock, const VectorClock& other) {
  for (int u = 0; u < kUnits; ++u) clock[u] = clock[u] < other[u] ? other[u] : clock[u];
}

// One space, cut into cells of |grain| addresses.
class Shadow {
 public:
  Shadow() = default;
  Shadow(int64_t addresses, int64_t grain)
      : grain_(grain),
        shift_(std::has_single_bit(static_cast<uint64_t>(grain))
                   ? std::countr_zero(static_cast<uint64_t>(grain))
                   : -1),
        cells_((addresses + grain - 1) / grain) {}

  // Marks addresses [0, end) as initial contents.
  void Initialise(int64_t end) {
    for (int64_t cell = 0; cell * grain_ < end && cell < static_cast<int64_t>(cells_.size());
         ++cell) {
      cells_[cell].written = true;
    }
  }

  // The result of a touch: the latest conflicting access of each unit (0: none), and the first
  // address that was read although nothing wrote it (-1: none).
  struct Found {
    VectorClock conflict{};
    int64_t unwritten = -1;
  };

  // Looks at [first, first + count), inside the space, without a change.
  void Look(int64_t first, int64_t count, bool write, int unit, Found& found) const {
    const int64_t last = CellOf(first + count - 1);
    for (int64_t c = CellOf(first); c <= last; ++c) LookAt(c, first, write, found);
    found.conflict[unit] = 0;
  }

  // Notes that instruction |number| of |unit| touched these addresses.
  void Note(int64_t first, int64_t count, bool write, int unit, uint32_t number) {
    const int64_t last = CellOf(first + count - 1);
    for (int64_t c = CellOf(first); c <= last; ++c) {
      Cell& cell = cells_[c];
      (write ? cell.writes : cell.reads)[unit] = number;
      cell.written |= write;
    }
  }

  // Look and Note in one. Skips cells that instruction |number| already touched in the same way,
  // because they give nothing new.
  void Touch(int64_t first, int64_t count, bool write, int unit, uint32_t number, Found& found) {
    const int64_t last = CellOf(first + count - 1);
    for (int64_t c = CellOf(first); c <= last; ++c) {
      uint32_t& noted = (write ? cells_[c].writes : cells_[c].reads)[unit];
      if (noted == number) continue;
      LookAt(c, first, write, found);
      noted = number;
      cells_[c].written |= write;
    }
    found.conflict[unit] = 0;
  }

  // An address in [first, first + count) whose last touch by |unit| was instruction |number|.
  int64_t AddressOf(int64_t first, int64_t count, int unit, uint32_t number) const {
    for (int64_t c = CellOf(first); c * grain_ < first + count; ++c) {
      if (cells_[c].writes[unit] == number || cells_[c].reads[unit] == number) {
        return c * grain_ < first ? first : c * grain_;
      }
    }
    return first;
  }

  int64_t size() const { return static_cast<int64_t>(cells_.size()) * grain_; }

 private:
  struct Cell {
    VectorClock writes{}, reads{};
    bool written = false;
  };
  // Looks at cell |c| of a touch from |first| on. Includes the accesses of the touching unit.
  void LookAt(int64_t c, int64_t first, bool write, Found& found) const {
    const Cell& cell = cells_[c];
    Join(found.conflict, cell.writes);
    if (write) Join(found.conflict, cell.reads);
    if (!write && !cell.written && found.unwritten < 0)
      found.unwritten = c * grain_ < first ? first : c * grain_;
  }
  // Avoids the division when the grain is a power of two, which is nearly always.
  int64_t CellOf(int64_t address) const {
    return shift_ >= 0 ? address >> shift_ : address / grain_;
  }

  int64_t grain_ = 1;
  int shift_ = 0;  // -1: the grain is not a power of two
  std::vector<Cell> cells_;
};

}  // namespace tessera::isa

#endif  // TESSERA_ISA_CHECK_SHADOW_H_
