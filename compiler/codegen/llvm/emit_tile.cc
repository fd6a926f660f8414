// SPDX-License-Identifier: Apache-2.0
//
// Tile intrinsics: builds LLVM values from an intrinsic's emission (target/value_builder.h).
#include <array>

#include "base/check.h"
#include "compiler/codegen/llvm/emitter.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/layout.h"

namespace tessera::codegen {

using target::ValueType;
using target::Vreg;

namespace {

// Whether |e| is a multiple of |k| for all values of its variables.
bool IsMultipleOf(const ir::Expr& e, int64_t k) {
  const ir::Linear form = ir::ToLinear(e, {});
  return form.constant % k == 0 && std::ranges::all_of(form.terms, [&](const ir::Linear::Term& t) {
           return t.coeff % k == 0;
         });
}

llvm::Value* In(Vreg v) { return reinterpret_cast<llvm::Value*>(v); }
Vreg Out(llvm::Value* v) { return reinterpret_cast<Vreg>(v); }

}  // namespace

class LlvmValues : public target::ValueBuilder {
 public:
  LlvmValues(FuncEmitter& emitter, const ir::Expr& call)
      : e_(emitter), b_(emitter.b_), call_(call) {}

  const CpuUnits& units() const override { return e_.units_; }

  Vreg Load(size_t operand, ValueType type, Vreg byte, int64_t align) override {
    const ir::Expr& place = call_->args[operand];
    align = AlignOf(place, align);
    llvm::LoadInst* loaded =
        b_.CreateAlignedLoad(TypeOf(type), e_.TileByte(place, In(byte), align), Align(align));
    e_.Tag(loaded, place->buffer.get());
    return Out(loaded);
  }
  void Store(size_t operand, Vreg value, Vreg byte, int64_t align) override {
    const ir::Expr& place = call_->args[operand];
    align = AlignOf(place, align);
    e_.Tag(b_.CreateAlignedStore(In(value), e_.TileByte(place, In(byte), align), Align(align)),
           place->buffer.get());
  }
  Vreg Address(size_t operand) override {
    return Out(e_.TileByte(call_->args[operand], nullptr, AlignOf(call_->args[operand], 0)));
  }
  Vreg Number(size_t operand) override { return Out(e_.Value(call_->args[operand])); }
  Vreg Thread() override { return Out(e_.Thread()); }

  Vreg Constant(ValueType type, uint64_t value) override {
    if (!type.floats) return Out(llvm::ConstantInt::get(TypeOf(type), value));
    return Out(llvm::ConstantFP::get(TypeOf(type), static_cast<double>(value)));
  }
  Vreg Op(target::ValueOp op, Vreg a, Vreg b) override {
    using llvm::Instruction;
    constexpr std::array kOps{Instruction::Add, Instruction::Mul, Instruction::And,
                              Instruction::Xor, Instruction::Shl, Instruction::AShr,
                              Instruction::LShr};
    return Out(b_.CreateBinOp(kOps[static_cast<size_t>(op)], In(a), In(b)));
  }
  Vreg SignExtend(Vreg a, ValueType to) override { return Out(b_.CreateSExt(In(a), TypeOf(to))); }
  Vreg BitCast(Vreg a, ValueType to) override { return Out(b_.CreateBitCast(In(a), TypeOf(to))); }
  Vreg Choose(Vreg number, Vreg if_not_zero, Vreg if_zero) override {
    llvm::Value* n = In(number);
    llvm::Value* is = b_.CreateICmpNE(n, llvm::Constant::getNullValue(n->getType()));
    return Out(b_.CreateSelect(is, In(if_not_zero), In(if_zero)));
  }

  Vreg Splat(Vreg a, int lanes) override {
    return Out(b_.CreateVectorSplat(static_cast<unsigned>(lanes), In(a)));
  }
  Vreg Shuffle(Vreg a, Vreg b, const std::vector<int>& lanes) override {
    return Out(a == b ? b_.CreateShuffleVector(In(a), lanes)
                      : b_.CreateShuffleVector(In(a), In(b), lanes));
  }
  Vreg Lane(Vreg vector, int lane) override {
    return Out(b_.CreateExtractElement(In(vector), static_cast<uint64_t>(lane)));
  }
  Vreg Join(const std::vector<Vreg>& lanes) override {
    llvm::Value* all = llvm::PoisonValue::get(
        llvm::FixedVectorType::get(In(lanes[0])->getType(), static_cast<unsigned>(lanes.size())));
    for (size_t i = 0; i < lanes.size(); ++i)
      all = b_.CreateInsertElement(all, In(lanes[i]), uint64_t{i});
    return Out(all);
  }
  Vreg Field(Vreg results, int field) override {
    return Out(b_.CreateExtractValue(In(results), static_cast<unsigned>(field)));
  }

  Vreg Call(const char* name, const std::vector<ValueType>& types,
            const std::vector<Vreg>& args) override {
    const llvm::Intrinsic::ID id = llvm::Function::lookupIntrinsicID(name);
    TESSERA_CHECK(id != llvm::Intrinsic::not_intrinsic, "LLVM has no {}", name);
    std::vector<llvm::Type*> open;
    for (const ValueType& type : types) open.push_back(TypeOf(type));
    std::vector<llvm::Value*> values;
    for (const Vreg arg : args) values.push_back(In(arg));
    return Out(b_.CreateIntrinsic(id, open, values));
  }

 private:
  static llvm::Align Align(int64_t bytes) { return llvm::Align(static_cast<uint64_t>(bytes)); }
  static int64_t AlignOf(const ir::Expr& place, int64_t wanted) {
    return wanted > 0 ? wanted : static_cast<int64_t>(SizeOf(place->buffer->dtype));
  }
  llvm::Type* TypeOf(ValueType type) {
    llvm::Type* one = !type.floats      ? b_.getIntNTy(static_cast<unsigned>(type.bits))
                      : type.bits == 16 ? b_.getHalfTy()
                                        : b_.getFloatTy();
    return type.lanes == 1 ? one
                           : llvm::FixedVectorType::get(one, static_cast<unsigned>(type.lanes));
  }

  FuncEmitter& e_;
  llvm::IRBuilder<>& b_;
  const ir::Expr& call_;
};

void FuncEmitter::EmitCall(const target::Target& target, const ir::Expr& call) {
  const target::TensorIntrin* intrin = target.FindCall(call->name);
  const bool has = intrin && intrin->emit && (!intrin->unit || units_.*intrin->unit);
  if (!has) {
    unsupported_ = "a call of " + call->name;
    return;
  }
  LlvmValues values(*this, call);
  intrin->emit(values);
}

void FuncEmitter::EmitTile(const ir::Expr& call) {
  ++tiles_;
  EmitCall(*target::Host(), call);
}

llvm::Value* FuncEmitter::TileByte(const ir::Expr& place, llvm::Value* byte, int64_t align) {
  const ir::Expr first = ir::OffsetOf(*place->buffer, place->args);
  if (!IsMultipleOf(first * ir::Expr(static_cast<int64_t>(SizeOf(place->buffer->dtype))), align) &&
      unsupported_.empty()) {
    unsupported_ = fmt::format("a tile of {} that does not begin at a multiple of {} bytes",
                               place->buffer->name, align);
  }
  llvm::Value* address = AddressOf(place->buffer, first);
  return byte == nullptr ? address : b_.CreateInBoundsGEP(b_.getInt8Ty(), address, byte);
}

llvm::Value* FuncEmitter::Thread() { return b_.getInt64(0); }

}  // namespace tessera::codegen
