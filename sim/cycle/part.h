// SPDX-License-Identifier: Apache-2.0
//
// MachinePart: a part of the machine, asked for a cycle only when something in it changes; and the
// two queues that parts use, Fifo and Skid. Depends on: base. Used by: all of sim/cycle.
//
// A cycle has two halves, as in the RTL: the outputs of a part in cycle t follow from its flops,
// and its inputs in cycle t change the flops for cycle t + 1. The machine asks its parts in one
// fixed order (machine.cc). A part that reads another part's output of the same cycle comes later
// in that order.
#ifndef TESSERA_SIM_CYCLE_PART_H_
#define TESSERA_SIM_CYCLE_PART_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace tessera::sim::cycle {

using Cycles = uint64_t;
inline constexpr Cycles kNever = ~uint64_t{0};

// Other parts wake a part in the current cycle or in the next one. At the end of a cycle the part
// itself sets the next cycle in which it must be asked. So two wake-up cycles are enough.
class MachinePart {
 public:
  Cycles wake() const { return wake_; }
  void WakeAt(Cycles t) {
    if (t == wake_) return;
    if (t < wake_) std::swap(t, wake_);
    later_ = std::min(later_, t);
  }

 protected:
  // Call this first in each cycle.
  void Sleep() {
    wake_ = later_;
    later_ = kNever;
  }

 private:
  Cycles wake_ = kNever, later_ = kNever;
};

// The element of a queue whose length alone matters.
struct Mark {};

// prim/tsr_fifo.sv: an element pushed in a cycle is visible in the next one.
template <typename T, uint32_t kDepth>
class Fifo {
 public:
  bool ready() const { return size_ < kDepth; }
  bool valid() const { return size_ != 0; }
  uint32_t size() const { return size_; }
  const T& front() const { return slot_[head_]; }
  void Push(const T& value) {
    TESSERA_CHECK(size_ < kDepth);
    slot_[(head_ + size_++) % kDepth] = value;
  }
  void Pop() {
    head_ = (head_ + 1) % kDepth;
    --size_;
  }

 private:
  std::array<T, kDepth> slot_{};
  uint32_t head_ = 0, size_ = 0;
};

// prim/tsr_skid.sv: two places. An element never passes through in the cycle in which it enters.
template <typename T>
class Skid {
 public:
  bool ready() const { return size_ < 2; }
  bool valid() const { return size_ != 0; }
  const T& front() const { return slot_[0]; }
  // Ends a cycle. |pop|: remove the head; valid() must hold. |push|: add |value|; ready() must
  // hold.
  void Step(bool pop, bool push, const T& value) {
    if (pop) slot_[0] = slot_[--size_];
    if (push) slot_[size_++] = value;
  }

 private:
  std::array<T, 2> slot_{};
  uint32_t size_ = 0;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_PART_H_
