// SPDX-License-Identifier: Apache-2.0
//
// ADD: an int8 value and an accumulator, rescaled. With a table it looks its results up.
#include "compiler/target/tile_math.h"
#include "compiler/target/tile_vector.h"
#include "isa/costs.h"

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

Status TileAddTab(Operands a) { return LookUp(kTileAddTab, a, 3, a[12].value, TileAdd); }

// Without |scales|, the sum is what it is.
TensorIntrin Add(int64_t tile, DType dst_type, bool scales) {
  const Tensor src = te::Placeholder("src", DType::kInt8, {tile}),
               acc = te::Placeholder("acc", DType::kInt32, {tile});
  const Expr multiplier = scales ? Number("multiplier") : Expr(kSameMultiplier),
             shift = scales ? Number("shift") : Expr(kSameShift),
             round = scales ? Number("round") : Expr(kSameRound);
  const Int8Source source;
  const Int8Result result;
  const bool narrow = dst_type == DType::kInt8;
  TensorIntrin intrin{.name = !scales  ? "tile.add.narrow"
                              : narrow ? "tile.add"
                                       : "tile.add.i32",
                      .call = kTileAdd,
                      .trailing = {multiplier, shift, round, source.zero, source.shift},
                      .partial = true,
                      .scopes = {{"src", VectorScopes(DType::kInt8)},
                                 {"acc", {ir::Scope::kAcc}},
                                 {"dst", VectorScopes(dst_type)}}};
  intrin.behaviour = te::Compute("dst", {tile}, {"i"}, [&](const std::vector<Expr>& i) {
    const Expr sum = source.Value(src(i)) + acc(i);
    const Expr y =
        scales ? ir::Call("requant", {sum, multiplier, shift, round}, {DType::kInt32, 1}) : sum;
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

std::vector<TensorIntrin> AddIntrinsics(const isa::Config& config) {
  const int64_t tile = config.batch * config.block_out;
  std::vector<TensorIntrin> all{Add(tile, DType::kInt8, true), Add(tile, DType::kInt32, true),
                                Add(tile, DType::kInt8, false)};
  for (const size_t k : {0, 2}) all.push_back(WithTable(all[k], all[k].name + ".tab", kTileAddTab));
  for (TensorIntrin& intrin : all)
    intrin.cycles = static_cast<double>(isa::StepCycles<isa::Add>(config));
  return all;
}

constexpr int64_t kAddIterations = isa::GreatestOfAll("Add.iter_out", "Add.iter_in");
constexpr int64_t kAddStride =
    isa::GreatestOfAll("Add.dst_out", "Add.dst_in", "Add.src_out", "Add.src_in");

Status EmitAdd(const TileEmission& e) {
  // dst and the addend share their steps: loops in which their strides differ are unrolled.
  std::vector<LeafDim> all = e.solved.dims, dims, apart;
  Fold(all, false);
  for (const LeafDim& d : all) (d.strides[0] == d.strides[2] ? dims : apart).push_back(d);
  if (e.solved.operands.size() > 3) TESSERA_TRY(StartsTab(e.solved.operands[3]));
  const std::vector<int64_t>& v = e.solved.values;
  isa::Add base;
  base.dst_mem = VectorMemoryOf(e.solved.operands[0]);
  base.src_mem = VectorMemoryOf(e.solved.operands[1]);
  base.table = e.solved.operands.size() > 3 ? 1 : 0;
  base.multiplier = v[0], base.shift = v[1], base.round = v[2], base.src_zero = v[3],
  base.src_shift = v[4];
  base.out_zero = v[5], base.lo = v[6], base.hi = v[7];
  const LoopLimits limits{2, kAddIterations, {kAddStride, kAddStride, kAddStride}};
  return ForPieces(
      apart, {0, 1, {}}, 3, [&](std::span<const int64_t> from, std::span<const LeafDim>) -> Status {
        return ForPieces(
            dims, limits, 3,
            [&](std::span<const int64_t> at, std::span<const LeafDim> loops) -> Status {
              const auto [out, in] = TwoLoops(loops);
              isa::Add a = base;
              a.dst_base = e.solved.operands[0].base + from[0] + at[0];
              a.src_base = e.solved.operands[1].base + from[1] + at[1];
              a.acc_base = e.solved.operands[2].base + from[2] + at[2];
              a.iter_out = out.extent, a.iter_in = in.extent;
              a.dst_out = out.strides[0], a.dst_in = in.strides[0];
              a.src_out = out.strides[1], a.src_in = in.strides[1];
              e.sink.Emit(a);
              return {};
            });
      });
}

}  // namespace

TileInstruction AddTiles() {
  return {
      {{{kTileAdd, {kW, kR, kR, kV, kV, kV, kV, kV, kV, kV, kV, kV}, TileAdd}, EmitAdd},
       {{kTileAddTab, {kW, kR, kR, kR, kV, kV, kV, kV, kV, kV, kV, kV, kV}, TileAddTab}, EmitAdd}},
      AddIntrinsics};
}

}  // namespace tessera::target
