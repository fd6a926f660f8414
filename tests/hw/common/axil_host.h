// SPDX-License-Identifier: Apache-2.0
//
// AxilHost: the host's side of an AXI4-Lite port under random stalls: each of the five channels at
// a pace of its own, addresses and data of writes in any order and distance. It checks that every
// access has exactly one answer and no answer comes early. Used by: tests/hw/regs, tests/hw/top.
//
// A cycle: Drive(), settle the model, Sample(), clock edge.
#ifndef TESSERA_TESTS_HW_COMMON_AXIL_HOST_H_
#define TESSERA_TESTS_HW_COMMON_AXIL_HOST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/rng.h"

namespace tessera::hw {

// The pins of one Verilated model.
struct AxilPins {
  uint8_t& awvalid;
  const uint8_t& awready;
  uint16_t& awaddr;
  uint8_t& wvalid;
  const uint8_t& wready;
  uint32_t& wdata;
  uint8_t& wstrb;
  const uint8_t& bvalid;
  uint8_t& bready;
  const uint8_t& bresp;
  uint8_t& arvalid;
  const uint8_t& arready;
  uint16_t& araddr;
  const uint8_t& rvalid;
  uint8_t& rready;
  const uint32_t& rdata;
  const uint8_t& rresp;
};

struct AxilWrite {
  uint32_t address, data;
  uint8_t strobe = 15;
};

class AxilHost {
 public:
  // Paces are drawn from |seed|: a channel moves in one of 1 to 9 cycles on average.
  AxilHost(const AxilPins& pins, uint64_t seed) : pins_(pins), rng_(seed) {
    for (int64_t& pace : pace_) pace = rng_.OneIn(3) ? 1 : rng_.Range(1, 9);
    pins_.awvalid = pins_.wvalid = pins_.bready = pins_.arvalid = pins_.rready = 0;
  }

  // Accesses are made in the order in which they are queued, writes beside reads.
  void Write(const AxilWrite& write) { writes_.push_back(write); }
  void Read(uint32_t address) { reads_.push_back(address); }

  // Callbacks for these events, with the access's place in its queue.
  std::function<void(size_t)> took_write, answered_write, took_read;
  std::function<void(size_t, uint32_t data)> answered_read;

  const AxilWrite& write(size_t i) const { return writes_[i]; }
  uint32_t read(size_t i) const { return reads_[i]; }
  bool Idle() const { return b_ == writes_.size() && r_ == reads_.size(); }
  // Takes answers at once from now on, so that a surplus answer shows.
  void Listen() { std::fill(pace_, pace_ + kChannels, 1); }

  void Drive() {
    // Valid stays until it is taken; ready comes and goes.
    if (!pins_.awvalid && aw_ < writes_.size() && Moves(kAw)) {
      pins_.awvalid = 1;
      pins_.awaddr = static_cast<uint16_t>(writes_[aw_].address);
    }
    if (!pins_.wvalid && w_ < writes_.size() && Moves(kW)) {
      pins_.wvalid = 1;
      pins_.wdata = writes_[w_].data;
      pins_.wstrb = writes_[w_].strobe;
    }
    if (!pins_.arvalid && ar_ < reads_.size() && Moves(kAr)) {
      pins_.arvalid = 1;
      pins_.araddr = static_cast<uint16_t>(reads_[ar_]);
    }
    pins_.bready = Moves(kB);
    pins_.rready = Moves(kR);
  }

  void Sample() {
    // Answers first: an access taken in this cycle cannot be answered in it.
    EXPECT_TRUE(!pins_.bvalid || b_ < std::min(aw_, w_)) << "an answer to no write";
    if (pins_.bvalid && pins_.bready) {
      EXPECT_EQ(pins_.bresp, 0u);
      if (answered_write) answered_write(b_);
      ++b_;
    }
    EXPECT_TRUE(!pins_.rvalid || r_ < ar_) << "an answer to no read";
    if (pins_.rvalid && pins_.rready) {
      EXPECT_EQ(pins_.rresp, 0u);
      if (answered_read) answered_read(r_, pins_.rdata);
      ++r_;
    }
    const size_t complete = std::min(aw_, w_);
    const bool aw = pins_.awvalid && pins_.awready, w = pins_.wvalid && pins_.wready;
    const bool ar = pins_.arvalid && pins_.arready;
    aw_ += aw;
    w_ += w;
    if (std::min(aw_, w_) != complete && took_write) took_write(complete);
    if (ar && took_read) took_read(ar_);
    ar_ += ar;
    took_ = {aw, w, ar};
  }

  // Call after the clock edge.
  void Release() {
    if (took_.aw) pins_.awvalid = 0;
    if (took_.w) pins_.wvalid = 0;
    if (took_.ar) pins_.arvalid = 0;
  }

 private:
  enum { kAw, kW, kB, kAr, kR, kChannels };
  bool Moves(int channel) { return pace_[channel] == 1 || rng_.OneIn(pace_[channel]); }

  AxilPins pins_;
  Rng rng_;
  int64_t pace_[kChannels];
  std::vector<AxilWrite> writes_;
  std::vector<uint32_t> reads_;
  size_t aw_ = 0, w_ = 0, b_ = 0, ar_ = 0, r_ = 0;  // accesses so far, by channel
  struct {
    bool aw = false, w = false, ar = false;
  } took_;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_COMMON_AXIL_HOST_H_
