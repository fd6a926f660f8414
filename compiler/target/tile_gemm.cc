// SPDX-License-Identifier: Apache-2.0
//
// Products on the array: GEMM and DEPTHWISE.
#include "base/bits.h"
#include "compiler/target/tile_math.h"
#include "isa/insns.h"

namespace tessera::target {
namespace {

Status TileGemm(Operands a) {
  const int64_t batch = a[4].value, block = a[5].value;
  TESSERA_TRY(Check(kTileGemm, a[0], batch * block));
  TESSERA_TRY(Check(kTileGemm, a[1], batch * block));
  TESSERA_TRY(Check(kTileGemm, a[2], block * block));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t o = 0; o < block; ++o) {
      int64_t sum = a[3].value != 0 ? 0 : At(a[0], b * block + o);
      for (int64_t i = 0; i < block; ++i) sum += At(a[1], b * block + i) * At(a[2], o * block + i);
      Put(a[0], b * block + o, Low(sum));
    }
  }
  return {};
}

Status TileWindow(Operands a) {
  const int64_t kh = a[4].value, kw = a[5].value, win_y = a[6].value, win_x = a[7].value;
  const int64_t batch = a[8].value, block = a[9].value;
  TESSERA_TRY(Check(kTileWindow, a[0], batch * block));
  TESSERA_TRY(Check(kTileWindow, a[1], (kh - 1) * win_y + (kw - 1) * win_x + batch * block));
  TESSERA_TRY(Check(kTileWindow, a[2], CeilDiv(kh * kw, block) * block * block));
  for (int64_t lane = 0; lane < batch * block; ++lane) {
    int64_t sum = a[3].value != 0 ? 0 : At(a[0], lane);
    for (int64_t y = 0; y < kh; ++y) {
      for (int64_t x = 0; x < kw; ++x) {
        const int64_t tap = y * kw + x;
        const int64_t row = tap / block * block + lane % block;
        sum += At(a[1], y * win_y + x * win_x + lane) * At(a[2], row * block + tap % block);
      }
    }
    Put(a[0], lane, Low(sum));
  }
  return {};
}

// A window of each channel over its own weights, of which a tile of WGT has a row.
TensorIntrin Window(const isa::Config& config) {
  const int64_t block = config.block_out;
  constexpr int64_t kTaps = isa::GreatestOfAll("Depthwise.kh", "Depthwise.kw");
  const auto number = [](const char* name) { return ir::Var(name, DType::kInt64); };
  const Expr kh = number("kh"), kw = number("kw"), win_y = number("win_y"), win_x = number("win_x");
  const Tensor inp = te::Placeholder("inp", DType::kInt8, {block}),
               wgt = te::Placeholder("wgt", DType::kInt8, {block * block});
  const te::Axis y = te::ReduceAxis("ky", kTaps), x = te::ReduceAxis("kx", kTaps);
  const Tensor acc = te::Compute("acc", {block}, {"c"}, [&](const std::vector<Expr>& i) {
    return te::Sum(Wide(inp(y.var * win_y + x.var * win_x + i[0])) *
                       Wide(wgt(i[0] * Expr(block) + y.var * kw + x.var)),
                   {y, x});
  });
  return {.name = "tile.window",
          .call = kTileWindow,
          .behaviour = acc,
          .trailing = {FirstStep(), kh, kw, win_y, win_x, Expr(config.batch), Expr(block)},
          .partial = true,
          .counts = {{"ky", kh}, {"kx", kw}},
          .scopes = {
              {"inp", {ir::Scope::kInp}}, {"wgt", {ir::Scope::kWgt}}, {"acc", {ir::Scope::kAcc}}}};
}

std::vector<TensorIntrin> Intrinsics(const isa::Config& config) {
  const int64_t batch = config.batch, block = config.block_out;
  const Tensor inp = te::Placeholder("inp", DType::kInt8, {batch, config.block_in}),
               wgt = te::Placeholder("wgt", DType::kInt8, {block, config.block_in});
  const te::Axis k = te::ReduceAxis("k", config.block_in);
  const Tensor acc =
      te::Compute("acc", {batch, block}, {"b", "o"}, [&](const std::vector<Expr>& i) {
        return te::Sum(Wide(inp(i[0], k.var)) * Wide(wgt(i[1], k.var)), {k});
      });
  const TensorIntrin gemm{
      .name = "tile.gemm",
      .call = kTileGemm,
      .behaviour = acc,
      .trailing = {FirstStep(), Expr(batch), Expr(block)},
      .scopes = {
          {"inp", {ir::Scope::kInp}}, {"wgt", {ir::Scope::kWgt}}, {"acc", {ir::Scope::kAcc}}}};
  // In rows of images a window has a tile of its own only where there is one.
  if (batch > 1) return {gemm};
  return {gemm, Window(config)};
}

}  // namespace

TileInstruction MultiplyTiles() {
  return {{{kTileGemm, {kU, kR, kR, kV, kV, kV}, TileGemm},
           {kTileWindow, {kU, kR, kR, kV, kV, kV, kV, kV, kV, kV}, TileWindow}},
          Intrinsics};
}

}  // namespace tessera::target
