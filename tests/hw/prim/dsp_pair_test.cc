// SPDX-License-Identifier: Apache-2.0
//
// What is tested: hw/rtl/prim/tsr_dsp_pair.sv, its plain model, its version of bare multipliers and
// its DSP48E1 blocks (yosys's simulation model of them), cycle by cycle against each other and
// against the sums. Space: all combinations of the extreme operands and the values around zero, and
// random operands; a new set every cycle. Not tested: the enables of the plain model, which only
// make simulation faster.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "VMult18Pair.h"
#include "VPlainPair.h"
#include "VVendorPair.h"
#include "base/rng.h"

namespace tessera::hw {
namespace {

using Operands = std::array<int8_t, 6>;  // w0a, w1a, xa, w0b, w1b, xb

class Pairs {
 public:
  Pairs() { plain_.en_i = mult18_.en_i = vendor_.en_i = 15; }

  void Cycle(const Operands& v) {
    Drive(plain_, v);
    Drive(vendor_, v);
    Drive(mult18_, v);
    in_flight_.push_back(v);
    if (in_flight_.size() < 4) return;
    const Operands is = in_flight_.front();
    in_flight_.pop_front();
    const int32_t lo = is[0] * is[2] + is[3] * is[5] + 32767, hi = is[1] * is[2] + is[4] * is[5];
    ASSERT_EQ(plain_.lo_o, lo);
    ASSERT_EQ(plain_.hi_o, static_cast<uint32_t>(hi) & 0x1ffff);
    ASSERT_EQ(vendor_.lo_o, plain_.lo_o);
    ASSERT_EQ(mult18_.lo_o, plain_.lo_o);
    ASSERT_EQ(vendor_.hi_o, plain_.hi_o);
    ASSERT_EQ(mult18_.hi_o, plain_.hi_o);
  }

 private:
  template <typename Model>
  static void Drive(Model& m, const Operands& v) {
    const auto byte = [&](int i) { return static_cast<uint8_t>(v[i]); };
    m.w0a_i = byte(0), m.w1a_i = byte(1), m.xa_i = byte(2);
    m.w0b_i = byte(3), m.w1b_i = byte(4), m.xb_i = byte(5);
    m.clk_i = 0;
    m.eval();
    m.clk_i = 1;
    m.eval();
  }
  VPlainPair plain_;
  VMult18Pair mult18_;
  VVendorPair vendor_;
  std::deque<Operands> in_flight_;
};

TEST(DspPair, EveryCombinationOfExtremes) {
  constexpr std::array<int8_t, 5> kValues = {-128, 127, -1, 0, 1};
  Pairs pairs;
  for (int n = 0; n < 5 * 5 * 5 * 5 * 5 * 5; ++n) {
    Operands v;
    int rest = n;
    for (int8_t& one : v) one = kValues[rest % 5], rest /= 5;
    pairs.Cycle(v);
    if (HasFatalFailure()) return;
  }
}

TEST(DspPair, RandomOperands) {
  constexpr uint64_t kSeed = 1;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  Pairs pairs;
  for (int n = 0; n < 300000; ++n) {
    Operands v;
    for (int8_t& one : v) one = static_cast<int8_t>(rng.Range(-128, 127));
    pairs.Cycle(v);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tessera::hw
