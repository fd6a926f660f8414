// SPDX-License-Identifier: Apache-2.0
//
// What is tested: hw/rtl/prim/tsr_dsp_scale.sv, its plain model, its version of a bare multiplier
// and its DSP48E1 block (yosys's simulation model of it), cycle by cycle against each other and
// against the sum in 64 bits. Space: all bytes and zero points with every shift of 0 to 31 and with
// no byte at all, with a random addend; a new set every cycle. Not tested: the enables of the plain
// model, which only make simulation faster.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "VMult18Scale.h"
#include "VPlainScale.h"
#include "VVendorScale.h"
#include "base/rng.h"

namespace tessera::hw {
namespace {

struct Scaled {
  int byte, zero, shift;  // shift -1: no byte at all
  uint32_t add;
};

class Scales {
 public:
  Scales() { plain_.en_i = mult18_.en_i = vendor_.en_i = 7; }

  void Cycle(const Scaled& s) {
    Drive(plain_, s, add_);
    Drive(vendor_, s, add_);
    Drive(mult18_, s, add_);
    add_ = s.add;
    in_flight_.push_back(s);
    if (in_flight_.size() < 3) return;
    const Scaled is = in_flight_.front();
    in_flight_.pop_front();
    const int64_t scaled = is.shift < 0 ? 0 : (is.byte - is.zero) * (int64_t{1} << is.shift);
    SCOPED_TRACE(::testing::Message()
                 << is.byte << " " << is.zero << " " << is.shift << " " << is.add);
    ASSERT_EQ(plain_.x_o, static_cast<uint32_t>(scaled + is.add));
    ASSERT_EQ(vendor_.x_o, plain_.x_o);
    ASSERT_EQ(mult18_.x_o, plain_.x_o);
  }

 private:
  template <typename Model>
  static void Drive(Model& m, const Scaled& s, uint32_t add_before) {
    m.byte_i = static_cast<uint8_t>(s.byte), m.zero_i = static_cast<uint8_t>(s.zero);
    m.high_i = s.shift >= 16;
    m.power_i = s.shift < 0 ? 0 : 1U << (s.shift % 16);
    m.add_i = add_before;
    m.clk_i = 0;
    m.eval();
    m.clk_i = 1;
    m.eval();
  }
  VPlainScale plain_;
  VMult18Scale mult18_;
  VVendorScale vendor_;
  std::deque<Scaled> in_flight_;
  uint32_t add_ = 0;  // of the preceding byte: it comes one cycle after it
};

TEST(DspScale, EveryByteZeroPointAndShift) {
  constexpr uint64_t kSeed = 1;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  Scales scales;
  for (int shift = -1; shift < 32; ++shift) {
    for (int byte = -128; byte < 128; ++byte) {
      for (int zero = -128; zero < 128; ++zero) {
        scales.Cycle({byte, zero, shift, static_cast<uint32_t>(rng.Range(0, UINT32_MAX))});
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::hw
