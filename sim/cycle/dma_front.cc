// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/dma_front.h"

namespace tessera::sim::cycle {

bool DmaFront::Step(bool box_taken, bool burst_taken) {
  const bool takes = ready();
  const bool runs_valid = full_ && !runs_gone_ && !box_.no_data && !command_->stop;
  // tsr_runs.
  const bool go = burst_taken || !offers_;
  const bool step = !works_ || go;
  const bool next_box = !works_ || walk_.burst().last;
  const bool runs_taken = step && next_box && runs_valid;
  bool changed = box_taken || burst_taken || (go && works_) || runs_taken;
  if (go) {
    offers_ = works_;
    if (works_) offer_ = walk_.burst();
  }
  if (step) {
    if (runs_taken) {
      walk_ = BurstWalk(box_, bus_bytes_);
      works_ = true;
    } else if (next_box) {
      works_ = false;
    } else {
      walk_.Next();
    }
  }
  // The command.
  if (takes) {
    changed = changed || full_ || coming_ != nullptr;
    full_ = coming_ != nullptr;
    box_gone_ = runs_gone_ = false;
    if (full_) {
      command_ = coming_;
      box_ = coming_box_;
      coming_ = nullptr;
    }
  } else {
    box_gone_ = box_gone_ || box_taken;
    runs_gone_ = runs_gone_ || runs_taken;
  }
  return changed;
}

}  // namespace tessera::sim::cycle
