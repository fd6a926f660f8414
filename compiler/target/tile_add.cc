// SPDX-License-Identifier: Apache-2.0
//
// ADD: an int8 value and an accumulator, rescaled.
#include "compiler/target/tile_math.h"

namespace tessera::target {
namespace {

Status TileAdd(Operands a) {
  const int64_t tile = a[11].value;
  for (int k = 0; k < 3; ++k) TESSERA_TRY(Check(kTileAdd, a[static_cast<size_t>(k)], tile));
  for (int64_t i = 0; i < tile; ++i) {
    const int32_t sum = Low(int64_t{Operand(a[1], i, a[6].value, a[7].value)} + At(a[2], i));
    Result(a[0], i,
           ir::RequantValue(sum, Low(a[3].value), Low(a[4].value),
                            static_cast<isa::Round>(a[5].value)),
           a[8].value, a[9].value, a[10].value);
  }
  return {};
}

TensorIntrin Add(int64_t tile, DType dst_type) {
  const Tensor src = te::Placeholder("src", DType::kInt8, {tile}),
               acc = te::Placeholder("acc", DType::kInt32, {tile});
  const Expr multiplier = Number("multiplier"), shift = Number("shift"), round = Number("round");
  const Int8Source source;
  const Int8Result result;
  const bool narrow = dst_type == DType::kInt8;
  TensorIntrin intrin{.name = narrow ? "tile.add" : "tile.add.i32",
                      .call = kTileAdd,
                      .trailing = {multiplier, shift, round, source.zero, source.shift},
                      .partial = true,
                      .scopes = {{"src", VectorScopes(DType::kInt8)},
                                 {"acc", {ir::Scope::kAcc}},
                                 {"dst", VectorScopes(dst_type)}}};
  intrin.behaviour = te::Compute("dst", {tile}, {"i"}, [&](const std::vector<Expr>& i) {
    const Expr y = ir::Call("requant", {source.Value(src(i)) + acc(i), multiplier, shift, round},
                            {DType::kInt32, 1});
    return narrow ? result.Value(y) : y;
  });
  source.Limit(intrin);
  if (narrow) {
    result.Limit(intrin);
    intrin.trailing.insert(intrin.trailing.end(), {result.zero, result.lo, result.hi});
  } else {
    intrin.trailing.insert(intrin.trailing.end(), {Expr(0), Expr(0), Expr(0)});
  }
  intrin.trailing.emplace_back(tile);
  return intrin;
}

std::vector<TensorIntrin> Intrinsics(const isa::Config& config) {
  const int64_t tile = config.batch * config.block_out;
  return {Add(tile, DType::kInt8), Add(tile, DType::kInt32)};
}

}  // namespace

TileInstruction AddTiles() {
  return {{{kTileAdd, {kW, kR, kR, kV, kV, kV, kV, kV, kV, kV, kV, kV}, TileAdd}}, Intrinsics};
}

}  // namespace tessera::target
