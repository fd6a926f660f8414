// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/accel/emit/emit.h"

#include "base/check.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::codegen::accel {
namespace {

class BuilderSink : public target::InstructionSink {
 public:
  explicit BuilderSink(jit::ProgramBuilder& builder) : builder_(builder) {}
  void Emit(const isa::Insn& insn) override { builder_.Emit(insn); }
  Status EmitGemm(const isa::Gemm& gemm, std::span<const isa::Uop> uops) override {
    return builder_.EmitGemm(gemm, uops);
  }

 private:
  jit::ProgramBuilder& builder_;
};

}  // namespace

const BufferAddress& LeafEmitter::PlaceOf(const target::LeafOperand& operand) const {
  const auto place = places_.find(operand.buffer.get());
  TESSERA_CHECK(place != places_.end(), "buffer {} has no place", operand.buffer->name);
  return place->second;
}

Status LeafEmitter::Locate(SolvedLeaf& solved) const {
  for (size_t op = 0; op < solved.operands.size(); ++op) {
    target::LeafOperand& operand = solved.operands[op];
    const BufferAddress& place = PlaceOf(operand);
    // The unit is the elements of a tile or, in device memory, one byte. Records have |bytes|
    // there.
    const bool records = place.global && operand.buffer->dtype == DType::kInt32;
    const int64_t unit = records        ? target::RecordNumbers(config_)
                         : place.global ? 1
                                        : TileElements(config_, operand.buffer);
    const int64_t bytes = records ? config_.prm_tile_bytes() : 1;
    bool whole = operand.base % unit == 0;
    for (target::LeafDim& d : solved.dims) {
      whole &= d.strides[op] % unit == 0 && d.strides[op] >= 0;
      d.strides[op] = d.strides[op] / unit * bytes;
    }
    if (!whole)
      return Fail(Code::kUnsupported, "{}: an access that is not of whole tiles",
                  operand.buffer->name);
    operand.base = operand.base / unit * bytes + (place.folded ? 0 : place.base);
    operand.segment = place.segment;
  }
  return {};
}

Status LeafEmitter::Emit(const Leaf& leaf, SolvedLeaf solved, Env& env) {
  if (solved.empty) return {};
  TESSERA_TRY(Locate(solved));
  if (!solved.operands.empty() && PlaceOf(solved.operands[0]).folded)
    return EmitRows(leaf, solved, env);
  return EmitAt(-1, leaf, std::move(solved), env);
}

Status LeafEmitter::EmitAt(int64_t time, const Leaf& leaf, SolvedLeaf solved, Env& env) {
  for (size_t op = 0; op < solved.operands.size(); ++op) {
    if (PlaceOf(solved.operands[op]).folded)
      TESSERA_TRY(Fold(op == 0 ? time : -1, leaf, op, solved));
  }
  const std::string& name = leaf.call->name;
  const target::TileCall* call = target::FindTileCall(name);
  if (call == nullptr) return Fail(Code::kUnsupported, "no instruction does what {} does", name);
  if (leaf.condition && !call->pads) return Fail(Code::kUnsupported, "{} under a condition", name);
  BuilderSink sink(builder_);
  return call->emit({config_, leaf, solved, env, sink});
}

}  // namespace tessera::codegen::accel
