// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/accelerator.h"

#include <string>
#include <utility>

#include "compiler/ir/intrin.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::target {
namespace {

using ir::Expr;
using te::Tensor;

Expr Wide(const Expr& e) { return ir::Cast(DType::kInt32, e); }

// |elements| int8 as they are.
TensorIntrin Copy(const char* name, const char* call, int64_t elements,
                  std::vector<Expr> trailing) {
  const Tensor src = te::Placeholder("src", DType::kInt8, {elements});
  const Tensor dst =
      te::Compute("dst", {elements}, {"i"}, [&](const std::vector<Expr>& i) { return src(i[0]); });
  return {name, call, dst, InitStyle::kSeparate, std::move(trailing)};
}

// One value in all of a tile.
TensorIntrin Fill(const char* name, int64_t elements) {
  const Expr value = ir::Var("value", DType::kInt8);
  const Tensor dst = te::Compute("dst", {elements}, {"i"}, [&](const auto&) { return value; });
  return {name, kTileFill, dst, InitStyle::kSeparate, {Expr(elements), value}};
}

TensorIntrin Gemm(const isa::Config& config) {
  const int64_t batch = config.batch, block = config.block_out;
  const Tensor inp = te::Placeholder("inp", DType::kInt8, {batch, config.block_in}),
               wgt = te::Placeholder("wgt", DType::kInt8, {block, config.block_in});
  const te::Axis k = te::ReduceAxis("k", config.block_in);
  const Tensor acc =
      te::Compute("acc", {batch, block}, {"b", "o"}, [&](const std::vector<Expr>& i) {
        return te::Sum(Wide(inp(i[0], k.var)) * Wide(wgt(i[1], k.var)), {k});
      });
  return {"tile.gemm", kTileGemm, acc, InitStyle::kFlag, {Expr(batch), Expr(block)}};
}

TensorIntrin Requant(const isa::Config& config) {
  const int64_t tile = config.batch * config.block_out;
  const Tensor acc = te::Placeholder("acc", DType::kInt32, {tile});
  const auto parameter = [](const char* name) { return ir::Var(name, DType::kInt32); };
  const Expr multiplier = parameter("multiplier"), shift = parameter("shift"),
             round = parameter("round"), zero = parameter("zero"), lo = parameter("lo"),
             hi = parameter("hi");
  const Tensor out = te::Compute("out", {tile}, {"i"}, [&](const std::vector<Expr>& i) {
    const Expr scaled =
        ir::Call("requant", {acc(i[0]), multiplier, shift, round}, {DType::kInt32, 1});
    return ir::Cast(DType::kInt8,
                    ir::Call("clamp_add", {scaled, zero, lo, hi}, {DType::kInt32, 1}));
  });
  return {"tile.requant",
          kTileRequant,
          out,
          InitStyle::kSeparate,
          {multiplier, shift, round, Expr(0), Expr(0), zero, lo, hi, Expr(tile)}};
}

}  // namespace

std::shared_ptr<const Target> Accelerator(const isa::Config& config) {
  RegisterTileIntrinsics();
  using isa::Memory;
  const auto bytes = [&](Memory memory) { return config.Depth(memory) * config.TileBytes(memory); };
  const int64_t tile = config.batch * config.block_out, wgt = config.wgt_tile_bytes();
  return std::make_shared<const Target>(Target{
      .name = "accelerator " + config.name,
      .memories = {{ir::Scope::kGlobal},
                   {ir::Scope::kInp, bytes(Memory::kInp)},
                   {ir::Scope::kWgt, bytes(Memory::kWgt)},
                   {ir::Scope::kAcc, bytes(Memory::kAcc)},
                   {ir::Scope::kOut, bytes(Memory::kOut)}},
      .loops = {ir::LoopKind::kSerial},
      .intrinsics = {Copy("tile.load_inp", kTileLoad, tile, {Expr(tile), Expr(tile), Expr(0)}),
                     Fill("tile.fill_inp", tile),
                     Copy("tile.load_wgt", kTileLoad, wgt, {Expr(wgt), Expr(wgt), Expr(0)}),
                     Gemm(config), Requant(config),
                     Copy("tile.store", kTileStore, tile, {Expr(tile)})}});
}

}  // namespace tessera::target
