// SPDX-License-Identifier: Apache-2.0
//
// f16 conversion for machines without a unit for it: a call of the compiler's runtime library would
// not be resolved.
#include "compiler/codegen/llvm/emitter.h"

namespace tessera::codegen {

// The f16 bits |v| as f32.
llvm::Value* FuncEmitter::FromHalf(llvm::Value* v) {
  llvm::Type *narrow = Like(b_.getHalfTy(), v), *wide = Like(b_.getFloatTy(), v),
             *bits = Like(b_.getInt32Ty(), v);
  if (units_.half) return b_.CreateFPExt(b_.CreateBitCast(v, narrow), wide);
  const auto number = [&](uint64_t n) { return llvm::ConstantInt::get(bits, n); };
  llvm::Value* all = b_.CreateZExt(v, bits);
  llvm::Value* sign = b_.CreateShl(b_.CreateAnd(all, number(0x8000)), number(16));
  llvm::Value* size = b_.CreateAnd(all, number(0x7fff));
  llvm::Value* fraction = b_.CreateShl(size, number(13));
  llvm::Value* usual = b_.CreateAdd(fraction, number(uint64_t{112} << 23));
  llvm::Value* tiny = b_.CreateBitCast(
      b_.CreateFMul(b_.CreateUIToFP(size, wide), llvm::ConstantFP::get(wide, 0x1p-24)), bits);
  llvm::Value* quiet = b_.CreateSelect(b_.CreateICmpUGT(size, number(0x7c00)), number(0x7fc00000),
                                       number(0x7f800000));
  llvm::Value* special = b_.CreateOr(fraction, quiet);
  llvm::Value* made = b_.CreateSelect(b_.CreateICmpULT(size, number(0x400)), tiny, usual);
  made = b_.CreateSelect(b_.CreateICmpUGE(size, number(0x7c00)), special, made);
  return b_.CreateBitCast(b_.CreateOr(made, sign), wide);
}

// f32 to the bits of an f16, rounded to nearest, ties to even.
llvm::Value* FuncEmitter::ToHalf(llvm::Value* v) {
  llvm::Type *narrow = Like(b_.getHalfTy(), v), *bits = Like(b_.getInt32Ty(), v),
             *result = Like(b_.getInt16Ty(), v);
  if (units_.half) return b_.CreateBitCast(b_.CreateFPTrunc(v, narrow), result);
  const auto number = [&](uint64_t n) { return llvm::ConstantInt::get(bits, n); };
  llvm::Value* all = b_.CreateBitCast(v, bits);
  llvm::Value* sign = b_.CreateAnd(b_.CreateLShr(all, number(16)), number(0x8000));
  llvm::Value* size = b_.CreateAnd(all, number(0x7fffffff));
  // Adding 1/2 rounds to steps of 2^-24, the spacing of floats from 1/2 on.
  llvm::Value* steps =
      b_.CreateFAdd(b_.CreateBitCast(size, v->getType()), llvm::ConstantFP::get(v->getType(), 0.5));
  llvm::Value* tiny = b_.CreateSub(b_.CreateBitCast(steps, bits), number(0x3f000000));
  llvm::Value* cut = b_.CreateLShr(size, number(13));
  llvm::Value* odd = b_.CreateAnd(cut, number(1));
  llvm::Value* usual = b_.CreateAdd(b_.CreateSub(size, number(uint64_t{112} << 23)),
                                    b_.CreateAdd(odd, number(0xfff)));
  usual = b_.CreateLShr(usual, number(13));
  llvm::Value* nan = b_.CreateOr(b_.CreateAnd(cut, number(0x3ff)), number(0x7e00));
  llvm::Value* made = b_.CreateSelect(b_.CreateICmpULT(size, number(0x38800000)), tiny, usual);
  made = b_.CreateSelect(b_.CreateICmpUGE(size, number(0x477ff000)), number(0x7c00), made);
  made = b_.CreateSelect(b_.CreateICmpUGT(size, number(0x7f800000)), nan, made);
  return b_.CreateTrunc(b_.CreateOr(made, sign), result);
}

}  // namespace tessera::codegen
