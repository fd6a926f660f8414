// SPDX-License-Identifier: Apache-2.0
//
// LOAD, its pads, and STORE.
#include "compiler/target/tile_math.h"

namespace tessera::target {
namespace {

Status TileLoad(Operands a) {
  const int64_t count = a[2].value;
  TESSERA_TRY(Check(kTileLoad, a[0], a[3].value));
  TESSERA_TRY(Check(kTileLoad, a[1], count));
  for (int64_t i = 0; i < count; ++i) Put(a[0], i, At(a[1], i));
  return {};
}

Status TileFill(Operands a) {
  TESSERA_TRY(Check(kTileFill, a[0], a[1].value));
  for (int64_t i = 0; i < a[1].value; ++i) Put(a[0], i, a[2].value);
  return {};
}

Status TileStore(Operands a) {
  TESSERA_TRY(Check(kTileStore, a[0], a[2].value));
  TESSERA_TRY(Check(kTileStore, a[1], a[2].value));
  for (int64_t i = 0; i < a[2].value; ++i) Put(a[0], i, At(a[1], i));
  return {};
}

// |elements| of |dtype|, or fewer, as they are, into |scope|.
TensorIntrin Load(const char* name, DType dtype, int64_t elements, ir::Scope scope) {
  const Tensor src = te::Placeholder("src", dtype, {elements});
  const Tensor dst =
      te::Compute("dst", {elements}, {"i"}, [&](const std::vector<Expr>& i) { return src(i[0]); });
  return {.name = name,
          .call = kTileLoad,
          .behaviour = dst,
          .trailing = {TileCount(), Expr(elements)},
          .partial = true,
          .scopes = {{"src", {ir::Scope::kGlobal}}, {"dst", {scope}}}};
}

// One value in all of a tile.
TensorIntrin Fill(const char* name, int64_t elements, ir::Scope scope) {
  const Expr value = ir::Var("value", DType::kInt8);
  const Tensor dst = te::Compute("dst", {elements}, {"i"}, [&](const auto&) { return value; });
  return {.name = name,
          .call = kTileFill,
          .behaviour = dst,
          .trailing = {Expr(elements), value},
          .partial = true,
          .scopes = {{"dst", {scope}}}};
}

TensorIntrin Store(int64_t elements) {
  TensorIntrin store = Load("tile.store", DType::kInt8, elements, ir::Scope::kGlobal);
  store.call = kTileStore;
  store.trailing = {TileCount()};
  store.scopes = {{"src", {ir::Scope::kOut}}, {"dst", {ir::Scope::kGlobal}}};
  return store;
}

std::vector<TensorIntrin> Intrinsics(const isa::Config& config) {
  const int64_t tile = config.batch * config.block_out;
  return {Load("tile.load_inp", DType::kInt8, tile, ir::Scope::kInp),
          Fill("tile.fill_inp", tile, ir::Scope::kInp),
          Load("tile.load_out", DType::kInt8, tile, ir::Scope::kOut),
          Load("tile.load_wgt", DType::kInt8, config.wgt_tile_bytes(), ir::Scope::kWgt),
          Load("tile.load_prm", DType::kInt32, RecordNumbers(config), ir::Scope::kPrm),
          Store(tile)};
}

}  // namespace

TileInstruction CopyTiles() {
  return {{{kTileLoad, {kW, kR, kV, kV}, TileLoad},
           {kTileFill, {kW, kV, kV}, TileFill},
           {kTileStore, {kW, kR, kV}, TileStore}},
          Intrinsics};
}

}  // namespace tessera::target
