// SPDX-License-Identifier: Apache-2.0
//
// Requantisation, ir/scalar_math.h RequantValue: in 64-bit integers; in 32-bit integers for
// TFLite's two roundings; on processors with fused products in float32 for few values, and in
// float64 for ties to even.
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/codegen/llvm/emitter.h"
#include "compiler/ir/affine.h"

namespace tessera::codegen {

namespace {

// An upper bound of |shift|, from the constants in it.
int64_t MostOf(const ir::Expr& shift) {
  int64_t value = 0;
  if (ir::IsImm(shift, &value)) return value;
  if (shift->kind == ir::ExprKind::kVec && shift->vec() == ir::VecOp::kBroadcast)
    return MostOf(shift->args[0]);
  if (shift->kind == ir::ExprKind::kBin && shift->bin() == ir::BinOp::kMin)
    return std::min(MostOf(shift->args[0]), MostOf(shift->args[1]));
  return std::numeric_limits<int32_t>::max();
}

}  // namespace

const ir::Expr* ClampBelow(const ir::Expr& wide) {
  if (wide->un() != ir::UnOp::kCast || ir::IsFloat(wide.dtype())) return nullptr;
  const ir::Expr& narrow = wide->args[0];
  if (narrow->kind != ir::ExprKind::kUn || narrow->un() != ir::UnOp::kCast) return nullptr;
  const ir::Expr& clamp = narrow->args[0];
  const auto info =
      clamp->kind == ir::ExprKind::kCall ? ir::FindScalarIntrin(clamp->name) : std::nullopt;
  if (!info || wide.dtype() != DType::kInt32) return nullptr;
  const bool scales = info->id == ir::ScalarIntrin::kRequantClamp;
  if (!scales && info->id != ir::ScalarIntrin::kClampAdd) return nullptr;
  const size_t bounds = scales ? size_t{ir::RequantClampAt::kLo} : 2;
  int64_t lo = 0, hi = 0;
  if (!ir::IsImm(clamp->args[bounds], &lo) || !ir::IsImm(clamp->args[bounds + 1], &hi))
    return nullptr;
  const bool fits = (narrow.dtype() == DType::kInt8 && lo >= -128 && hi <= 127) ||
                    (narrow.dtype() == DType::kUint8 && lo >= 0 && hi <= 255);
  return fits && lo <= hi ? &clamp : nullptr;
}

// An even number that is added before the rounding does not change ties. The result of a right
// shift leaves room for it in 32 bits.
bool FuncEmitter::TakesZero(const ir::Expr& call, int64_t zero) const {
  const auto info =
      call->kind == ir::ExprKind::kCall ? ir::FindScalarIntrin(call->name) : std::nullopt;
  return info && info->id == ir::ScalarIntrin::kRequant && units_.fma &&
         static_cast<isa::Round>(call->args[3]->ivalue) == isa::Round::kEven && zero % 2 == 0 &&
         std::abs(zero) < 1 << 20 && MostOf(call->args[2]) < 0;
}

llvm::Value* FuncEmitter::Requant(const ir::Expr& call, int64_t number, llvm::Value* mask) {
  if (units_.fma) {
    if (const std::optional<FewValues> few = few_values_.Of(call)) {
      llvm::Type* real = TypeOf({DType::kFloat32, call.lanes()});
      const auto number_of = [&](float v) {
        return llvm::ConstantFP::get(real, static_cast<double>(v));
      };
      llvm::Value* sum = number_of(few->terms.size() == 1 ? kBeside : few->start);
      for (size_t i = few->terms.size(); i-- > 0;) {
        llvm::Value* units = Lanes(Value(few->terms[i].units, mask), call.lanes());
        sum = b_.CreateIntrinsic(
            llvm::Intrinsic::fma, {real},
            {b_.CreateSIToFP(units, real), number_of(few->terms[i].factor), sum});
      }
      if (few->terms.size() > 1) sum = b_.CreateFAdd(sum, number_of(kBeside));
      llvm::Type* whole = TypeOf(call.type());
      const int64_t beside = std::bit_cast<int32_t>(kBeside) - number;
      return b_.CreateSub(b_.CreateBitCast(sum, whole),
                          llvm::ConstantInt::get(whole, static_cast<uint64_t>(beside)));
    }
  }
  const auto argument = [&](size_t i) { return Lanes(Value(call->args[i], mask), call.lanes()); };
  llvm::Value *a = argument(0), *multiplier = argument(1), *shift = argument(2);
  const auto rounding = static_cast<isa::Round>(call->args[3]->ivalue);
  llvm::Type* wide = Like(b_.getInt64Ty(), a);
  const auto constant = [&](int64_t v) {
    return llvm::ConstantInt::get(wide, static_cast<uint64_t>(v), true);
  };
  llvm::Value* zero = llvm::Constant::getNullValue(shift->getType());
  llvm::Value *scaled = a, *right = b_.CreateNeg(shift);
  if (MostOf(call->args[2]) > 0) {
    scaled = b_.CreateShl(a, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, shift, zero));
    right = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, right, zero);
  }
  if (rounding == isa::Round::kEven && units_.fma)
    return RequantEven(scaled, multiplier, right, number);
  if (rounding == isa::Round::kTflite) {
    // The first step's result has 32 bits, and the second adds at most 2^31 to its magnitude. A
    // shift by 32 becomes shifts by 31 and by 1.
    llvm::Type* narrow = a->getType();
    llvm::Value* one = llvm::ConstantInt::get(narrow, 1);
    llvm::Value* first = HighHalf(scaled, multiplier);
    llvm::Value* some = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, right, one);
    llvm::Value* rest = b_.CreateSub(right, some);
    llvm::Value* size = b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, first, b_.getFalse());
    llvm::Value* rounded =
        b_.CreateLShr(b_.CreateLShr(b_.CreateAdd(size, b_.CreateShl(some, rest)), rest), some);
    return b_.CreateSelect(b_.CreateICmpSLT(first, zero), b_.CreateNeg(rounded), rounded);
  }
  llvm::Value* product = b_.CreateMul(b_.CreateSExt(scaled, wide), b_.CreateSExt(multiplier, wide));
  right = b_.CreateSExt(right, wide);
  // A half minus one carries into the quotient exactly if the rest exceeds a half; adding one more
  // makes a half carry, too.
  llvm::Value* bits = b_.CreateAdd(right, constant(31));
  llvm::Value* half = b_.CreateShl(constant(1), b_.CreateAdd(right, constant(30)));
  llvm::Value* up = constant(1);
  if (rounding == isa::Round::kEven) up = b_.CreateAnd(b_.CreateAShr(product, bits), constant(1));
  llvm::Value* result =
      b_.CreateAShr(b_.CreateAdd(b_.CreateAdd(product, b_.CreateSub(half, constant(1))), up), bits);
  return b_.CreateTrunc(result, Like(b_.getInt32Ty(), a));
}

// (a * b + 2^30) >> 31 in the low 32 bits. On x86, even and odd lanes are multiplied in place, and
// a blend joins the results.
llvm::Value* FuncEmitter::HighHalf(llvm::Value* a, llvm::Value* b) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  const int lanes = vector ? static_cast<int>(vector->getNumElements()) : 1;
  const bool pairs = units_.pair_bits > 0 && lanes % 2 == 0;
  llvm::Type* wide = pairs
                         ? llvm::FixedVectorType::get(b_.getInt64Ty(), vector->getNumElements() / 2)
                         : Like(b_.getInt64Ty(), a);
  const auto number = [&](uint64_t v) { return llvm::ConstantInt::get(wide, v); };
  const auto product = [&](llvm::Value* x, llvm::Value* y) {
    return b_.CreateAdd(b_.CreateMul(x, y), number(uint64_t{1} << 30));
  };
  if (!pairs) {
    llvm::Value* sum = product(b_.CreateSExt(a, wide), b_.CreateSExt(b, wide));
    return b_.CreateTrunc(b_.CreateAShr(sum, number(31)), a->getType());
  }
  llvm::Value *x = b_.CreateBitCast(a, wide), *y = b_.CreateBitCast(b, wide);
  const auto low = [&](llvm::Value* v) {
    return b_.CreateAShr(b_.CreateShl(v, number(32)), number(32));
  };
  const auto high = [&](llvm::Value* v) { return b_.CreateAShr(v, number(32)); };
  llvm::Value* even = b_.CreateLShr(product(low(x), low(y)), number(31));
  llvm::Value* odd = b_.CreateShl(product(high(x), high(y)), number(1));
  std::vector<int> back;
  for (int i = 0; i < lanes; ++i) back.push_back(i % 2 == 0 ? i : lanes + i);
  return b_.CreateShuffleVector(b_.CreateBitCast(even, a->getType()),
                                b_.CreateBitCast(odd, a->getType()), back);
}

// The sum of the exact product and 1.5 * 2^52, where neighbours are 1 apart, rounds once to the
// nearest integer, ties to even; the result is in the low bits.
llvm::Value* FuncEmitter::RequantEven(llvm::Value* a, llvm::Value* multiplier, llvm::Value* right,
                                      int64_t zero) {
  constexpr uint64_t kExponent = 52, kBias = 1023;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  const int lanes = vector ? static_cast<int>(vector->getNumElements()) : 1;
  llvm::Type *wide = Like(b_.getInt64Ty(), a), *exact = Like(b_.getDoubleTy(), a);
  const auto constant = [](llvm::Type* type, uint64_t v) {
    return llvm::ConstantInt::get(type, v);
  };
  // 2^-(31 + right)
  llvm::Value* power =
      b_.CreateShl(b_.CreateSub(constant(wide, kBias - 31), b_.CreateZExt(right, wide)), kExponent);
  llvm::Value* factor =
      b_.CreateFMul(b_.CreateSIToFP(multiplier, exact), b_.CreateBitCast(power, exact));
  const double one_apart = 0x1.8p52 + static_cast<double>(zero);
  const auto rounded = [&](llvm::Value* x, llvm::Value* by) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                              {x, by, llvm::ConstantFP::get(x->getType(), one_apart)});
  };
  if (lanes % 4 != 0) {
    llvm::Value* sum = rounded(b_.CreateSIToFP(a, exact), factor);
    return b_.CreateTrunc(b_.CreateBitCast(sum, wide), a->getType());
  }
  // The low bits of the double 2^52 + 2^31 + a are those of a with the sign flipped. Shuffles
  // inside 16 bytes build such numbers from pairs of every four neighbours, and join the results: a
  // processor executes more shuffles than conversions. If a is a sum, flip its addend, which many
  // sums share.
  llvm::Value *low = nullptr, *sum = nullptr, *same = nullptr;
  llvm::Value* sign = constant(a->getType(), 1u << 31);
  if (llvm::PatternMatch::match(a, llvm::PatternMatch::m_Add(llvm::PatternMatch::m_Value(sum),
                                                             llvm::PatternMatch::m_Value(same)))) {
    low = b_.CreateAdd(sum, b_.CreateXor(same, sign));
  } else {
    low = b_.CreateXor(a, sign);
  }
  llvm::Value* high = constant(a->getType(), (kBias + kExponent) << (kExponent - 32));
  std::vector<int> back;
  llvm::Value* halves[2];
  for (const int half : {0, 1}) {
    std::vector<int> from, of;
    for (int four = 0; four < lanes; four += 4) {
      for (const int i : {four + 2 * half, four + 2 * half + 1}) {
        of.push_back(i);
        from.push_back(i);
        from.push_back(lanes + i);
      }
    }
    llvm::Value* by = b_.CreateShuffleVector(factor, of);
    llvm::Value* x = b_.CreateBitCast(b_.CreateShuffleVector(low, high, from), by->getType());
    x = b_.CreateFSub(x, llvm::ConstantFP::get(x->getType(), 0x1p52 + 0x1p31));
    halves[half] = b_.CreateBitCast(rounded(x, by), a->getType());
  }
  for (int four = 0; four < lanes; four += 4)
    back.insert(back.end(), {four, four + 2, lanes + four, lanes + four + 2});
  return b_.CreateShuffleVector(halves[0], halves[1], back);
}

}  // namespace tessera::codegen
