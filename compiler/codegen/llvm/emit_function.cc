// SPDX-License-Identifier: Apache-2.0
//
// Functions of float32 (compiler/ir/functions.h) as LLVM instructions, on scalars and on vectors.
#include <llvm/IR/Intrinsics.h>

#include "base/check.h"
#include "compiler/codegen/llvm/emitter.h"
#include "compiler/ir/functions.h"

namespace tessera::codegen {
namespace {

using ir::real::RealOp;

// Values with as many lanes as |shape|.
class LlvmReals {
 public:
  LlvmReals(llvm::IRBuilder<>& builder, llvm::Value* shape) : b_(builder), shape_(shape) {}

  llvm::Value* Literal(float x) {
    return llvm::ConstantFP::get(Like(0.0f), static_cast<double>(x));
  }
  llvm::Value* Literal(int32_t i) {
    return llvm::ConstantInt::get(Like(0), static_cast<uint64_t>(i), true);
  }
  llvm::Value* Literal(bool truth) { return llvm::ConstantInt::get(Like(true), truth ? 1 : 0); }

  template <typename T>
  llvm::Value* Emit(RealOp op, std::initializer_list<llvm::Value*> operands, T result) {
    llvm::Value *const a = operands.begin()[0], *const b = operands.end()[-1];
    switch (op) {
      case RealOp::kAdd:
        return b_.CreateFAdd(a, b);
      case RealOp::kSubtract:
        return b_.CreateFSub(a, b);
      case RealOp::kMultiply:
        return b_.CreateFMul(a, b);
      case RealOp::kDivide:
        return b_.CreateFDiv(a, b);
      case RealOp::kNegate:
        return b_.CreateFNeg(a);
      case RealOp::kAbsolute:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
      case RealOp::kRoundDown:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
      case RealOp::kRoundNearest:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, a);
      case RealOp::kRoot:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
      case RealOp::kLess:
        return b_.CreateFCmpOLT(a, b);
      case RealOp::kEqual:
        return b_.CreateFCmpOEQ(a, b);
      case RealOp::kBits:
      case RealOp::kOfBits:
        return b_.CreateBitCast(a, Like(result));
      case RealOp::kWhole:
        return b_.CreateFPToSI(a, Like(result));
      case RealOp::kOfWhole:
        return b_.CreateSIToFP(a, Like(result));
      case RealOp::kIntAdd:
        return b_.CreateAdd(a, b);
      case RealOp::kIntSubtract:
        return b_.CreateSub(a, b);
      case RealOp::kShiftLeft:
        return b_.CreateShl(a, b);
      case RealOp::kShiftRight:
        return b_.CreateAShr(a, b);
      case RealOp::kIntAnd:
      case RealOp::kAnd:
        return b_.CreateAnd(a, b);
      case RealOp::kIntOr:
      case RealOp::kOr:
        return b_.CreateOr(a, b);
      case RealOp::kIntEqual:
        return b_.CreateICmpEQ(a, b);
      case RealOp::kNot:
        return b_.CreateNot(a);
      case RealOp::kSelect:
        return b_.CreateSelect(a, operands.begin()[1], b);
    }
    TESSERA_CHECK(false);
  }

 private:
  llvm::Type* Like(float) { return Wide(b_.getFloatTy()); }
  llvm::Type* Like(int32_t) { return Wide(b_.getInt32Ty()); }
  llvm::Type* Like(bool) { return Wide(b_.getInt1Ty()); }
  llvm::Type* Wide(llvm::Type* element) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(shape_->getType());
    return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
  }

  llvm::IRBuilder<>& b_;
  llvm::Value* shape_;
};

}  // namespace

llvm::Value* FuncEmitter::Function(ir::ScalarIntrin id, const std::vector<llvm::Value*>& x) {
  LlvmReals reals(b_, x[0]);
  std::vector<ir::real::Emitted<LlvmReals, float>> operands;
  for (llvm::Value* v : x) operands.emplace_back(&reals, v);
  return ir::FunctionOf<ir::real::Emitted<LlvmReals, float>>(id, operands).In(&reals);
}

}  // namespace tessera::codegen
