// SPDX-License-Identifier: Apache-2.0
//
// Matrix fragments: which thread of a warp has what is the same for both products, since rows of
// both have 32 bytes (the description of PTX, mma.m16n8k16 and m16n8k32).
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/codegen/llvm/emit_kernel.h"
#include "compiler/ir/affine.h"
#include "compiler/ir/layout.h"
#include "compiler/target/cuda.h"

namespace tessera::codegen {
namespace {

constexpr int64_t kRowBytes = 32;

// Whatever its variables are?
bool IsMultipleOf(const ir::Expr& e, int64_t k) {
  const ir::Linear form = ir::ToLinear(e, {});
  if (form.constant % k != 0) return false;
  for (const ir::Linear::Term& t : form.terms) {
    if (t.coeff % k != 0) return false;
  }
  return true;
}

}  // namespace

llvm::Value* KernelEmitter::TileByte(const ir::Expr& place, llvm::Value* offset, int64_t align) {
  const ir::Expr first = ir::OffsetOf(*place->buffer, place->args);
  if (!IsMultipleOf(first * SizeOf(place->buffer->dtype), align) && unsupported_.empty()) {
    unsupported_ = fmt::format("a tile of {} that does not begin at a multiple of {} bytes",
                               place->buffer->name, align);
  }
  return b_.CreateInBoundsGEP(b_.getInt8Ty(), AddressOf(place->buffer, first), offset);
}

llvm::Value* KernelEmitter::SumsOf(const ir::Expr& place) {
  llvm::Value* first = Value(ir::OffsetOf(*place->buffer, place->args));
  first = b_.CreateExactSDiv(first, b_.getInt64(target::kWarpThreads));
  return b_.CreateInBoundsGEP(MemoryType(place->buffer->dtype),
                              places_.at(place->buffer.get()).base, first);
}

llvm::Value* KernelEmitter::LaneByte(int64_t row_bytes, int64_t word_bytes) {
  llvm::Value* thread = vars_.at(kernel_.thread_ids[0].get());
  llvm::Value* row = b_.CreateLShr(thread, 2);
  llvm::Value* word = b_.CreateAnd(thread, 3);
  return b_.CreateAdd(b_.CreateMul(row, b_.getInt64(static_cast<uint64_t>(row_bytes))),
                      b_.CreateMul(word, b_.getInt64(static_cast<uint64_t>(word_bytes))));
}

void KernelEmitter::Mma(const ir::Expr& call, bool floats) {
  llvm::Type* word = b_.getInt32Ty();
  llvm::Type* pair = llvm::FixedVectorType::get(b_.getHalfTy(), 2);
  std::vector<llvm::Value*> args;
  const auto load = [&](const ir::Expr& place, int64_t byte) {
    llvm::Value* at =
        b_.CreateAdd(LaneByte(kRowBytes, 4), b_.getInt64(static_cast<uint64_t>(byte)));
    llvm::LoadInst* loaded = b_.CreateAlignedLoad(word, TileByte(place, at, 4), llvm::Align(4));
    Tag(loaded, place->buffer.get());
    args.push_back(floats ? b_.CreateBitCast(loaded, pair) : loaded);
  };
  for (const int64_t byte :
       {int64_t{0}, 8 * kRowBytes, kRowBytes / 2, 8 * kRowBytes + kRowBytes / 2})
    load(call->args[1], byte);
  for (const int64_t byte : {int64_t{0}, kRowBytes / 2}) load(call->args[2], byte);

  const ir::Expr& acc = call->args[0];
  llvm::Type* element = MemoryType(acc->buffer->dtype);
  auto* sums = llvm::FixedVectorType::get(element, 4);
  llvm::Value* place = SumsOf(acc);
  llvm::LoadInst* before = b_.CreateAlignedLoad(sums, place, llvm::Align(16));
  Tag(before, acc->buffer.get());
  llvm::Value* first = Value(call->args[3]);
  llvm::Value* from =
      b_.CreateSelect(b_.CreateICmpNE(first, llvm::Constant::getNullValue(first->getType())),
                      llvm::Constant::getNullValue(sums), before);
  for (uint64_t i = 0; i < 4; ++i) args.push_back(b_.CreateExtractElement(from, i));
  llvm::Value* made = b_.CreateIntrinsic(floats ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32
                                                : llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_s8,
                                         {}, args);
  llvm::Value* after = llvm::PoisonValue::get(sums);
  for (unsigned i = 0; i < 4; ++i)
    after = b_.CreateInsertElement(after, b_.CreateExtractValue(made, i), uint64_t{i});
  Tag(b_.CreateAlignedStore(after, place, llvm::Align(16)), acc->buffer.get());
}

// Other threads of the warp may still read what was there, and read this next.
void KernelEmitter::StoreSums(const ir::Expr& call) {
  const ir::Expr &out = call->args[0], &acc = call->args[1];
  llvm::Type* element = MemoryType(acc->buffer->dtype);
  constexpr int64_t kBytes = target::kMmaColumns * 4;
  const auto meet = [&] {
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {b_.getInt32(~0u)});
  };
  meet();
  auto* pair = llvm::FixedVectorType::get(element, 2);
  for (const int64_t half : {0, 1}) {
    llvm::Value* sums =
        b_.CreateConstInBoundsGEP1_64(element, SumsOf(acc), static_cast<uint64_t>(2 * half));
    llvm::LoadInst* loaded = b_.CreateAlignedLoad(pair, sums, llvm::Align(8));
    Tag(loaded, acc->buffer.get());
    llvm::Value* at =
        b_.CreateAdd(LaneByte(kBytes, 8), b_.getInt64(static_cast<uint64_t>(half * 8 * kBytes)));
    Tag(b_.CreateAlignedStore(loaded, TileByte(out, at, 8), llvm::Align(8)), out->buffer.get());
  }
  meet();
}

}  // namespace tessera::codegen
