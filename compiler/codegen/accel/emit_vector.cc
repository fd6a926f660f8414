// SPDX-License-Identifier: Apache-2.0
//
// VECTOR instructions: REQUANT, ADD, ALU.
#include <algorithm>

#include "base/check.h"
#include "compiler/codegen/accel/emit.h"

namespace tessera::codegen::accel {
namespace {

constexpr int64_t kIterations =
    isa::GreatestOfAll("Requant.iter_out", "Requant.iter_in", "Add.iter_out", "Add.iter_in",
                       "Alu.iter_out", "Alu.iter_in", "Alu.red_out", "Alu.red_in");
constexpr int64_t kStride = isa::GreatestOfAll(
    "Requant.dst_out", "Requant.dst_in", "Requant.src_out", "Requant.src_in", "Add.dst_out",
    "Add.dst_in", "Add.src_out", "Add.src_in", "Alu.dst_out", "Alu.dst_in", "Alu.src_out",
    "Alu.src_in", "Alu.red_out_step", "Alu.red_in_step");
constexpr int64_t kPrmStride = isa::GreatestOfAll("Requant.prm_out", "Requant.prm_in");

isa::VectorMemory VectorMemoryOf(const Operand& operand) {
  switch (operand.buffer->scope) {
    case ir::Scope::kAcc:
      return isa::VectorMemory::kAcc;
    case ir::Scope::kOut:
      return isa::VectorMemory::kOut;
    case ir::Scope::kInp:
      return isa::VectorMemory::kInp;
    default:
      TESSERA_CHECK(false, "{} is no operand of VECTOR", operand.buffer->name);
  }
}

// The two loops of an instruction, absent ones with one iteration: out, in.
std::array<LeafDim, 2> TwoLoops(std::span<const LeafDim> loops, size_t operands) {
  const LeafDim one{1, std::vector<int64_t>(operands, 0), 0, 1};
  if (loops.empty()) return {one, one};
  if (loops.size() == 1) return {one, loops[0]};
  return {loops[0], loops[1]};
}

}  // namespace

Status LeafEmitter::EmitRequant(const SolvedLeaf& solved, bool per_channel) {
  std::vector<LeafDim> dims = solved.dims;
  Fold(dims, false);
  const size_t operands = per_channel ? 3 : 2;
  const std::vector<int64_t>& v = solved.values;
  isa::Requant base;
  base.dst_mem = static_cast<int64_t>(VectorMemoryOf(solved.operands[0]));
  base.src_mem = static_cast<int64_t>(VectorMemoryOf(solved.operands[1]));
  base.per_tensor = per_channel ? 0 : 1;
  size_t k = 0;
  if (!per_channel) {
    base.multiplier = v[0], base.shift = v[1];
    k = 2;
  }
  base.round = v[k], base.src_zero = v[k + 1], base.src_shift = v[k + 2];
  base.out_zero = v[k + 3], base.lo = v[k + 4], base.hi = v[k + 5];
  if (base.src_mem == static_cast<int64_t>(isa::VectorMemory::kAcc))
    base.src_zero = base.src_shift = 0;
  LoopLimits limits{2, kIterations, {kStride, kStride}};
  if (per_channel) limits.strides.push_back(kPrmStride);
  return ForPieces(dims, limits, operands,
                   [&](std::span<const int64_t> at, std::span<const LeafDim> loops) -> Status {
                     const auto [out, in] = TwoLoops(loops, operands);
                     isa::Requant r = base;
                     r.dst_base = solved.operands[0].base + at[0];
                     r.src_base = solved.operands[1].base + at[1];
                     r.iter_out = out.extent, r.iter_in = in.extent;
                     r.dst_out = out.strides[0], r.dst_in = in.strides[0];
                     r.src_out = out.strides[1], r.src_in = in.strides[1];
                     if (per_channel) {
                       r.prm_base = solved.operands[2].base + at[2];
                       r.prm_out = out.strides[2], r.prm_in = in.strides[2];
                     }
                     builder_.Emit(r);
                     return {};
                   });
}

Status LeafEmitter::EmitAdd(const SolvedLeaf& solved) {
  // dst and the addend move together: loops in which they do not are unrolled.
  std::vector<LeafDim> all = solved.dims, dims, apart;
  Fold(all, false);
  for (const LeafDim& d : all) (d.strides[0] == d.strides[2] ? dims : apart).push_back(d);
  const std::vector<int64_t>& v = solved.values;
  isa::Add base;
  base.dst_mem = static_cast<int64_t>(VectorMemoryOf(solved.operands[0]));
  base.src_mem = static_cast<int64_t>(VectorMemoryOf(solved.operands[1]));
  base.multiplier = v[0], base.shift = v[1], base.round = v[2], base.src_zero = v[3],
  base.src_shift = v[4];
  base.out_zero = v[5], base.lo = v[6], base.hi = v[7];
  const LoopLimits limits{2, kIterations, {kStride, kStride, kStride}};
  return ForPieces(
      apart, {0, 1, {}}, 3, [&](std::span<const int64_t> from, std::span<const LeafDim>) -> Status {
        return ForPieces(
            dims, limits, 3,
            [&](std::span<const int64_t> at, std::span<const LeafDim> loops) -> Status {
              const auto [out, in] = TwoLoops(loops, 3);
              isa::Add a = base;
              a.dst_base = solved.operands[0].base + from[0] + at[0];
              a.src_base = solved.operands[1].base + from[1] + at[1];
              a.acc_base = solved.operands[2].base + from[2] + at[2];
              a.iter_out = out.extent, a.iter_in = in.extent;
              a.dst_out = out.strides[0], a.dst_in = in.strides[0];
              a.src_out = out.strides[1], a.src_in = in.strides[1];
              builder_.Emit(a);
              return {};
            });
      });
}

Status LeafEmitter::EmitAlu(const Leaf& leaf, const SolvedLeaf& solved, Env& env) {
  std::vector<LeafDim> parallel, reduced;
  int64_t steps = 1;
  for (size_t k = 0; k < solved.dims.size(); ++k) {
    const bool reduces = solved.dims[k].strides[0] == 0;
    (reduces ? reduced : parallel).push_back(solved.dims[k]);
    if (!reduces) continue;
    steps *= solved.dims[k].extent;
    // `init` is for the first step of the nest and for no other.
    env[solved.vars[k].get()] = solved.dims[k].extent - 1;
    const int64_t later = Evaluate(leaf.call->args[3], env);
    env[solved.vars[k].get()] = 0;
    if (later != 0) return Fail(Code::kUnsupported, "a reduction that starts anew inside");
  }
  Fold(parallel, false);
  Fold(reduced, false);
  if (reduced.size() > 2)
    return Fail(Code::kUnsupported, "a reduction over {} loops, ALU has 2", reduced.size());
  const auto [red_out, red_in] = TwoLoops(reduced, 2);
  if (std::max(red_out.extent, red_in.extent) > kIterations ||
      std::max(red_out.strides[1], red_in.strides[1]) > kStride) {
    return Fail(Code::kUnsupported, "a reduction of {} steps", steps);
  }
  // values: op, init, src_zero, tile
  isa::Alu base;
  base.alu_op = solved.values[0], base.init = solved.values[1];
  base.src_mem = static_cast<int64_t>(VectorMemoryOf(solved.operands[1]));
  base.src_zero =
      base.src_mem == static_cast<int64_t>(isa::VectorMemory::kAcc) ? 0 : solved.values[2];
  base.red_out = red_out.extent, base.red_in = red_in.extent;
  base.red_out_step = red_out.strides[1], base.red_in_step = red_in.strides[1];
  const LoopLimits limits{2, kIterations, {kStride, kStride}};
  return ForPieces(parallel, limits, 2,
                   [&](std::span<const int64_t> at, std::span<const LeafDim> loops) -> Status {
                     const auto [out, in] = TwoLoops(loops, 2);
                     isa::Alu a = base;
                     a.dst_base = solved.operands[0].base + at[0];
                     a.src_base = solved.operands[1].base + at[1];
                     a.iter_out = out.extent, a.iter_in = in.extent;
                     a.dst_out = out.strides[0], a.dst_in = in.strides[0];
                     a.src_out = out.strides[1], a.src_in = in.strides[1];
                     builder_.Emit(a);
                     return {};
                   });
}

Status LeafEmitter::EmitAluImm(const SolvedLeaf& solved) {
  std::vector<LeafDim> dims = solved.dims;
  Fold(dims, false);
  isa::Alu base;
  base.src_mem = static_cast<int64_t>(isa::VectorMemory::kImm);
  base.imm = solved.values[0], base.alu_op = solved.values[1];
  base.red_out = base.red_in = 1;
  const LoopLimits limits{2, kIterations, {kStride}};
  return ForPieces(dims, limits, 1,
                   [&](std::span<const int64_t> at, std::span<const LeafDim> loops) -> Status {
                     const auto [out, in] = TwoLoops(loops, 1);
                     isa::Alu a = base;
                     a.dst_base = solved.operands[0].base + at[0];
                     a.iter_out = out.extent, a.iter_in = in.extent;
                     a.dst_out = out.strides[0], a.dst_in = in.strides[0];
                     builder_.Emit(a);
                     return {};
                   });
}

}  // namespace tessera::codegen::accel
