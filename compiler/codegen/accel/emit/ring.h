// SPDX-License-Identifier: Apache-2.0
//
// RingAllocator: gives out pieces of one scratchpad in turn. Each piece is the next run of free
// tiles after the piece before, so a new tile of work overwrites the oldest finished one, and LOAD
// runs ahead as far as the scratchpad is free. Depends on: base. Used by: execute.h.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_RING_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_RING_H_

#include <cstdint>
#include <map>
#include <optional>

namespace tessera::codegen::accel {

class RingAllocator {
 public:
  // |depth| is in tiles. With |bank| > 1, a piece starts at a multiple of |bank| tiles, so that two
  // pieces in use never share a bank (ACC and OUT choose the bank by the high address bits).
  RingAllocator(int64_t depth, int64_t bank = 1);

  // The first of |tiles| free tiles in a row, searched from the end of the last piece and once
  // around; nothing if no gap is wide enough. |tiles| >= 1.
  std::optional<int64_t> Allocate(int64_t tiles);

  // Gives back the piece that starts at |begin|, which must be in use.
  void Release(int64_t begin);

  // Searches the next piece from |tile| on; Rewind from tile 0. No piece may be in use.
  void GoOnFrom(int64_t tile);
  void Rewind() { GoOnFrom(0); }

  bool empty() const { return pieces_.empty(); }
  int64_t depth() const { return depth_; }
  int64_t next() const { return next_; }
  // Tiles that a piece of |tiles| takes: whole banks.
  int64_t Rounded(int64_t tiles) const;
  int64_t in_use() const;  // tiles, rounded up to banks

 private:
  std::optional<int64_t> FindGap(int64_t from, int64_t to, int64_t tiles) const;

  int64_t depth_;
  int64_t bank_;
  int64_t next_ = 0;
  std::map<int64_t, int64_t> pieces_;  // of pieces in use: begin -> end
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_EMIT_RING_H_
