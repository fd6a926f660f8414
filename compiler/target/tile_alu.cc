// SPDX-License-Identifier: Apache-2.0
//
// ALU: accumulators changed in place, by other tiles or by a number.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "compiler/target/tile_math.h"
#include "compiler/target/tile_vector.h"
#include "isa/costs.h"

namespace tessera::target {
namespace {

int32_t Combine(int64_t op, int32_t a, int32_t b) {
  switch (static_cast<isa::AluOp>(op)) {
    case isa::AluOp::kMin:
      return std::min(a, b);
    case isa::AluOp::kMax:
      return std::max(a, b);
    case isa::AluOp::kAdd:
      return Low(int64_t{a} + b);
    case isa::AluOp::kMul:
      return Low(int64_t{a} * b);
    case isa::AluOp::kMov:
      return b;
    case isa::AluOp::kShr:
      if (b < 0) return b <= -32 ? 0 : Low(int64_t{a} << -b);
      return static_cast<int32_t>(int64_t{a} >> std::min(b, 63));
    default:
      TESSERA_CHECK(false, "operation {} is not one that the compiler emits", op);
  }
}

Status TileAlu(Operands a) {
  const int64_t tile = a[5].value;
  TESSERA_TRY(Check(kTileAlu, a[0], tile));
  TESSERA_TRY(Check(kTileAlu, a[1], tile));
  for (int64_t i = 0; i < tile; ++i) {
    const int32_t b = Operand(a[1], i, a[4].value, 0);
    Put(a[0], i, a[3].value != 0 ? b : Combine(a[2].value, Low(At(a[0], i)), b));
  }
  return {};
}

Status TileAluImm(Operands a) {
  TESSERA_TRY(Check(kTileAluImm, a[0], a[3].value));
  for (int64_t i = 0; i < a[3].value; ++i)
    Put(a[0], i, Combine(a[2].value, Low(At(a[0], i)), Low(a[1].value)));
  return {};
}

struct AluOperation {
  const char* name;
  ir::BinOp bin;
  isa::AluOp alu;
  // The right operand is a number of bits. By a negative one ALU shifts to the left, and the
  // expression leaves the sign.
  bool shifts = false;
};
constexpr AluOperation kOperations[] = {{"add", ir::BinOp::kAdd, isa::AluOp::kAdd},
                                        {"mul", ir::BinOp::kMul, isa::AluOp::kMul},
                                        {"min", ir::BinOp::kMin, isa::AluOp::kMin},
                                        {"max", ir::BinOp::kMax, isa::AluOp::kMax},
                                        {"shr", ir::BinOp::kShr, isa::AluOp::kShr, true}};

// acc = acc op src.
TensorIntrin WithTile(const AluOperation& op, int64_t tile, DType src_type) {
  const Tensor acc = te::Placeholder("acc", DType::kInt32, {tile}),
               src = te::Placeholder("src", src_type, {tile});
  const bool narrow = src_type == DType::kInt8;
  Int8Source source;
  source.shift = ir::Imm(DType::kInt32, 0);  // ALU has no shift
  TensorIntrin intrin{.name = fmt::format("tile.alu_{}{}", op.name, narrow ? ".i8" : ""),
                      .call = kTileAlu,
                      .behaviour = te::Compute("dst", {tile}, {"i"},
                                               [&](const std::vector<Expr>& i) {
                                                 const Expr b =
                                                     narrow ? Wide(src(i)) - source.zero : src(i);
                                                 return ir::Bin(op.bin, acc(i), b);
                                               }),
                      .trailing = {Expr(static_cast<int64_t>(op.alu)), Expr(0),
                                   narrow ? source.zero : Expr(0), Expr(tile)},
                      .partial = true,
                      .updates = "acc",
                      .scopes = {{"src", VectorScopes(src_type)}, {"dst", {ir::Scope::kAcc}}}};
  if (narrow) source.Limit(intrin);
  return intrin;
}

// acc = the sum, maximum or minimum of acc and src; the first step replaces acc.
TensorIntrin Reduction(const AluOperation& op, ir::ReduceOp reduce, int64_t tile) {
  const Tensor src = te::Placeholder("src", DType::kInt8, {tile});
  Int8Source source;
  source.shift = ir::Imm(DType::kInt32, 0);
  const te::Axis step = te::ReduceAxis("step", 1);
  TensorIntrin intrin{
      .name = fmt::format("tile.reduce_{}", op.name),
      .call = kTileAlu,
      .behaviour = te::Compute("dst", {tile}, {"i"},
                               [&](const std::vector<Expr>& i) {
                                 return ir::Reduce(reduce, Wide(src(i)) - source.zero, {step});
                               }),
      .trailing = {Expr(static_cast<int64_t>(op.alu)), FirstStep(), source.zero, Expr(tile)},
      .partial = true,
      .scopes = {{"src", {ir::Scope::kInp}}, {"dst", {ir::Scope::kAcc}}}};
  source.Limit(intrin);
  return intrin;
}

// acc = acc op number.
TensorIntrin WithNumber(const AluOperation& op, int64_t tile) {
  const Tensor acc = te::Placeholder("acc", DType::kInt32, {tile});
  const Expr number = Number("number");
  TensorIntrin intrin{.name = fmt::format("tile.alu_{}.imm", op.name),
                      .call = kTileAluImm,
                      .behaviour = te::Compute("dst", {tile}, {"i"},
                                               [&](const std::vector<Expr>& i) {
                                                 return ir::Bin(op.bin, acc(i), number);
                                               }),
                      .trailing = {number, Expr(static_cast<int64_t>(op.alu)), Expr(tile)},
                      .partial = true,
                      .updates = "acc",
                      .scopes = {{"dst", {ir::Scope::kAcc}}}};
  if (op.shifts) {
    intrin.conditions.push_back(
        {ir::Le(ir::Imm(DType::kInt32, 0), number), "a negative number shifts to the left"});
  }
  return intrin;
}

std::vector<TensorIntrin> AluIntrinsics(const isa::Config& config) {
  const int64_t tile = config.batch * config.block_out;
  std::vector<TensorIntrin> all;
  for (const AluOperation& op : kOperations) {
    // No condition excludes negative elements of a tile.
    if (!op.shifts) {
      all.push_back(WithTile(op, tile, DType::kInt32));
      all.push_back(WithTile(op, tile, DType::kInt8));
    }
    all.push_back(WithNumber(op, tile));
    if (op.alu == isa::AluOp::kAdd) all.push_back(Reduction(op, ir::ReduceOp::kSum, tile));
    if (op.alu == isa::AluOp::kMax) all.push_back(Reduction(op, ir::ReduceOp::kMax, tile));
    if (op.alu == isa::AluOp::kMin) all.push_back(Reduction(op, ir::ReduceOp::kMin, tile));
  }
  for (TensorIntrin& intrin : all) {
    // One cycle for each operand in ACC, at least one.
    const bool both = !intrin.updates.empty() && intrin.scopes[0].tensor == "src" &&
                      intrin.scopes[0].scopes == VectorScopes(DType::kInt32);
    intrin.cycles = static_cast<double>(isa::StepCycles<isa::Alu>(config)) * (both ? 2 : 1);
  }
  return all;
}

constexpr int64_t kAluIterations =
    isa::GreatestOfAll("Alu.iter_out", "Alu.iter_in", "Alu.red_out", "Alu.red_in");
constexpr int64_t kAluStride =
    isa::GreatestOfAll("Alu.dst_out", "Alu.dst_in", "Alu.src_out", "Alu.src_in", "Alu.red_out_step",
                       "Alu.red_in_step");

Status EmitAlu(const TileEmission& e) {
  std::vector<LeafDim> parallel, reduced;
  int64_t steps = 1;
  for (size_t k = 0; k < e.solved.dims.size(); ++k) {
    const bool reduces = e.solved.dims[k].strides[0] == 0;
    (reduces ? reduced : parallel).push_back(e.solved.dims[k]);
    if (!reduces) continue;
    steps *= e.solved.dims[k].extent;
    // `init` must be set in the first step of the nest only.
    e.env[e.solved.vars[k].get()] = e.solved.dims[k].extent - 1;
    const int64_t later = Evaluate(e.leaf.call->args[3], e.env);
    e.env[e.solved.vars[k].get()] = 0;
    if (later != 0) return Fail(Code::kUnsupported, "a reduction that starts anew inside");
  }
  Fold(parallel, false);
  Fold(reduced, false);
  if (reduced.size() > 2)
    return Fail(Code::kUnsupported, "a reduction over {} loops, ALU has 2", reduced.size());
  const auto [red_out, red_in] = TwoLoops(reduced);
  if (std::max(red_out.extent, red_in.extent) > kAluIterations ||
      std::max(red_out.strides[1], red_in.strides[1]) > kAluStride) {
    return Fail(Code::kUnsupported, "a reduction of {} steps", steps);
  }
  // values: op, init, src_zero, tile
  isa::Alu base;
  base.alu_op = e.solved.values[0], base.init = e.solved.values[1];
  base.src_mem = VectorMemoryOf(e.solved.operands[1]);
  base.src_zero =
      base.src_mem == static_cast<int64_t>(isa::VectorMemory::kAcc) ? 0 : e.solved.values[2];
  base.red_out = red_out.extent, base.red_in = red_in.extent;
  base.red_out_step = red_out.strides[1], base.red_in_step = red_in.strides[1];
  const LoopLimits limits{2, kAluIterations, {kAluStride, kAluStride}};
  return ForPieces(parallel, limits, 2,
                   [&](std::span<const int64_t> at, std::span<const LeafDim> loops) -> Status {
                     const auto [out, in] = TwoLoops(loops);
                     isa::Alu a = base;
                     a.dst_base = e.solved.operands[0].base + at[0];
                     a.src_base = e.solved.operands[1].base + at[1];
                     a.iter_out = out.extent, a.iter_in = in.extent;
                     a.dst_out = out.strides[0], a.dst_in = in.strides[0];
                     a.src_out = out.strides[1], a.src_in = in.strides[1];
                     e.sink.Emit(a);
                     return {};
                   });
}

Status EmitAluImm(const TileEmission& e) {
  std::vector<LeafDim> dims = e.solved.dims;
  Fold(dims, false);
  isa::Alu base;
  base.src_mem = static_cast<int64_t>(isa::VectorMemory::kImm);
  base.imm = e.solved.values[0], base.alu_op = e.solved.values[1];
  base.red_out = base.red_in = 1;
  const LoopLimits limits{2, kAluIterations, {kAluStride}};
  return ForPieces(dims, limits, 1,
                   [&](std::span<const int64_t> at, std::span<const LeafDim> loops) -> Status {
                     const auto [out, in] = TwoLoops(loops);
                     isa::Alu a = base;
                     a.dst_base = e.solved.operands[0].base + at[0];
                     a.iter_out = out.extent, a.iter_in = in.extent;
                     a.dst_out = out.strides[0], a.dst_in = in.strides[0];
                     e.sink.Emit(a);
                     return {};
                   });
}

}  // namespace

TileInstruction AluTiles() {
  return {{{.meaning = {kTileAlu, {kU, kR, kV, kV, kV, kV}, TileAlu},
            .emit = EmitAlu,
            .sum_loops = 2,
            .sums = true},
           {{kTileAluImm, {kU, kV, kV, kV}, TileAluImm}, EmitAluImm}},
          AluIntrinsics};
}

}  // namespace tessera::target
