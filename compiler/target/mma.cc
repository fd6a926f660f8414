// SPDX-License-Identifier: Apache-2.0
//
// Products of matrix fragments: mma.sync.m16n8k32 of int8 and m16n8k16 of f16, with sums of 32
// bits. codegen/llvm/emit_mma.cc emits them.
#include "compiler/ir/intrin.h"
#include "compiler/target/cuda.h"

namespace tessera::target {
namespace {

using ir::OperandKind;
using ir::Scope;
using ir::TileOperand;

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
          .scopes = {{"acc", {Scope::kAcc}}, {"a", {Scope::kShared}}, {"b", {Scope::kShared}}}};
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
          .scopes = {{"acc", {Scope::kAcc}}, {"out", {Scope::kShared}}}};
}

}  // namespace

std::vector<TensorIntrin> MmaIntrinsics() {
  return {Product(kMmaS8, DType::kInt8, DType::kInt32, 32),
          Product(kMmaF16, DType::kFloat16, DType::kFloat32, 16),
          StoreSums(kMmaStoreI32, DType::kInt32), StoreSums(kMmaStoreF32, DType::kFloat32)};
}

bool IsWarpCall(const std::string& call) {
  return call == kMmaS8 || call == kMmaF16 || call == kMmaStoreI32 || call == kMmaStoreF32;
}

}  // namespace tessera::target
