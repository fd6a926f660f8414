// SPDX-License-Identifier: Apache-2.0
//
// VectorFlight: the results of VECTOR between issue and write (tsr_vector_flight). Depends on:
// vector_loop.h. Used by: vector.
#ifndef TESSERA_SIM_CYCLE_VECTOR_FLIGHT_H_
#define TESSERA_SIM_CYCLE_VECTOR_FLIGHT_H_

#include <array>

#include "sim/cycle/vector_loop.h"

namespace tessera::sim::cycle {

class VectorFlight {
 public:
  // Room for another result, and none is on its way to a tile that the step asked for reads.
  bool ok() const { return size_ < kDepth && written_ >= waits_for_; }
  bool empty() const { return size_ == 0 && !write_valid_; }

  // The bank users of this cycle: what the write registers hold. kNoTile if nothing.
  static constexpr int64_t kNoTile = -1;
  int64_t acc_tile() const { return acc_valid_ ? acc_tile_ : kNoTile; }
  int64_t out_tile() const { return out_valid_ ? write_.step.result_tile : kNoTile; }
  int64_t inp_tile() const { return inp_valid_ ? write_.step.result_tile : kNoTile; }

  // A cycle's end. |acc_ready|: ACC takes the write. |push|: a step whose result will come is
  // issued; |ask|: a step that moves into slot 3, whatever it is. Null if there is none.
  void Step(Cycles t, bool acc_ready, const VectorStep* push, const VectorStep* ask);
  // Whether a step's result is written in cycle |t|, given |acc_ready|; which.
  const VectorStep* Written(bool acc_ready) const {
    return write_valid_ && (!acc_valid_ || acc_ready) ? &write_.step : nullptr;
  }

 private:
  static constexpr uint32_t kDepth = 16;
  static constexpr Cycles kLatency = 15;  // from issue to the result in front of the write register
  struct Entry {
    VectorStep step;
    bool clears = false;  // a tile that its result does not overwrite
    Cycles issued = 0;
  };
  static bool Meets(const Entry& entry, const VectorStep& reader);

  std::array<Entry, kDepth> ring_;
  uint32_t head_ = 0, size_ = 0;
  // Results pushed and written so far. The step in slot 3 waits until so many are written.
  uint64_t pushed_ = 0, written_ = 0, waits_for_ = 0;
  bool cleared_ = false;  // the head's tile is cleared, its result is not written
  bool write_valid_ = false, acc_valid_ = false, out_valid_ = false, inp_valid_ = false;
  Entry write_;
  int64_t acc_tile_ = 0;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_VECTOR_FLIGHT_H_
