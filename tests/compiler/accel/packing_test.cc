// SPDX-License-Identifier: Apache-2.0
//
// What is tested: schedule::accel::Pack and Unpack against index formulas written here; the host's
// loop IR for them. Space: small tensors, plain and with window taps as channels.
#include "compiler/schedule/accel/packing.h"

#include <gtest/gtest.h>

#include "base/bits.h"
#include "base/rng.h"
#include "compiler/ir/interp.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/accel/host_pack.h"

namespace tessera::packing_test {
namespace {

TEST(Packing, PlainIsChannelBlocksAndRowsOfImages) {
  const schedule::accel::Packing p = schedule::accel::BlockedPacking({3, 5, 2, 3}, 2, 4);
  std::vector<int8_t> tensor(static_cast<size_t>(p.elements()));
  for (size_t k = 0; k < tensor.size(); ++k) tensor[k] = static_cast<int8_t>(k + 1);
  std::vector<uint8_t> packed(static_cast<size_t>(p.bytes()));
  ASSERT_EQ(p.bytes(), 2 * 2 * 2 * 3 * 2 * 4);  // batches, blocks, y, x, rows, block
  schedule::accel::Pack(p, tensor, packed);
  for (int64_t n = 0; n < 4; ++n) {
    for (int64_t c = 0; c < 8; ++c) {
      for (int64_t y = 0; y < 2; ++y) {
        for (int64_t x = 0; x < 3; ++x) {
          const int64_t at = (((((n / 2) * 2 + c / 4) * 2 + y) * 3 + x) * 2 + n % 2) * 4 + c % 4;
          const int8_t want =
              n < 3 && c < 5 ? static_cast<int8_t>(((n * 5 + c) * 2 + y) * 3 + x + 1) : 0;
          EXPECT_EQ(static_cast<int8_t>(packed[static_cast<size_t>(at)]), want)
              << n << " " << c << " " << y << " " << x;
        }
      }
    }
  }
  std::vector<int8_t> back(tensor.size());
  schedule::accel::Unpack(p, packed, back);
  EXPECT_EQ(back, tensor);
}

// The taps of a window over [batch, channel, y, x] as lanes (channel, y, x), with |fill| outside
// the tensor.
struct Window {
  std::array<int64_t, 2> taps{1, 1}, stride{1, 1}, dilation{1, 1}, before{0, 0}, out{1, 1};
};
te::Tensor TapsOf(const std::array<int64_t, 4>& shape, const Window& w, int64_t fill) {
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {shape[0], shape[1], shape[2], shape[3]});
  const int64_t lanes = shape[1] * w.taps[0] * w.taps[1];
  return te::Compute(
      "x.taps", {shape[0], lanes, w.out[0], w.out[1]}, {}, [&](const std::vector<ir::Expr>& i) {
        const ir::Expr tap[] = {
            ir::FloorMod(ir::FloorDiv(i[1], ir::Expr(w.taps[1])), ir::Expr(w.taps[0])),
            ir::FloorMod(i[1], ir::Expr(w.taps[1]))};
        std::vector<ir::Expr> at{i[0], ir::FloorDiv(i[1], ir::Expr(w.taps[0] * w.taps[1]))};
        ir::Expr inside = ir::Lt(i[0], ir::Expr(shape[0]));
        for (size_t d = 0; d < 2; ++d) {
          at.push_back(i[2 + d] * ir::Expr(w.stride[d]) + tap[d] * ir::Expr(w.dilation[d]) -
                       ir::Expr(w.before[d]));
          inside = ir::And(inside, ir::And(ir::Le(ir::Expr(0), at.back()),
                                           ir::Lt(at.back(), ir::Expr(shape[2 + d]))));
        }
        return ir::Select(inside, x(at), ir::Imm(DType::kInt8, fill));
      });
}

TEST(Packing, LanesReadTheirOwnOffsets) {
  // A window of 2 with stride 2 and one pad before, over one row of 4: its taps are two of three
  // lanes. The third lane is padding of the layout.
  schedule::accel::Packing p = schedule::accel::BlockedPacking({1, 1, 1, 4}, 1, 3);
  p.prepared =
      TapsOf(p.shape, {.taps = {1, 2}, .stride = {1, 2}, .before = {0, 1}, .out = {1, 3}}, 8);
  p.layout.fill = 9;
  EXPECT_FALSE(p.plain());
  const std::vector<int8_t> tensor = {1, 2, 3, 4};
  std::vector<uint8_t> packed(9);
  schedule::accel::Pack(p, tensor, packed);
  EXPECT_EQ(packed, (std::vector<uint8_t>{8, 1, 9, 2, 3, 9, 4, 8, 9}));
}

class HostPackProperty : public ::testing::TestWithParam<uint64_t> {};

TEST_P(HostPackProperty, LoopIrMeansPackAndUnpack) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam());
  schedule::accel::Packing p = schedule::accel::BlockedPacking(
      {rng.Range(1, 5), rng.Range(1, 9), rng.Range(1, 6), rng.Range(1, 6)}, rng.Range(1, 3), 4);
  p.layout.fill = rng.Range(-9, 9);
  const bool plain = rng.Range(0, 1) != 0;
  if (!plain) {
    Window w;
    for (size_t d = 0; d < 2; ++d) {
      w.taps[d] = rng.Range(1, 4);
      w.stride[d] = rng.Range(1, 2);
      w.dilation[d] = rng.Range(1, 2);
      w.before[d] = rng.Range(0, 3);
      w.out[d] = rng.Range(1, 5);
    }
    p.prepared = TapsOf(p.shape, w, rng.Range(-9, 9));
    // A layout with its own pads, or one in the order of the dimensions.
    if (rng.OneIn(3)) p.layout.dims = {{0}, {1}, {2, 1, 0, rng.Range(0, 2), 1}, {3}};
    if (rng.OneIn(4)) p.layout.dims.clear();
  }
  ir::Array tensor(DType::kInt8, p.elements()), packed(DType::kInt8, p.bytes());
  for (int64_t k = 0; k < tensor.size(); ++k) tensor.SetInt(k, rng.Range(-128, 127));
  const auto done = ir::Interpret(lower::accel::PackFunc(p, "pack"), {&tensor, &packed});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  std::vector<uint8_t> want(static_cast<size_t>(p.bytes()));
  schedule::accel::Pack(p, std::vector<int8_t>(tensor.bytes().begin(), tensor.bytes().end()), want);
  EXPECT_EQ(packed.bytes(), want);
  ASSERT_EQ(p.plain(), plain);
  if (!plain) return;
  ir::Array back(DType::kInt8, p.elements());
  ASSERT_TRUE(ir::Interpret(lower::accel::UnpackFunc(p, "unpack"), {&packed, &back}).has_value());
  EXPECT_EQ(back, tensor);
  ir::BufferNode node{"t", DType::kInt8, {p.shape[0], p.shape[1], p.shape[2], p.shape[3]}};
  node.layout = lower::accel::LayoutForRank(p.layout, 4);
  EXPECT_EQ(ir::UnpackLayout(node, packed.bytes()), tensor.bytes()) << "the layout says the same";
}

INSTANTIATE_TEST_SUITE_P(Seeds, HostPackProperty, ::testing::Range(uint64_t{0}, uint64_t{60}));

}  // namespace
}  // namespace tessera::packing_test
