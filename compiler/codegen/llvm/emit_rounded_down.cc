// SPDX-License-Identifier: Apache-2.0
//
// ir::RequantClamp in float32 on processors that can round an instruction down: the lower of the
// two floats around the exact sum has the same floor as the sum.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <numeric>

#include "compiler/codegen/llvm/emitter.h"

namespace tessera::codegen {
namespace {

constexpr int kLanes = 16;
constexpr uint32_t kDown = 1 | 8;  // towards negative infinity, without exceptions

// Lanes |first| to |first| + 15 of |v|, 0 behind its |lanes|.
llvm::Value* Part(llvm::IRBuilder<>& b, llvm::Value* v, int first, int lanes) {
  if (lanes == kLanes) return v;
  std::vector<int> from;
  for (int i = first; i < first + kLanes; ++i) from.push_back(std::min(i, lanes));
  return b.CreateShuffleVector(v, llvm::Constant::getNullValue(v->getType()), from);
}

}  // namespace

llvm::Value* FuncEmitter::RequantClamp(const ir::Expr& call, llvm::Value* mask) {
  const int lanes = call.lanes();
  if (!units_.directed || lanes == 1) return Value(ir::InIntegers(call), mask);
  const auto argument = [&](size_t i) { return Lanes(Value(call->args[i], mask), lanes); };
  llvm::Value *a = argument(ir::RequantClampAt::kA), *high = argument(ir::RequantClampAt::kHigh);
  llvm::Value *low = argument(ir::RequantClampAt::kLow),
              *start = argument(ir::RequantClampAt::kStart);
  llvm::Value* x = b_.CreateSIToFP(a, high->getType());
  llvm::Value* inner = b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, low, start});
  std::vector<llvm::Value*> floors;
  for (int first = 0; first < lanes; first += kLanes) {
    const auto part = [&](llvm::Value* v) { return Part(b_, v, first, lanes); };
    llvm::Value* sum = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vfmadd_ps_512, {},
                                          {part(x), part(high), part(inner), b_.getInt32(kDown)});
    llvm::Type* whole = llvm::FixedVectorType::get(b_.getInt32Ty(), kLanes);
    floors.push_back(b_.CreateIntrinsic(
        llvm::Intrinsic::x86_avx512_mask_cvtps2dq_512, {},
        {sum, llvm::UndefValue::get(whole), b_.getInt16(0xffff), b_.getInt32(kDown)}));
  }
  llvm::Value* result = llvm::concatenateVectors(b_, floors);
  if (lanes % kLanes != 0) {
    std::vector<int> own(static_cast<size_t>(lanes));
    std::iota(own.begin(), own.end(), 0);
    result = b_.CreateShuffleVector(result, own);
  }
  result =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, result, argument(ir::RequantClampAt::kLo));
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, result, argument(ir::RequantClampAt::kHi));
}

}  // namespace tessera::codegen
