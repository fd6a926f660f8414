// SPDX-License-Identifier: Apache-2.0
//
// What is tested: hw/rtl/prim/tsr_dsp_product.sv, its plain model, its version of four bare
// multipliers and its four DSP48E1 blocks (yosys's simulation model of them), cycle by cycle
// against each other and against the product in 64 bits. Space: all pairs of values around the ends
// and around the borders of the parts of 17 bits, with and without the half, and random operands of
// every length; new ones every cycle. Not tested: the enables of the plain model, which only make
// simulation faster.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "VMult18Product.h"
#include "VPlainProduct.h"
#include "VVendorProduct.h"
#include "base/rng.h"

namespace tessera::hw {
namespace {

struct Factors {
  int32_t v;
  uint32_t m;  // below 2^31
  bool half;
};

class Products {
 public:
  Products() { plain_.en_i = mult18_.en_i = vendor_.en_i = 63; }

  void Cycle(const Factors& f) {
    Drive(plain_, f, half_);
    Drive(vendor_, f, half_);
    Drive(mult18_, f, half_);
    half_ = f.half;
    in_flight_.push_back(f);
    if (in_flight_.size() < 6) return;
    const Factors is = in_flight_.front();
    in_flight_.pop_front();
    const int64_t product = int64_t{is.v} * is.m + (is.half ? int64_t{1} << 30 : 0);
    const uint64_t bits = static_cast<uint64_t>(product) & ~(uint64_t{1} << 63);
    SCOPED_TRACE(::testing::Message() << is.v << " * " << is.m << " half " << is.half);
    ASSERT_EQ(plain_.product_o, bits);
    ASSERT_EQ(plain_.rest_o, (bits & 0x3fffffff) != 0);
    ASSERT_EQ(vendor_.product_o, plain_.product_o);
    ASSERT_EQ(mult18_.product_o, plain_.product_o);
    ASSERT_EQ(vendor_.rest_o, plain_.rest_o);
    ASSERT_EQ(mult18_.rest_o, plain_.rest_o);
  }

 private:
  template <typename Model>
  static void Drive(Model& m, const Factors& f, bool half_before) {
    m.v_i = static_cast<uint32_t>(f.v), m.m_i = f.m, m.half_i = half_before;
    m.clk_i = 0;
    m.eval();
    m.clk_i = 1;
    m.eval();
  }
  VPlainProduct plain_;
  VMult18Product mult18_;
  VVendorProduct vendor_;
  std::deque<Factors> in_flight_;
  bool half_ = false;  // of the preceding factors: it comes one cycle after them
};

TEST(DspProduct, EveryPairAroundTheEndsAndTheBordersOfTheParts) {
  std::vector<int32_t> values;
  for (const int bit : {0, 13, 16, 17, 18, 29, 30, 31}) {
    for (const int64_t near : {-2, -1, 0, 1}) {
      for (const int64_t sign : {-1, 1}) {
        const int64_t value = sign * ((int64_t{1} << bit) + near);
        if (value == static_cast<int32_t>(value)) values.push_back(static_cast<int32_t>(value));
      }
    }
  }
  values.push_back(INT32_MIN);
  Products products;
  for (const int32_t v : values) {
    for (const int32_t m : values) {
      if (m < 0) continue;
      for (const bool half : {false, true}) {
        products.Cycle({v, static_cast<uint32_t>(m), half});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(DspProduct, RandomFactors) {
  constexpr uint64_t kSeed = 1;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  Rng rng(kSeed);
  Products products;
  for (int n = 0; n < 300000; ++n) {
    const auto v = static_cast<int32_t>(rng.Range(INT32_MIN, INT32_MAX) >> rng.Range(0, 31));
    const auto m = static_cast<uint32_t>(rng.Range(0, INT32_MAX) >> rng.Range(0, 30));
    products.Cycle({v, m, rng.Range(0, 1) == 1});
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tessera::hw
