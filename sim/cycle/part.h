// SPDX-License-Identifier: Apache-2.0
//
// MachinePart: a piece of the machine that is asked for a cycle only when something in it changes,
// and the two queues that pieces are made of. Depends on: base. Used by: all of sim/cycle.
//
// A cycle has two halves, as in the RTL: what a part shows in cycle t follows from its flops, and
// what it takes in changes them for cycle t + 1. The machine asks its parts in one fixed order
// (machine.cc); a part that needs what another shows in the same cycle comes after it.
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

// Others wake a part in the cycle that is on or in the next one; a part itself says at the end of a
// cycle when it must be asked again whatever others do. So the two next cycles are all to remember.
class MachinePart {
 public:
  Cycles wake() const { return wake_; }
  void WakeAt(Cycles t) {
    if (t == wake_) return;
    if (t < wake_) std::swap(t, wake_);
    later_ = std::min(later_, t);
  }

 protected:
  // The first thing in a cycle.
  void Sleep() {
    wake_ = later_;
    later_ = kNever;
  }

 private:
  Cycles wake_ = kNever, later_ = kNever;
};

// What a queue holds of which only the number counts.
struct Mark {};

// prim/tsr_fifo.sv: what is pushed in a cycle is seen in the next one.
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

// prim/tsr_skid.sv: two places, and no way through in one cycle.
template <typename T>
class Skid {
 public:
  bool ready() const { return size_ < 2; }
  bool valid() const { return size_ != 0; }
  const T& front() const { return slot_[0]; }
  // A cycle's end. |pop|: the head is taken, and there is one. |push|: |value| comes in, and it was
  // ready.
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
