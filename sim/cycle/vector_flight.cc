// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/vector_flight.h"

namespace tessera::sim::cycle {

using isa::VectorMemory;

// Whether |reader| must wait for what |entry| writes. An Alu with two operands in ACC, which clears
// nothing itself, waits for every step that clears.
bool VectorFlight::Meets(const Entry& entry, const VectorStep& reader) {
  const VectorStep& writer = entry.step;
  const bool source_acc = reader.source == VectorMemory::kAcc;
  if (writer.work) {
    if (writer.result == reader.source && writer.result_tile == reader.source_tile) return true;
    if (reader.reads_acc && writer.result == VectorMemory::kAcc &&
        writer.result_tile == reader.acc_tile)
      return true;
  }
  if (!entry.clears) return false;
  if (reader.reads_acc && source_acc) return true;
  const int64_t one = reader.reads_acc ? reader.acc_tile : reader.source_tile;
  return (reader.reads_acc || source_acc) && writer.clear_tile == one;
}

void VectorFlight::Step(Cycles t, bool acc_ready, const VectorStep* push, const VectorStep* ask) {
  Entry pushed;
  if (push != nullptr) {
    pushed = {
        .step = *push,
        .clears = push->work && push->clears &&
                  !(push->result == VectorMemory::kAcc && push->result_tile == push->clear_tile),
        .issued = t};
  }
  const bool written = Written(acc_ready) != nullptr;

  // Finds the youngest result that step |ask| must wait for. Results are written in order.
  if (ask != nullptr) {
    waits_for_ = 0;
    if (push != nullptr && Meets(pushed, *ask)) {
      waits_for_ = pushed_ + 1;
    } else {
      for (uint32_t i = size_; i-- > 0 && waits_for_ == 0;) {
        if (Meets(ring_[(head_ + i) % kDepth], *ask)) waits_for_ = pushed_ - (size_ - 1 - i);
      }
      if (waits_for_ == 0 && write_valid_ && !written && Meets(write_, *ask))
        waits_for_ = pushed_ - size_;
    }
  }

  // The head moves into the write register at once, or first clears its tile of ACC.
  const bool some = size_ != 0 && ring_[head_].issued + kLatency <= t;
  const bool take = some && (!acc_valid_ || acc_ready);
  const Entry& head = ring_[head_];
  const bool to_acc = head.step.work && head.step.result == VectorMemory::kAcc;
  const bool clears = head.clears && !cleared_;
  const bool part = clears && to_acc;
  const bool move = take && !part;
  if (written) ++written_;
  write_valid_ = move || (write_valid_ && !written);
  out_valid_ = move && head.step.work && head.step.result == VectorMemory::kOut;
  inp_valid_ = move && head.step.work && head.step.result == VectorMemory::kInp;
  acc_valid_ = take ? clears || to_acc : acc_valid_ && !acc_ready;
  if (take) {
    acc_tile_ = clears ? head.step.clear_tile : head.step.result_tile;
    cleared_ = part;
  }
  if (move) {
    write_ = head;
    head_ = (head_ + 1) % kDepth;
    --size_;
  }
  if (push != nullptr) {
    ring_[(head_ + size_++) % kDepth] = pushed;
    ++pushed_;
  }
}

}  // namespace tessera::sim::cycle
