// SPDX-License-Identifier: Apache-2.0
//
// VectorFlight: the results of VECTOR from issue to write (tsr_vector_flight). Depends on:
// vector_loop.h. Used by: vector.
#ifndef TESSERA_SIM_CYCLE_VECTOR_FLIGHT_H_
#define TESSERA_SIM_CYCLE_VECTOR_FLIGHT_H_

#include <array>

#include "sim/cycle/vector_loop.h"

namespace tessera::sim::cycle {

class VectorFlight {
 public:
  // There is room for another result, and no result in flight goes to a tile that the step in slot
  // 3 reads.
  bool ok() const { return size_ < kDepth && written_ >= waits_for_; }
  bool empty() const { return size_ == 0 && !write_valid_; }

  // The tiles that the write registers write in this cycle, kNoTile if none.
  static constexpr int64_t kNoTile = -1;
  int64_t acc_tile() const { return acc_valid_ ? acc_tile_ : kNoTile; }
  int64_t out_tile() const { return out_valid_ ? write_.step.result_tile : kNoTile; }
  int64_t inp_tile() const { return inp_valid_ ? write_.step.result_tile : kNoTile; }

  // Ends a cycle. |acc_ready|: ACC takes the write. |push|: the step issued in this cycle that has
  // a result; null: none. |ask|: the step that moves into slot 3; null: none moves.
  void Step(Cycles t, bool acc_ready, const VectorStep* push, const VectorStep* ask);
  // The step whose result is written in this cycle, given |acc_ready|; null if there is none.
  const VectorStep* Written(bool acc_ready) const {
    return write_valid_ && (!acc_valid_ || acc_ready) ? &write_.step : nullptr;
  }

 private:
  static constexpr uint32_t kDepth = 16;
  // Cycles from issue to the result in front of the write register.
  static constexpr Cycles kLatency = 15;
  struct Entry {
    VectorStep step;
    bool clears = false;  // it clears a tile that its result does not overwrite
    Cycles issued = 0;
  };
  static bool Meets(const Entry& entry, const VectorStep& reader);

  std::array<Entry, kDepth> ring_;
  uint32_t head_ = 0, size_ = 0;
  // Results pushed and written so far. The step in slot 3 waits until |waits_for_| results are
  // written.
  uint64_t pushed_ = 0, written_ = 0, waits_for_ = 0;
  bool cleared_ = false;  // the head has cleared its tile and not yet written its result
  bool write_valid_ = false, acc_valid_ = false, out_valid_ = false, inp_valid_ = false;
  Entry write_;
  int64_t acc_tile_ = 0;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_VECTOR_FLIGHT_H_
