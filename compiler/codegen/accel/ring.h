// SPDX-License-Identifier: Apache-2.0
//
// RingAllocator: gives out pieces of one scratchpad in turn. A piece is the next run of free tiles
// after the one before, so that a new tile of work writes where the oldest finished one was: LOAD
// runs ahead exactly as far as the scratchpad is free, and no buffer is ever named "ping" or
// "pong". Depends on base. Used by: execute.h.
#ifndef TESSERA_COMPILER_CODEGEN_ACCEL_RING_H_
#define TESSERA_COMPILER_CODEGEN_ACCEL_RING_H_

#include <cstdint>
#include <map>
#include <optional>

namespace tessera::codegen::accel {

class RingAllocator {
 public:
  // |depth| tiles in all. A piece starts at a multiple of |bank| tiles when |bank| > 1, so that two
  // pieces in use never share a bank (ACC and OUT: the bank is in the high address bits).
  RingAllocator(int64_t depth, int64_t bank = 1);

  // The first tile of |tiles| free ones in a row, searched from the end of the piece before and
  // once around; nothing when no gap is wide enough. |tiles| >= 1.
  std::optional<int64_t> Allocate(int64_t tiles);

  // Gives the piece that starts at |begin| back. It must be in use.
  void Release(int64_t begin);

  // The next piece is searched from |tile|, from the first one. Nothing may be in use.
  void GoOnFrom(int64_t tile);
  void Rewind() { GoOnFrom(0); }

  bool empty() const { return pieces_.empty(); }
  int64_t depth() const { return depth_; }
  int64_t next() const { return next_; }
  // What a piece of |tiles| takes: whole banks.
  int64_t Rounded(int64_t tiles) const;
  int64_t in_use() const;  // tiles, rounded up to banks

 private:
  std::optional<int64_t> FindGap(int64_t from, int64_t to, int64_t tiles) const;

  int64_t depth_;
  int64_t bank_;
  int64_t next_ = 0;
  std::map<int64_t, int64_t> pieces_;  // begin -> end of those in use
};

}  // namespace tessera::codegen::accel

#endif  // TESSERA_COMPILER_CODEGEN_ACCEL_RING_H_
