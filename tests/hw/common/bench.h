// SPDX-License-Identifier: Apache-2.0
//
// Bench: clock and reset of one Verilated module, and helpers for its wide ports. Used by:
// tests/hw.
//
// One cycle: set inputs, Settle() (outputs now follow the inputs), look at handshakes, Edge().
#ifndef TESSERA_TESTS_HW_COMMON_BENCH_H_
#define TESSERA_TESTS_HW_COMMON_BENCH_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "verilated.h"

namespace tessera::hw {

template <typename Top>
class Bench {
 public:
  // |random_start|: not 0: in a model verilated with RANDOM_START, flip-flops that have no start
  // value begin with random ones of this seed; others begin with 0.
  explicit Bench(uint64_t random_start = 0) : top_(Make(random_start)) {
    top_->clk_i = 0;
    top_->rst_ni = 0;
  }
  ~Bench() { top_->final(); }

  Top* operator->() { return top_.get(); }
  Top& top() { return *top_; }
  uint64_t cycle() const { return cycle_; }

  // Holds reset for a few cycles; inputs must have been set.
  void Reset() {
    top_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) {
      Settle();
      Edge();
    }
    top_->rst_ni = 1;
    context_.assertOn(true);
  }

  void Settle() { top_->eval(); }

  void Edge() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
    ++cycle_;
  }

 private:
  std::unique_ptr<Top> Make(uint64_t random_start) {
    context_.randReset(random_start == 0 ? 0 : 2);
    if (random_start != 0) {
      context_.randSeed(static_cast<int>(random_start));
      // Assertions are off until Reset: a reset flip-flop may begin high, and units then read
      // registers without a start value.
      context_.assertOn(false);
    }
    return std::make_unique<Top>(&context_);
  }

  VerilatedContext context_;
  std::unique_ptr<Top> top_;
  uint64_t cycle_ = 0;
};

// Wide ports are little-endian words in memory: bytes are copied as they are.
template <typename Port>
void PutBytes(Port& port, std::span<const uint8_t> bytes) {
  std::memcpy(&port, bytes.data(), bytes.size());
}
template <typename Port>
void GetBytes(const Port& port, std::span<uint8_t> bytes) {
  std::memcpy(bytes.data(), &port, bytes.size());
}

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_COMMON_BENCH_H_
