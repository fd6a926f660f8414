// SPDX-License-Identifier: Apache-2.0
//
// REQUANT: rescales by one multiplier and shift, or by a record of each channel; also narrows,
// widens or copies without rescaling. With a table it looks its int8 results up.
#include <fmt/format.h>

#include <string>

#include "compiler/target/tile_math.h"
#include "compiler/target/tile_vector.h"
#include "isa/costs.h"

namespace tessera::target {
namespace {

Status TileRequant(Operands a) {
  const int64_t tile = a[10].value;
  TESSERA_TRY(Check(kTileRequant, a[0], tile));
  TESSERA_TRY(Check(kTileRequant, a[1], tile));
  for (int64_t i = 0; i < tile; ++i) {
    const int32_t y = ir::RequantValue(Operand(a[1], i, a[5].value, a[6].value), Low(a[2].value),
                                       Low(a[3].value), static_cast<isa::Round>(a[4].value));
    Result(a[0], i, y, a[7].value, a[8].value, a[9].value);
  }
  return {};
}

Status TileRequantPrm(Operands a) {
  const int64_t batch = a[9].value, block = a[10].value;
  TESSERA_TRY(Check(kTileRequantPrm, a[0], batch * block));
  TESSERA_TRY(Check(kTileRequantPrm, a[1], batch * block));
  TESSERA_TRY(Check(kTileRequantPrm, a[2], 3 * block));
  for (int64_t i = 0; i < batch * block; ++i) {
    // A record stores the biases of all channels, then the multipliers, then the shifts.
    const auto number = [&](int64_t field) { return Low(At(a[2], field * block + i % block)); };
    const int32_t sum = Low(int64_t{Operand(a[1], i, a[4].value, a[5].value)} + number(0));
    Result(a[0], i,
           ir::RequantValue(sum, number(1), number(2), static_cast<isa::Round>(a[3].value)),
           a[6].value, a[7].value, a[8].value);
  }
  return {};
}

Status TileRequantTab(Operands a) {
  return LookUp(kTileRequantTab, a, 2, a[11].value, TileRequant);
}

Status TileRequantPrmTab(Operands a) {
  return LookUp(kTileRequantPrmTab, a, 3, a[10].value * a[11].value, TileRequantPrm);
}

std::string Name(const char* instruction, DType src, DType dst) {
  return fmt::format("{}{}{}", instruction, src == DType::kInt8 ? ".i8" : "",
                     dst == DType::kInt32 ? ".i32" : "");
}

// |y| converted to type |dst|; appends the operands of the conversion to the call.
Expr Finished(const Expr& y, DType dst, const Int8Result& result, TensorIntrin* intrin) {
  const bool narrow = dst == DType::kInt8;
  const std::vector<Expr> operands = narrow ? std::vector<Expr>{result.zero, result.lo, result.hi}
                                            : std::vector<Expr>{Expr(0), Expr(0), Expr(0)};
  intrin->trailing.insert(intrin->trailing.end(), operands.begin(), operands.end());
  if (narrow) result.Limit(*intrin);
  return narrow ? result.Value(y) : y;
}

TensorIntrin PerTensor(int64_t tile, DType src_type, DType dst_type) {
  const Tensor src = te::Placeholder("src", src_type, {tile});
  const Expr bias = Number("bias"), multiplier = Number("multiplier"), shift = Number("shift"),
             round = Number("round");
  const Int8Source source;
  const Int8Result result;
  const bool narrow_source = src_type == DType::kInt8;
  TensorIntrin intrin{.name = Name("tile.requant", src_type, dst_type),
                      .call = kTileRequant,
                      .trailing = {multiplier, shift, round},
                      .partial = true,
                      .scopes = {{"src", VectorScopes(src_type)}, {"dst", VectorScopes(dst_type)}}};
  if (narrow_source) {
    source.Limit(intrin);
    intrin.trailing.insert(intrin.trailing.end(), {source.zero, source.shift});
  } else {
    intrin.conditions.push_back({ir::Eq(bias, 0),
                                 "a bias is no 0; lift and stack make a record of it, for "
                                 "tile.requant_prm"});
    intrin.trailing.insert(intrin.trailing.end(), {Expr(0), Expr(0)});
  }
  intrin.behaviour = te::Compute("dst", {tile}, {"i"}, [&](const std::vector<Expr>& i) {
    const Expr value = narrow_source ? source.Value(src(i)) : src(i) + bias;
    return Finished(ir::Call("requant", {value, multiplier, shift, round}, {DType::kInt32, 1}),
                    dst_type, result, &intrin);
  });
  intrin.trailing.emplace_back(tile);
  return intrin;
}

TensorIntrin PerChannel(const isa::Config& config, DType src_type, DType dst_type) {
  const int64_t batch = config.batch, block = config.block_out;
  const Tensor src = te::Placeholder("src", src_type, {batch, block}),
               prm = te::Placeholder("prm", DType::kInt32, {3, block});
  const Expr round = Number("round");
  const Int8Source source;
  const Int8Result result;
  const bool narrow_source = src_type == DType::kInt8;
  TensorIntrin intrin{.name = Name("tile.requant_prm", src_type, dst_type),
                      .call = kTileRequantPrm,
                      .trailing = {round, Expr(0), Expr(0)},
                      .partial = true,
                      .scopes = {{"src", VectorScopes(src_type)},
                                 {"prm", {ir::Scope::kPrm}},
                                 {"dst", VectorScopes(dst_type)}}};
  if (narrow_source) {
    source.Limit(intrin);
    intrin.trailing = {round, source.zero, source.shift};
  }
  intrin.behaviour =
      te::Compute("dst", {batch, block}, {"b", "c"}, [&](const std::vector<Expr>& i) {
        const Expr value = narrow_source ? source.Value(src(i)) : src(i);
        const Expr y =
            ir::Call("requant", {value + prm(0, i[1]), prm(1, i[1]), prm(2, i[1]), round},
                     {DType::kInt32, 1});
        return Finished(y, dst_type, result, &intrin);
      });
  intrin.trailing.insert(intrin.trailing.end(), {Expr(batch), Expr(block)});
  return intrin;
}

// Without a multiplier: int32 is offset and clamped, int8 is centred and shifted.
TensorIntrin Unscaled(int64_t tile, DType src_type) {
  const bool widens = src_type == DType::kInt8;
  const DType dst_type = widens ? DType::kInt32 : DType::kInt8;
  const Tensor src = te::Placeholder("src", src_type, {tile});
  const Int8Source source;
  const Int8Result result;
  TensorIntrin intrin{.name = widens ? "tile.widen" : "tile.narrow",
                      .call = kTileRequant,
                      .trailing = {Expr(kSameMultiplier), Expr(kSameShift), Expr(kSameRound),
                                   widens ? source.zero : Expr(0), widens ? source.shift : Expr(0)},
                      .partial = true,
                      .scopes = {{"src", VectorScopes(src_type)}, {"dst", VectorScopes(dst_type)}}};
  intrin.behaviour = te::Compute("dst", {tile}, {"i"}, [&](const std::vector<Expr>& i) {
    return Finished(widens ? source.Value(src(i)) : src(i), dst_type, result, &intrin);
  });
  intrin.trailing.emplace_back(tile);
  if (!widens) return intrin;
  source.Limit(intrin);
  // 255 << 22 still fits int32.
  intrin.conditions.push_back(
      {ir::Le(source.shift, ir::Imm(DType::kInt32, 22)), "a shift above 22 leaves int32"});
  return intrin;
}

// Copies an int8 value.
TensorIntrin Copy(int64_t tile) {
  const Tensor src = te::Placeholder("src", DType::kInt8, {tile});
  return {.name = "tile.copy",
          .call = kTileRequant,
          .behaviour = te::Compute("dst", {tile}, {"i"},
                                   [&](const std::vector<Expr>& i) { return src(i[0]); }),
          .trailing = {Expr(kSameMultiplier), Expr(kSameShift), Expr(kSameRound), Expr(0), Expr(0),
                       Expr(0), Expr(-128), Expr(127), Expr(tile)},
          .partial = true,
          .scopes = {{"src", VectorScopes(DType::kInt8)}, {"dst", VectorScopes(DType::kInt8)}}};
}

std::vector<TensorIntrin> RequantIntrinsics(const isa::Config& config) {
  const int64_t tile = config.batch * config.block_out;
  std::vector<TensorIntrin> all{Unscaled(tile, DType::kInt32), Unscaled(tile, DType::kInt8),
                                Copy(tile)};
  for (const DType dst : {DType::kInt8, DType::kInt32}) {
    for (const DType src : {DType::kInt32, DType::kInt8}) {
      all.push_back(PerChannel(config, src, dst));
      all.push_back(PerTensor(tile, src, dst));
    }
  }
  for (size_t k = 0, plain = all.size(); k < plain; ++k) {
    if (all[k].behaviour.dtype() != DType::kInt8) continue;
    const bool records = all[k].call == kTileRequantPrm;
    all.push_back(
        WithTable(all[k], all[k].name + ".tab", records ? kTileRequantPrmTab : kTileRequantTab));
  }
  for (TensorIntrin& intrin : all)
    intrin.cycles = static_cast<double>(isa::StepCycles<isa::Requant>(config));
  return all;
}

constexpr int64_t kRequantIterations = isa::GreatestOfAll("Requant.iter_out", "Requant.iter_in");
constexpr int64_t kRequantStride =
    isa::GreatestOfAll("Requant.dst_out", "Requant.dst_in", "Requant.src_out", "Requant.src_in");
constexpr int64_t kPrmStride = isa::GreatestOfAll("Requant.prm_out", "Requant.prm_in");

Status EmitRequant(const TileEmission& e, bool per_channel) {
  std::vector<LeafDim> dims = e.solved.dims;
  Fold(dims, false);
  const size_t operands = per_channel ? 3 : 2;  // that move
  if (e.solved.operands.size() > operands) TESSERA_TRY(StartsTab(e.solved.operands[operands]));
  const std::vector<int64_t>& v = e.solved.values;
  isa::Requant base;
  base.dst_mem = VectorMemoryOf(e.solved.operands[0]);
  base.src_mem = VectorMemoryOf(e.solved.operands[1]);
  base.per_tensor = per_channel ? 0 : 1;
  base.table = e.solved.operands.size() > operands ? 1 : 0;
  size_t k = 0;
  if (!per_channel) {
    base.multiplier = v[0], base.shift = v[1];
    k = 2;
  }
  base.round = v[k], base.src_zero = v[k + 1], base.src_shift = v[k + 2];
  base.out_zero = v[k + 3], base.lo = v[k + 4], base.hi = v[k + 5];
  if (base.src_mem == static_cast<int64_t>(isa::VectorMemory::kAcc))
    base.src_zero = base.src_shift = 0;
  LoopLimits limits{2, kRequantIterations, {kRequantStride, kRequantStride}};
  if (per_channel) limits.strides.push_back(kPrmStride);
  return ForPieces(dims, limits, operands,
                   [&](std::span<const int64_t> at, std::span<const LeafDim> loops) -> Status {
                     const auto [out, in] = TwoLoops(loops);
                     isa::Requant r = base;
                     r.dst_base = e.solved.operands[0].base + at[0];
                     r.src_base = e.solved.operands[1].base + at[1];
                     r.iter_out = out.extent, r.iter_in = in.extent;
                     r.dst_out = out.strides[0], r.dst_in = in.strides[0];
                     r.src_out = out.strides[1], r.src_in = in.strides[1];
                     if (per_channel) {
                       r.prm_base = e.solved.operands[2].base + at[2];
                       r.prm_out = out.strides[2], r.prm_in = in.strides[2];
                     }
                     e.sink.Emit(r);
                     return {};
                   });
}

Status PerTensorTiles(const TileEmission& e) { return EmitRequant(e, false); }
Status PerChannelTiles(const TileEmission& e) { return EmitRequant(e, true); }

}  // namespace

TileInstruction RequantTiles() {
  return {
      {{{kTileRequant, {kW, kR, kV, kV, kV, kV, kV, kV, kV, kV, kV}, TileRequant}, PerTensorTiles},
       {{kTileRequantPrm, {kW, kR, kR, kV, kV, kV, kV, kV, kV, kV, kV}, TileRequantPrm},
        PerChannelTiles},
       {{kTileRequantTab, {kW, kR, kR, kV, kV, kV, kV, kV, kV, kV, kV, kV}, TileRequantTab},
        PerTensorTiles},
       {{kTileRequantPrmTab, {kW, kR, kR, kR, kV, kV, kV, kV, kV, kV, kV, kV}, TileRequantPrmTab},
        PerChannelTiles}},
      RequantIntrinsics};
}

}  // namespace tessera::target
