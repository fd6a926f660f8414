// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores: a vector whose lanes are adjacent becomes one access, and vectors whose lanes
// take turns in memory one store; any other is a gather or scatter.
#include <llvm/Analysis/VectorUtils.h>

#include "base/check.h"
#include "compiler/codegen/llvm/emitter.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"

namespace tessera::codegen {
namespace {

// Whether the scalar |e| is a multiple of |k| for all values of its variables.
bool IsMultiple(const ir::Expr& e, int64_t k) {
  int64_t value = 0;
  if (ir::IsImm(e, &value)) return value % k == 0;
  if (e->kind != ir::ExprKind::kBin) return false;
  if (e->bin() == ir::BinOp::kMul) return IsMultiple(e->args[0], k) || IsMultiple(e->args[1], k);
  if (e->bin() == ir::BinOp::kAdd || e->bin() == ir::BinOp::kSub)
    return IsMultiple(e->args[0], k) && IsMultiple(e->args[1], k);
  return false;
}

}  // namespace

std::optional<FuncEmitter::Strided> FuncEmitter::AsStrided(const ir::Expr& e, int lanes) {
  if (e.lanes() == 1) return Strided{e, 0};
  if (e->kind == ir::ExprKind::kVec) {
    if (e->vec() == ir::VecOp::kBroadcast) return Strided{e->args[0], 0};
    int64_t stride = 0;
    if (!ir::IsImm(e->args[1], &stride)) return std::nullopt;
    return Strided{e->args[0], stride};
  }
  if (e->kind != ir::ExprKind::kBin) return std::nullopt;
  const auto a = AsStrided(e->args[0], lanes), b = AsStrided(e->args[1], lanes);
  if (!a || !b) return std::nullopt;
  int64_t k = 0;
  switch (e->bin()) {
    case ir::BinOp::kAdd:
      return Strided{a->base + b->base, a->stride + b->stride};
    case ir::BinOp::kSub:
      return Strided{a->base - b->base, a->stride - b->stride};
    case ir::BinOp::kMul:
      if (b->stride == 0 && ir::IsImm(b->base, &k))
        return Strided{a->base * b->base, a->stride * k};
      if (a->stride == 0 && ir::IsImm(a->base, &k))
        return Strided{a->base * b->base, b->stride * k};
      return std::nullopt;
    case ir::BinOp::kDiv:
    case ir::BinOp::kMod: {
      // The lanes lie inside one block of k: the quotient is constant, the remainder continues.
      const bool div = e->bin() == ir::BinOp::kDiv;
      if (b->stride != 0 || !ir::IsImm(b->base, &k)) return std::nullopt;
      if (a->stride == 0)
        return Strided{div ? ir::FloorDiv(a->base, b->base) : ir::FloorMod(a->base, b->base), 0};
      if (a->stride != 1 || k % lanes != 0 || !IsMultiple(a->base, lanes)) return std::nullopt;
      return div ? Strided{ir::FloorDiv(a->base, b->base), 0}
                 : Strided{ir::FloorMod(a->base, b->base), 1};
    }
    default:
      return std::nullopt;
  }
}

size_t FuncEmitter::TurnsFrom(const std::vector<ir::Stmt>& stores, size_t first) {
  const auto place = [](const ir::Stmt& s) -> std::optional<Strided> {
    if (s->kind != ir::StmtKind::kStore || s->value.lanes() == 1) return std::nullopt;
    return AsStrided(ir::OffsetOf(*s->buffer, s->indices), s->value.lanes());
  };
  const auto start = place(stores[first]);
  if (!start || start->stride < 2) return 1;
  const auto turns = static_cast<size_t>(start->stride);
  if (first + turns > stores.size()) return 1;
  const ir::BufferNode* const buffer = stores[first]->buffer.get();
  for (size_t k = 0; k < turns; ++k) {
    const ir::Stmt& s = stores[first + k];
    const auto at = place(s);
    if (!at || s->buffer.get() != buffer || s->value.lanes() != stores[first]->value.lanes() ||
        at->stride != start->stride ||
        !ir::IsImmEqual(ir::Simplify(at->base - start->base), static_cast<int64_t>(k)))
      return 1;
    // A value that reads the buffer may need what an earlier one of them stores.
    const bool reads = ir::Contains(s->value, [&](const ir::Expr& e) {
      return e->kind == ir::ExprKind::kLoad && e->buffer.get() == buffer;
    });
    if (reads) return 1;
  }
  return turns;
}

void FuncEmitter::EmitTurns(std::span<const ir::Stmt> stores) {
  const ir::Buffer& buffer = stores[0]->buffer;
  const int lanes = stores[0]->value.lanes(), turns = static_cast<int>(stores.size());
  // One behind the other, then in turns.
  std::vector<llvm::Value*> parts;
  for (const ir::Stmt& s : stores) {
    llvm::Value* value = Value(s->value);
    parts.push_back(
        buffer->dtype == DType::kBool ? b_.CreateZExt(value, Like(b_.getInt8Ty(), value)) : value);
  }
  llvm::Value* all = llvm::concatenateVectors(b_, parts);
  std::vector<int> order;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int k = 0; k < turns; ++k) order.push_back(k * lanes + lane);
  }
  const auto strided = AsStrided(ir::OffsetOf(*buffer, stores[0]->indices), lanes);
  const llvm::Align align(static_cast<uint64_t>(SizeOf(buffer->dtype)));
  Tag(b_.CreateAlignedStore(b_.CreateShuffleVector(all, order), AddressOf(buffer, strided->base),
                            align),
      buffer.get());
}

llvm::Value* FuncEmitter::AddressOf(const ir::Buffer& buffer, const ir::Expr& offset) {
  llvm::Value* base = places_.at(buffer.get()).base;
  TESSERA_CHECK(base != nullptr, "buffer {} is used before it is allocated", buffer->name);
  return b_.CreateInBoundsGEP(MemoryType(buffer->dtype), base, Value(offset));
}

llvm::Value* FuncEmitter::LoadFrom(const ir::Expr& e, llvm::Value* mask) {
  const ir::Buffer& buffer = e->buffer;
  const int lanes = e.lanes();
  llvm::Type* element = MemoryType(buffer->dtype);
  const llvm::Align align(static_cast<uint64_t>(SizeOf(buffer->dtype)));
  const ir::Expr offset = ir::OffsetOf(*buffer, e->args);
  llvm::Instruction* loaded = nullptr;
  if (lanes == 1) {
    loaded = b_.CreateAlignedLoad(element, AddressOf(buffer, offset), align);
  } else {
    auto* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
    const auto strided = AsStrided(offset, lanes);
    if (strided && strided->stride == 1) {
      llvm::Value* address = AddressOf(buffer, strided->base);
      loaded = mask ? static_cast<llvm::Instruction*>(b_.CreateMaskedLoad(
                          type, address, align, mask, llvm::Constant::getNullValue(type)))
                    : b_.CreateAlignedLoad(type, address, align);
    } else if (strided && strided->stride == 0 && !mask) {
      llvm::LoadInst* one = b_.CreateAlignedLoad(element, AddressOf(buffer, strided->base), align);
      Tag(one, buffer.get());
      llvm::Value* all = b_.CreateVectorSplat(static_cast<unsigned>(lanes), one);
      return buffer->dtype == DType::kBool
                 ? b_.CreateICmpNE(all, llvm::Constant::getNullValue(all->getType()))
                 : all;
    } else {
      llvm::Value* addresses =
          b_.CreateGEP(element, places_.at(buffer.get()).base, Lanes(Value(offset), lanes));
      loaded = b_.CreateMaskedGather(type, addresses, align, mask);
    }
  }
  Tag(loaded, buffer.get());
  if (buffer->dtype != DType::kBool) return loaded;
  return b_.CreateICmpNE(loaded, llvm::Constant::getNullValue(loaded->getType()));
}

void FuncEmitter::StoreTo(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices,
                          llvm::Value* value, int lanes) {
  const llvm::Align align(static_cast<uint64_t>(SizeOf(buffer->dtype)));
  const ir::Expr offset = ir::OffsetOf(*buffer, indices);
  if (buffer->dtype == DType::kBool) value = b_.CreateZExt(value, Like(b_.getInt8Ty(), value));
  llvm::Instruction* stored = nullptr;
  const auto strided = lanes > 1 ? AsStrided(offset, lanes) : std::nullopt;
  if (lanes == 1) {
    stored = b_.CreateAlignedStore(value, AddressOf(buffer, offset), align);
  } else if (strided && strided->stride == 1) {
    stored = b_.CreateAlignedStore(value, AddressOf(buffer, strided->base), align);
  } else {
    llvm::Value* addresses = b_.CreateGEP(MemoryType(buffer->dtype), places_.at(buffer.get()).base,
                                          Lanes(Value(offset), lanes));
    stored = b_.CreateMaskedScatter(value, addresses, align);
  }
  Tag(stored, buffer.get());
}

}  // namespace tessera::codegen
