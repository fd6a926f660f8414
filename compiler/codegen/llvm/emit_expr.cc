// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "base/check.h"
#include "base/half.h"
#include "compiler/codegen/llvm/emitter.h"
#include "compiler/ir/visit.h"

namespace tessera::codegen {
namespace {

bool IsUnsigned(DType dtype) { return dtype == DType::kUint8 || dtype == DType::kBool; }

bool Reads(const ir::Expr& e) {
  return ir::Contains(e, [](const ir::Expr& x) { return x->kind == ir::ExprKind::kLoad; });
}

// Whether |e| clamps floats to the range of int32.
bool FitsInt32(const ir::Expr& e) {
  const auto info = e->kind == ir::ExprKind::kCall ? ir::FindScalarIntrin(e->name) : std::nullopt;
  if (!info || info->id != ir::ScalarIntrin::kClamp || e.dtype() != DType::kFloat32) return false;
  const auto fits = [](const ir::Expr& bound) {
    return bound->kind == ir::ExprKind::kImm && std::abs(bound->fvalue) < 0x1p31F;
  };
  return fits(e->args[1]) && fits(e->args[2]) && e->args[1]->fvalue <= e->args[2]->fvalue;
}

}  // namespace

llvm::Type* FuncEmitter::MemoryType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kUint8:
      return b_.getInt8Ty();
    case DType::kInt32:
      return b_.getInt32Ty();
    case DType::kInt64:
      return b_.getInt64Ty();
    case DType::kFloat32:
      return b_.getFloatTy();
    case DType::kFloat16:
    case DType::kInt16:
      return b_.getInt16Ty();
  }
  TESSERA_CHECK(false);
}

llvm::Type* FuncEmitter::TypeOf(ir::Type type) {
  llvm::Type* element = type.dtype == DType::kBool ? b_.getInt1Ty() : MemoryType(type.dtype);
  return type.lanes == 1 ? element
                         : llvm::FixedVectorType::get(element, static_cast<unsigned>(type.lanes));
}

llvm::Type* FuncEmitter::Like(llvm::Type* element, llvm::Value* shape) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(shape->getType());
  return vector ? llvm::FixedVectorType::get(element, vector->getNumElements()) : element;
}

llvm::Value* FuncEmitter::Lanes(llvm::Value* v, int lanes) {
  if (lanes == 1 || v->getType()->isVectorTy()) return v;
  return b_.CreateVectorSplat(static_cast<unsigned>(lanes), v);
}

llvm::Value* FuncEmitter::Value(const ir::Expr& e, llvm::Value* mask) {
  switch (e->kind) {
    case ir::ExprKind::kImm: {
      llvm::Type* type = TypeOf(e.type());
      if (e.dtype() == DType::kFloat16) return llvm::ConstantInt::get(type, FloatToHalf(e->fvalue));
      if (ir::IsFloat(e.dtype()))
        return llvm::ConstantFP::get(type, static_cast<double>(e->fvalue));
      return llvm::ConstantInt::get(type, static_cast<uint64_t>(e->ivalue), true);
    }
    case ir::ExprKind::kVar:
      return vars_.at(e.get());
    case ir::ExprKind::kBin:
      return Binary(e, mask);
    case ir::ExprKind::kUn:
      return Unary(e, mask);
    case ir::ExprKind::kSelect:
      return SelectValue(e, mask);
    case ir::ExprKind::kLoad:
      return LoadFrom(e, mask);
    case ir::ExprKind::kVec:
      return Vector(e, mask);
    case ir::ExprKind::kCall:
      return Call(e, mask);
    case ir::ExprKind::kReduce:
    case ir::ExprKind::kTensorRead:
      break;
  }
  TESSERA_CHECK(false, "a tensor expression reached code generation");
}

llvm::Value* FuncEmitter::Binary(const ir::Expr& e, llvm::Value* mask) {
  const int lanes = e.lanes();
  llvm::Value* a = Lanes(Value(e->args[0], mask), lanes);
  llvm::Value* b = Lanes(Value(e->args[1], mask), lanes);
  const DType dtype = e->args[0].dtype();
  return ir::IsFloat(dtype) ? FloatBinary(e->bin(), a, b) : IntBinary(e->bin(), dtype, a, b);
}

llvm::Value* FuncEmitter::FloatBinary(ir::BinOp op, llvm::Value* a, llvm::Value* b) {
  switch (op) {
    case ir::BinOp::kAdd:
      return b_.CreateFAdd(a, b);
    case ir::BinOp::kSub:
      return b_.CreateFSub(a, b);
    case ir::BinOp::kMul:
      return b_.CreateFMul(a, b);
    case ir::BinOp::kDiv:
      return b_.CreateFDiv(a, b);
    case ir::BinOp::kMin:
      return b_.CreateSelect(b_.CreateFCmpOLT(a, b), a, b);
    case ir::BinOp::kMax:
      return b_.CreateSelect(b_.CreateFCmpOGT(a, b), a, b);
    case ir::BinOp::kEq:
      return b_.CreateFCmpOEQ(a, b);
    case ir::BinOp::kNe:
      return b_.CreateFCmpUNE(a, b);
    case ir::BinOp::kLt:
      return b_.CreateFCmpOLT(a, b);
    case ir::BinOp::kLe:
      return b_.CreateFCmpOLE(a, b);
    default:
      TESSERA_CHECK(false, "'{}' of f32", ir::BinOpName(op));
  }
}

// Quotient or remainder, rounded towards minus infinity.
llvm::Value* FuncEmitter::FloorDivide(llvm::Value* a, llvm::Value* b, bool want_mod) {
  llvm::Value* zero = llvm::Constant::getNullValue(a->getType());
  llvm::Value* rest = b_.CreateSRem(a, b);
  llvm::Value* wrong =
      b_.CreateAnd(b_.CreateICmpNE(rest, zero), b_.CreateICmpSLT(b_.CreateXor(rest, b), zero));
  if (want_mod) return b_.CreateSelect(wrong, b_.CreateAdd(rest, b), rest);
  llvm::Value* quotient = b_.CreateSDiv(a, b);
  return b_.CreateSelect(wrong, b_.CreateSub(quotient, llvm::ConstantInt::get(a->getType(), 1)),
                         quotient);
}

llvm::Value* FuncEmitter::IntBinary(ir::BinOp op, DType dtype, llvm::Value* a, llvm::Value* b) {
  const bool is_unsigned = IsUnsigned(dtype);
  // Shift amounts outside the type's width give zero, or the sign.
  const auto amount_fits = [&] {
    return b_.CreateICmpULT(
        b, llvm::ConstantInt::get(b->getType(), b->getType()->getScalarSizeInBits()));
  };
  switch (op) {
    case ir::BinOp::kAdd:
      return b_.CreateAdd(a, b);
    case ir::BinOp::kSub:
      return b_.CreateSub(a, b);
    case ir::BinOp::kMul:
      return b_.CreateMul(a, b);
    case ir::BinOp::kDiv:
      return is_unsigned ? b_.CreateUDiv(a, b) : FloorDivide(a, b, false);
    case ir::BinOp::kMod:
      return is_unsigned ? b_.CreateURem(a, b) : FloorDivide(a, b, true);
    case ir::BinOp::kMin:
      return b_.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umin : llvm::Intrinsic::smin,
                                      a, b);
    case ir::BinOp::kMax:
      return b_.CreateBinaryIntrinsic(is_unsigned ? llvm::Intrinsic::umax : llvm::Intrinsic::smax,
                                      a, b);
    case ir::BinOp::kAnd:
      return b_.CreateAnd(a, b);
    case ir::BinOp::kOr:
      return b_.CreateOr(a, b);
    case ir::BinOp::kXor:
      return b_.CreateXor(a, b);
    case ir::BinOp::kShl: {
      llvm::Value* zero = llvm::Constant::getNullValue(a->getType());
      llvm::Value* fits = amount_fits();
      return b_.CreateSelect(fits, b_.CreateShl(a, b_.CreateSelect(fits, b, zero)), zero);
    }
    case ir::BinOp::kShr: {
      llvm::Value* most =
          llvm::ConstantInt::get(b->getType(), b->getType()->getScalarSizeInBits() - 1);
      if (!is_unsigned) return b_.CreateAShr(a, b_.CreateSelect(amount_fits(), b, most));
      llvm::Value* zero = llvm::Constant::getNullValue(a->getType());
      llvm::Value* fits = amount_fits();
      return b_.CreateSelect(fits, b_.CreateLShr(a, b_.CreateSelect(fits, b, zero)), zero);
    }
    case ir::BinOp::kEq:
      return b_.CreateICmpEQ(a, b);
    case ir::BinOp::kNe:
      return b_.CreateICmpNE(a, b);
    case ir::BinOp::kLt:
      return is_unsigned ? b_.CreateICmpULT(a, b) : b_.CreateICmpSLT(a, b);
    case ir::BinOp::kLe:
      return is_unsigned ? b_.CreateICmpULE(a, b) : b_.CreateICmpSLE(a, b);
  }
  TESSERA_CHECK(false);
}

llvm::Value* FuncEmitter::CastTo(DType from, DType to, llvm::Value* v) {
  if (from == to) return v;
  if (from == DType::kFloat16) return CastTo(DType::kFloat32, to, FromHalf(v));
  if (to == DType::kFloat16) return ToHalf(CastTo(from, DType::kFloat32, v));
  const auto like = [&](DType dtype) {
    return Like(dtype == DType::kBool ? b_.getInt1Ty() : MemoryType(dtype), v);
  };
  llvm::Type* target = like(to);
  if (ir::IsFloat(from)) {
    if (to == DType::kBool) return b_.CreateFCmpUNE(v, llvm::Constant::getNullValue(v->getType()));
    return Truncate(v, target, to == DType::kUint8);
  }
  if (ir::IsFloat(to))
    return IsUnsigned(from) ? b_.CreateUIToFP(v, target) : b_.CreateSIToFP(v, target);
  if (to == DType::kBool) return b_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
  return IsUnsigned(from) ? b_.CreateZExtOrTrunc(v, target) : b_.CreateSExtOrTrunc(v, target);
}

// LLVM splits a saturating vector conversion into lanes. For int32 and narrower types, convert the
// values in range and select the others.
llvm::Value* FuncEmitter::Truncate(llvm::Value* v, llvm::Type* target, bool is_unsigned) {
  const unsigned bits = target->getScalarSizeInBits();
  if (!v->getType()->isVectorTy() || bits > 32) {
    const auto id = is_unsigned ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
    return b_.CreateIntrinsic(id, {target, v->getType()}, {v});
  }
  const auto real = [&](double x) { return llvm::ConstantFP::get(v->getType(), x); };
  const double top = std::ldexp(1.0, static_cast<int>(is_unsigned ? bits : bits - 1));
  const double bottom = is_unsigned ? 0 : -top;
  llvm::Type* wide = Like(b_.getInt32Ty(), v);
  const auto whole = [&](double x) {
    return llvm::ConstantInt::get(wide, static_cast<uint64_t>(static_cast<int64_t>(x)), true);
  };
  llvm::Value *low = b_.CreateFCmpOLT(v, real(bottom)), *high = b_.CreateFCmpOGE(v, real(top));
  llvm::Value* in = b_.CreateAnd(b_.CreateFCmpOGE(v, real(bottom)), b_.CreateFCmpOLT(v, real(top)));
  llvm::Value* result = b_.CreateFPToSI(b_.CreateSelect(in, v, real(0)), wide);  // a NaN gives 0
  result = b_.CreateSelect(low, whole(bottom), result);
  result = b_.CreateSelect(high, whole(top - 1), result);
  return b_.CreateTrunc(result, target);
}

llvm::Value* FuncEmitter::Unary(const ir::Expr& e, llvm::Value* mask) {
  if (const ir::Expr* clamp = ClampBelow(e)) return Value(*clamp, mask);
  llvm::Value* a = Value(e->args[0], mask);
  switch (e->un()) {
    case ir::UnOp::kCast:
      // A clamp never gives a NaN, so its result needs no saturation.
      if (e.dtype() == DType::kInt32 && FitsInt32(e->args[0]))
        return b_.CreateFPToSI(a, Like(b_.getInt32Ty(), a));
      return CastTo(e->args[0].dtype(), e.dtype(), a);
    case ir::UnOp::kNeg:
      return ir::IsFloat(e.dtype()) ? b_.CreateFNeg(a) : b_.CreateNeg(a);
    case ir::UnOp::kNot:
      return b_.CreateNot(a);
  }
  TESSERA_CHECK(false);
}

// A branch that is not taken may index outside a buffer: it must not be read.
llvm::Value* FuncEmitter::SelectValue(const ir::Expr& e, llvm::Value* mask) {
  const int lanes = e.lanes();
  llvm::Value* condition = Value(e->args[0], mask);
  if (!Reads(e->args[1]) && !Reads(e->args[2])) {
    return b_.CreateSelect(condition, Lanes(Value(e->args[1], mask), lanes),
                           Lanes(Value(e->args[2], mask), lanes));
  }
  if (condition->getType()->isVectorTy()) {
    const auto both = [&](llvm::Value* m) {
      return mask ? b_.CreateAnd(Lanes(mask, lanes), m) : m;
    };
    llvm::Value* yes = Lanes(Value(e->args[1], both(condition)), lanes);
    llvm::Value* no = Lanes(Value(e->args[2], both(b_.CreateNot(condition))), lanes);
    return b_.CreateSelect(condition, yes, no);
  }
  llvm::BasicBlock* then_block = llvm::BasicBlock::Create(context_, "taken", function_);
  llvm::BasicBlock* else_block = llvm::BasicBlock::Create(context_, "other", function_);
  llvm::BasicBlock* join = llvm::BasicBlock::Create(context_, "join", function_);
  b_.CreateCondBr(condition, then_block, else_block);
  const auto branch = [&](llvm::BasicBlock*& block, const ir::Expr& value) {
    b_.SetInsertPoint(block);
    llvm::Value* v = Lanes(Value(value, mask), lanes);
    b_.CreateBr(join);
    block = b_.GetInsertBlock();
    return v;
  };
  llvm::Value* yes = branch(then_block, e->args[1]);
  llvm::Value* no = branch(else_block, e->args[2]);
  b_.SetInsertPoint(join);
  llvm::PHINode* result = b_.CreatePHI(yes->getType(), 2);
  result->addIncoming(yes, then_block);
  result->addIncoming(no, else_block);
  return result;
}

llvm::Value* FuncEmitter::Vector(const ir::Expr& e, llvm::Value* mask) {
  const int lanes = e.lanes();
  llvm::Value* base = Lanes(Value(e->args[0], mask), lanes);
  if (e->vec() == ir::VecOp::kBroadcast) return base;
  std::vector<llvm::Constant*> steps;
  llvm::Type* element = base->getType()->getScalarType();
  for (int i = 0; i < lanes; ++i)
    steps.push_back(llvm::ConstantInt::get(element, static_cast<uint64_t>(i)));
  llvm::Value* stride = Lanes(Value(e->args[1], mask), lanes);
  return b_.CreateAdd(base, b_.CreateMul(stride, llvm::ConstantVector::get(steps)));
}

llvm::Value* FuncEmitter::Call(const ir::Expr& e, llvm::Value* mask) {
  const auto info = ir::FindScalarIntrin(e->name);
  if (!info) {
    unsupported_ = "a call of " + e->name;
    return llvm::Constant::getNullValue(TypeOf(e.type()));
  }
  if (info->id == ir::ScalarIntrin::kRequant) return Requant(e, 0, mask);
  if (info->id == ir::ScalarIntrin::kRequantClamp) return RequantClamp(e, mask);
  const int lanes = e.lanes();
  std::vector<llvm::Value*> args;
  int64_t offset = 0;
  const bool taken = info->id == ir::ScalarIntrin::kClampAdd && ir::IsImm(e->args[1], &offset) &&
                     TakesZero(e->args[0], offset);
  for (const ir::Expr& a : e->args)
    args.push_back(Lanes(taken && args.empty() ? Requant(a, offset, mask) : Value(a, mask), lanes));
  const bool is_float = ir::IsFloat(e.dtype());
  if (info->function) return Function(info->id, args);
  switch (info->id) {
    case ir::ScalarIntrin::kClampAdd: {
      // The saturated sum clamps to the same bound as the exact one. Constant bounds are applied
      // before the addition, which then stays in int32.
      const auto clamp = [&](llvm::Value* v, llvm::Value* lo, llvm::Value* hi) {
        v = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, lo);
        return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, hi);
      };
      if (taken) return clamp(args[0], args[2], args[3]);
      int64_t zero = 0, lo = 0, hi = 0;
      const auto fits = [](int64_t v) { return v == static_cast<int32_t>(v); };
      if (ir::IsImm(e->args[1], &zero) && ir::IsImm(e->args[2], &lo) &&
          ir::IsImm(e->args[3], &hi) && fits(lo - zero) && fits(hi - zero)) {
        return b_.CreateAdd(
            clamp(args[0], b_.CreateSub(args[2], args[1]), b_.CreateSub(args[3], args[1])),
            args[1]);
      }
      llvm::Value* sum = b_.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, args[0], args[1]);
      return clamp(sum, args[2], args[3]);
    }
    case ir::ScalarIntrin::kClamp:
      if (is_float)
        return FloatBinary(ir::BinOp::kMin, FloatBinary(ir::BinOp::kMax, args[0], args[1]),
                           args[2]);
      return IntBinary(ir::BinOp::kMin, e.dtype(),
                       IntBinary(ir::BinOp::kMax, e.dtype(), args[0], args[1]), args[2]);
    case ir::ScalarIntrin::kAbs:
      if (is_float) return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, args[0]);
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, args[0], b_.getFalse());
    case ir::ScalarIntrin::kRoundEven:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, args[0]);
    case ir::ScalarIntrin::kFloor:
      return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, args[0]);
    case ir::ScalarIntrin::kFma:  // without the instruction |fma| would be a call of a library
      return b_.CreateIntrinsic(FusesProducts() ? llvm::Intrinsic::fma : llvm::Intrinsic::fmuladd,
                                {args[0]->getType()}, args);
    default:
      break;
  }
  TESSERA_CHECK(false);
}

}  // namespace tessera::codegen
