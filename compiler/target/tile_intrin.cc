// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/tile_intrin.h"

#include <algorithm>
#include <mutex>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/scalar_math.h"
#include "isa/memories.h"

namespace tessera::target {
namespace {

using ir::OperandKind;
using ir::TileOperand;
using Operands = std::span<TileOperand>;

constexpr OperandKind kV = OperandKind::kValue, kR = OperandKind::kRead, kW = OperandKind::kWrite,
                      kU = OperandKind::kUpdate;

Status Check(const char* name, const TileOperand& operand, int64_t count) {
  if (operand.Holds(count)) return {};
  return Fail(Code::kOutOfRange, "{}: elements {} to {} of a buffer of {}", name, operand.offset,
              operand.offset + count - 1, operand.array->size());
}

int64_t At(const TileOperand& t, int64_t i) { return t.array->Int(t.offset + i); }
void Put(const TileOperand& t, int64_t i, int64_t value) { t.array->SetInt(t.offset + i, value); }
int32_t Low(int64_t value) { return static_cast<int32_t>(static_cast<uint64_t>(value)); }

// What VECTOR reads: int32 as it is, int8 centred and shifted.
int32_t Operand(const TileOperand& t, int64_t i, int64_t zero, int64_t shift) {
  const int64_t value = At(t, i);
  return t.array->dtype() == DType::kInt32 ? Low(value) : Low((value - zero) << shift);
}

void Result(const TileOperand& t, int64_t i, int32_t y, int64_t zero, int64_t lo, int64_t hi) {
  Put(t, i,
      t.array->dtype() == DType::kInt32 ? y : ir::ClampAddValue(y, Low(zero), Low(lo), Low(hi)));
}

Status TileLoad(Operands a) {
  const int64_t bytes = a[2].value, tile = a[3].value;
  TESSERA_TRY(Check(kTileLoad, a[0], tile));
  TESSERA_TRY(Check(kTileLoad, a[1], bytes));
  for (int64_t i = 0; i < tile; ++i) Put(a[0], i, i < bytes ? At(a[1], i) : a[4].value);
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

Status TileGemm(Operands a) {
  const int64_t batch = a[4].value, block = a[5].value;
  TESSERA_TRY(Check(kTileGemm, a[0], batch * block));
  TESSERA_TRY(Check(kTileGemm, a[1], batch * block));
  TESSERA_TRY(Check(kTileGemm, a[2], block * block));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t o = 0; o < block; ++o) {
      int64_t sum = a[3].value != 0 ? 0 : At(a[0], b * block + o);
      for (int64_t i = 0; i < block; ++i) sum += At(a[1], b * block + i) * At(a[2], o * block + i);
      Put(a[0], b * block + o, Low(sum));
    }
  }
  return {};
}

Status TileWindow(Operands a) {
  const int64_t kh = a[4].value, kw = a[5].value, win_y = a[6].value, win_x = a[7].value;
  const int64_t batch = a[8].value, block = a[9].value;
  TESSERA_TRY(Check(kTileWindow, a[0], batch * block));
  TESSERA_TRY(Check(kTileWindow, a[1], (kh - 1) * win_y + (kw - 1) * win_x + batch * block));
  TESSERA_TRY(Check(kTileWindow, a[2], CeilDiv(kh * kw, block) * block * block));
  for (int64_t lane = 0; lane < batch * block; ++lane) {
    int64_t sum = a[3].value != 0 ? 0 : At(a[0], lane);
    for (int64_t y = 0; y < kh; ++y) {
      for (int64_t x = 0; x < kw; ++x) {
        const int64_t tap = y * kw + x;
        const int64_t row = tap / block * block + lane % block;
        sum += At(a[1], y * win_y + x * win_x + lane) * At(a[2], row * block + tap % block);
      }
    }
    Put(a[0], lane, Low(sum));
  }
  return {};
}

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

// The little-endian signed number of channel |c| of |block| in a record.
int32_t RecordNumber(const TileOperand& record, const isa::RecordField& field, int64_t block,
                     int64_t c) {
  const int64_t at = isa::RecordOffset(field) * block + field.bytes * c;
  uint64_t value = 0;
  for (int64_t i = 0; i < field.bytes; ++i)
    value |= static_cast<uint64_t>(At(record, at + i) & 0xff) << (8 * i);
  return static_cast<int32_t>(SignExtend(value, 8 * field.bytes));
}

Status TileRequantPrm(Operands a) {
  const int64_t batch = a[9].value, block = a[10].value;
  TESSERA_TRY(Check(kTileRequantPrm, a[0], batch * block));
  TESSERA_TRY(Check(kTileRequantPrm, a[1], batch * block));
  TESSERA_TRY(Check(kTileRequantPrm, a[2], isa::RecordBytes(isa::Memory::kPrm) * block));
  for (int64_t i = 0; i < batch * block; ++i) {
    const int64_t c = i % block;
    const auto number = [&](const isa::RecordField& field) {
      return RecordNumber(a[2], field, block, c);
    };
    const int32_t bias = number(isa::RecordFieldOf(isa::Memory::kPrm, "bias"));
    const int32_t multiplier = number(isa::RecordFieldOf(isa::Memory::kPrm, "multiplier"));
    const int32_t shift = number(isa::RecordFieldOf(isa::Memory::kPrm, "shift"));
    const int32_t sum = Low(int64_t{Operand(a[1], i, a[4].value, a[5].value)} + bias);
    Result(a[0], i, ir::RequantValue(sum, multiplier, shift, static_cast<isa::Round>(a[3].value)),
           a[6].value, a[7].value, a[8].value);
  }
  return {};
}

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

}  // namespace

void RegisterTileIntrinsics() {
  static std::once_flag once;
  std::call_once(once, [] {
    ir::RegisterTileIntrin({kTileLoad, {kW, kR, kV, kV, kV}, TileLoad});
    ir::RegisterTileIntrin({kTileFill, {kW, kV, kV}, TileFill});
    ir::RegisterTileIntrin({kTileStore, {kW, kR, kV}, TileStore});
    ir::RegisterTileIntrin({kTileGemm, {kU, kR, kR, kV, kV, kV}, TileGemm});
    ir::RegisterTileIntrin({kTileWindow, {kU, kR, kR, kV, kV, kV, kV, kV, kV, kV}, TileWindow});
    ir::RegisterTileIntrin(
        {kTileRequant, {kW, kR, kV, kV, kV, kV, kV, kV, kV, kV, kV}, TileRequant});
    ir::RegisterTileIntrin(
        {kTileRequantPrm, {kW, kR, kR, kV, kV, kV, kV, kV, kV, kV, kV}, TileRequantPrm});
    ir::RegisterTileIntrin({kTileAdd, {kW, kR, kR, kV, kV, kV, kV, kV, kV, kV, kV, kV}, TileAdd});
    ir::RegisterTileIntrin({kTileAlu, {kU, kR, kV, kV, kV, kV}, TileAlu});
    ir::RegisterTileIntrin({kTileAluImm, {kU, kV, kV, kV}, TileAluImm});
  });
}

}  // namespace tessera::target
