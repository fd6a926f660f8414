// SPDX-License-Identifier: Apache-2.0
//
// DmaFront: a command of LOAD or STORE with its box and its bursts (tsr_dma_front, tsr_runs).
// Depends on: box.h. Used by: load, store.
#ifndef TESSERA_SIM_CYCLE_DMA_FRONT_H_
#define TESSERA_SIM_CYCLE_DMA_FRONT_H_

#include "sim/cycle/box.h"
#include "sim/cycle/command.h"

namespace tessera::sim::cycle {

class DmaFront {
 public:
  explicit DmaFront(uint64_t bus_bytes) : bus_bytes_(bus_bytes) {}

  // Outputs: ready() for a command, a box, a burst.
  bool ready() const { return !full_ || (box_gone_ && (runs_gone_ || box_.no_data)); }
  bool box_valid() const { return full_ && !box_gone_ && !command_->stop; }
  const CheckedBox& box() const { return box_; }
  CommandPtr command() const { return command_; }
  bool burst_valid() const { return offers_; }
  const BusBurst& burst() const { return offer_; }

  void Take(CommandPtr command, const CheckedBox& box) {
    coming_ = command;
    coming_box_ = box;
  }
  // Ends a cycle. |box_taken|, |burst_taken|: the box or the burst shown was taken. Returns whether
  // anything changed.
  bool Step(bool box_taken, bool burst_taken);

 private:
  const uint64_t bus_bytes_;
  CommandPtr coming_ = nullptr, command_ = nullptr;
  CheckedBox coming_box_, box_;
  bool full_ = false, box_gone_ = false, runs_gone_ = false;
  // tsr_runs: whether a burst is in work, whether it shows one.
  bool works_ = false, offers_ = false;
  BurstWalk walk_;
  BusBurst offer_;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_DMA_FRONT_H_
