// SPDX-License-Identifier: Apache-2.0
//
// Products of matrix fragments: mma.sync.m16n8k32 of int8 and m16n8k16 of f16, with sums of 32
// bits. Both distribute elements to the threads of a warp alike, since rows of both have 32 bytes
// (PTX documentation, mma.m16n8k16 and m16n8k32).
#include "compiler/ir/intrin.h"
#include "compiler/target/cuda.h"

namespace tessera::target {
namespace {

using ir::OperandKind;
using ir::Scope;
using ir::TileOperand;

constexpr int64_t kRowBytes = 32;

Vreg Number64(ValueBuilder& b, int64_t n) { return b.Constant({64}, static_cast<uint64_t>(n)); }

// The byte offset of a thread's word, row t / 4 and word t % 4, plus |more|.
Vreg LaneByte(ValueBuilder& b, int64_t row_bytes, int64_t word_bytes, int64_t more) {
  const Vreg thread = b.Thread();
  const Vreg row = b.Op(ValueOp::kShrUnsigned, thread, Number64(b, 2));
  const Vreg word = b.Op(ValueOp::kAnd, thread, Number64(b, 3));
  const Vreg lane = b.Op(ValueOp::kAdd, b.Op(ValueOp::kMul, row, Number64(b, row_bytes)),
                         b.Op(ValueOp::kMul, word, Number64(b, word_bytes)));
  return b.Op(ValueOp::kAdd, lane, Number64(b, more));
}

// The instruction expects words t % 4 and t % 4 + 4 of a row, of both operands. It gets words 2 (t
// % 4) and 2 (t % 4) + 1 of both: the same products in another order. They take one load of 8
// bytes, and half a warp reads 128 bytes in a row: each bank of shared memory once.
template <bool kFloats>
void EmitProduct(ValueBuilder& b) {
  const auto words = [&](size_t operand, int64_t row) {
    return b.Load(operand, {32, 2}, LaneByte(b, kRowBytes, 8, row * kRowBytes), 8);
  };
  const Vreg upper = words(1, 0), lower = words(1, 8), columns = words(2, 0);
  std::vector<Vreg> args;
  for (const auto& [from, lane] :
       {std::pair{upper, 0}, std::pair{lower, 0}, std::pair{upper, 1}, std::pair{lower, 1},
        std::pair{columns, 0}, std::pair{columns, 1}}) {
    const Vreg word = b.Lane(from, lane);
    args.push_back(kFloats ? b.BitCast(word, {16, 2, true}) : word);
  }
  constexpr ValueType kSums{32, 4, kFloats};
  const Vreg before = b.Load(0, kSums, nullptr, 16);
  const Vreg from = b.Choose(b.Number(3), b.Constant(kSums, 0), before);
  for (int i = 0; i < 4; ++i) args.push_back(b.Lane(from, i));
  const Vreg made = b.Call(
      kFloats ? "llvm.nvvm.mma.m16n8k16.row.col.f32.f32" : "llvm.nvvm.mma.m16n8k32.row.col.s8", {},
      args);
  b.Store(0, b.Join({b.Field(made, 0), b.Field(made, 1), b.Field(made, 2), b.Field(made, 3)}),
          nullptr, 16);
}

// Synchronises before and after: the warp's threads may read old values before, and new ones after.
template <bool kFloats>
void EmitStore(ValueBuilder& b) {
  constexpr int64_t kBytes = kMmaColumns * 4;
  const auto meet = [&] {
    b.Call("llvm.nvvm.bar.warp.sync", {}, {b.Constant({32}, ~uint32_t{0})});
  };
  meet();
  for (const int64_t half : {0, 1}) {
    const Vreg sums = b.Load(1, {32, 2, kFloats}, Number64(b, 8 * half), 8);
    b.Store(0, sums, LaneByte(b, kBytes, 8, half * 8 * kBytes), 8);
  }
  meet();
}

TensorIntrin Product(const char* name, DType narrow, DType wide, int64_t depth) {
  const te::Tensor a = te::Placeholder("a", narrow, {kMmaRows, depth}),
                   b = te::Placeholder("b", narrow, {kMmaColumns, depth});
  const te::Axis k = te::ReduceAxis("k", depth);
  const te::Tensor acc =
      te::Compute("acc", {kMmaRows, kMmaColumns}, {"m", "n"}, [&](const std::vector<ir::Expr>& i) {
        return te::Sum(ir::Cast(wide, a(i[0], k.var)) * ir::Cast(wide, b(i[1], k.var)), {k});
      });
  ir::RegisterTileIntrin(
      {name,
       {OperandKind::kUpdate, OperandKind::kRead, OperandKind::kRead, OperandKind::kValue},
       [name, depth, wide](std::span<TileOperand> o) -> Status {
         if (!o[0].Holds(kMmaRows * kMmaColumns) || !o[1].Holds(kMmaRows * depth) ||
             !o[2].Holds(kMmaColumns * depth))
           return Fail(Code::kOutOfRange, "{}: an operand leaves its buffer", name);
         for (int64_t place = 0; place < kMmaRows * kMmaColumns; ++place) {
           const int64_t at = o[0].offset + place, row = o[1].offset + place / kMmaColumns * depth,
                         column = o[2].offset + place % kMmaColumns * depth;
           if (wide == DType::kInt32) {
             int64_t sum = o[3].value != 0 ? 0 : o[0].array->Int(at);
             for (int64_t i = 0; i < depth; ++i)
               sum += o[1].array->Int(row + i) * o[2].array->Int(column + i);
             o[0].array->SetInt(at, sum);
             continue;
           }
           float sum = o[3].value != 0 ? 0 : o[0].array->Float(at);
           for (int64_t i = 0; i < depth; ++i)
             sum += o[1].array->Float(row + i) * o[2].array->Float(column + i);
           o[0].array->SetFloat(at, sum);
         }
         return {};
       }});
  return {.name = name,
          .call = name,
          .behaviour = acc,
          .trailing = {FirstStep()},
          .scopes = {{"acc", {Scope::kAcc}}, {"a", {Scope::kShared}}, {"b", {Scope::kShared}}},
          .warp = true,
          // sm_80: a quarter of a processor computes 512 int8 products per cycle, or 256 of f16.
          .cycles = 8,
          .emit = IsFloat(wide) ? EmitProduct<true> : EmitProduct<false>};
}

TensorIntrin StoreSums(const char* name, DType dtype) {
  constexpr int64_t kCount = kMmaRows * kMmaColumns;
  const te::Tensor acc = te::Placeholder("acc", dtype, {kMmaRows, kMmaColumns});
  const te::Tensor out = te::Compute("out", {kMmaRows, kMmaColumns}, {"m", "n"},
                                     [&](const std::vector<ir::Expr>& i) { return acc(i); });
  ir::RegisterTileIntrin(
      {name,
       {OperandKind::kWrite, OperandKind::kRead},
       [name, dtype](std::span<TileOperand> o) -> Status {
         if (!o[0].Holds(kCount) || !o[1].Holds(kCount))
           return Fail(Code::kOutOfRange, "{}: an operand leaves its buffer", name);
         for (int64_t i = 0; i < kCount; ++i) {
           if (dtype == DType::kInt32)
             o[0].array->SetInt(o[0].offset + i, o[1].array->Int(o[1].offset + i));
           else
             o[0].array->SetFloat(o[0].offset + i, o[1].array->Float(o[1].offset + i));
         }
         return {};
       }});
  return {.name = name,
          .call = name,
          .behaviour = out,
          .scopes = {{"acc", {Scope::kAcc}}, {"out", {Scope::kShared}}},
          .warp = true,
          .emit = IsFloat(dtype) ? EmitStore<true> : EmitStore<false>};
}

}  // namespace

std::vector<TensorIntrin> MmaIntrinsics() {
  return {Product(kMmaS8, DType::kInt8, DType::kInt32, 32),
          Product(kMmaF16, DType::kFloat16, DType::kFloat32, 16),
          StoreSums(kMmaStoreI32, DType::kInt32), StoreSums(kMmaStoreF32, DType::kFloat32)};
}

bool IsWarpCall(const std::string& call) {
  const TensorIntrin* const known = Cuda()->FindCall(call);
  return known != nullptr && known->warp;
}

}  // namespace tessera::target
