// SPDX-License-Identifier: Apache-2.0
//
// Shared code of the tile intrinsics' files: access to tiles in the interpreter, and parts of
// behaviours. Private to compiler/target.
#ifndef TESSERA_COMPILER_TARGET_TILE_MATH_H_
#define TESSERA_COMPILER_TARGET_TILE_MATH_H_

#include <span>
#include <string>
#include <vector>

#include "compiler/target/tile_intrin.h"

namespace tessera::target {

using ir::Expr;
using ir::OperandKind;
using ir::TileOperand;
using te::Tensor;
using Operands = std::span<TileOperand>;

inline constexpr OperandKind kV = OperandKind::kValue, kR = OperandKind::kRead,
                             kW = OperandKind::kWrite, kU = OperandKind::kUpdate;

inline Status Check(const char* name, const TileOperand& operand, int64_t count) {
  if (operand.Holds(count)) return {};
  return Fail(Code::kOutOfRange, "{}: elements {} to {} of a buffer of {}", name, operand.offset,
              operand.offset + count - 1, operand.array->size());
}

inline int64_t At(const TileOperand& t, int64_t i) { return t.array->Int(t.offset + i); }
inline void Put(const TileOperand& t, int64_t i, int64_t value) {
  t.array->SetInt(t.offset + i, value);
}
inline int32_t Low(int64_t value) { return static_cast<int32_t>(static_cast<uint64_t>(value)); }

// The operand that VECTOR reads: int32 unchanged, int8 centred and shifted.
inline int32_t Operand(const TileOperand& t, int64_t i, int64_t zero, int64_t shift) {
  const int64_t value = At(t, i);
  return t.array->dtype() == DType::kInt32 ? Low(value) : Low((value - zero) << shift);
}

inline void Result(const TileOperand& t, int64_t i, int32_t y, int64_t zero, int64_t lo,
                   int64_t hi) {
  Put(t, i,
      t.array->dtype() == DType::kInt32 ? y : ir::ClampAddValue(y, Low(zero), Low(lo), Low(hi)));
}

// An operand that holds a table: a byte for each int8 value, the least one first.
inline constexpr int64_t kTableEntries = 256;
inline Expr EntryOf(const Expr& t) { return ir::Cast(DType::kInt64, t) + Expr(128); }
// Runs |plain| on the operands but the table, which is number |at|, and replaces its |count| int8
// results by those that the table has for them.
inline Status LookUp(const char* name, Operands a, size_t at, int64_t count,
                     Status (*plain)(Operands)) {
  std::vector<TileOperand> others(a.begin(), a.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
  TESSERA_TRY(plain(others));
  TESSERA_TRY(Check(name, a[at], kTableEntries));
  for (int64_t i = 0; i < count; ++i) Put(a[0], i, At(a[at], At(a[0], i) + 128));
  return {};
}
// |intrin|, whose result is int8, with |call|, which looks that result up in a table behind its
// other operands.
TensorIntrin WithTable(TensorIntrin intrin, std::string name, const char* call);

inline Expr Wide(const Expr& e) { return ir::Cast(DType::kInt32, e); }
inline Expr Number(const char* name) { return ir::Var(name, DType::kInt32); }

// An int8 source of VECTOR in a behaviour, and the limits of its parameters.
struct Int8Source {
  Expr zero = Number("src_zero"), shift = Number("src_shift");
  Expr Value(const Expr& x) const { return ir::Bin(ir::BinOp::kShl, Wide(x) - zero, shift); }
  void Limit(TensorIntrin& intrin) const;
};

// An int8 result of VECTOR in a behaviour: offset, clamped, narrowed.
struct Int8Result {
  Expr zero = Number("out_zero"), lo = Number("lo"), hi = Number("hi");
  Expr Value(const Expr& y) const { return ir::Cast(DType::kInt8, ir::ClampAdd(y, zero, lo, hi)); }
  void Limit(TensorIntrin& intrin) const;
};

// The memories in which VECTOR reads or writes tiles of |dtype|.
std::vector<ir::Scope> VectorScopes(DType dtype);

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_TILE_MATH_H_
