// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/codegen/llvm/emitter.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/visit.h"

namespace tessera::codegen {
namespace {

bool OnStack(const ir::BufferNode& buffer) { return ir::SizeInBytes(buffer) <= kMaxStackBytes; }

// The greatest number of scratch bytes in use inside |s|, including |top| that are in use already.
int64_t ScratchBelow(const ir::Stmt& s, int64_t top) {
  if (s->kind == ir::StmtKind::kAlloc && !OnStack(*s->buffer))
    top += RoundUp(ir::SizeInBytes(*s->buffer), 64);
  int64_t most = top;
  for (const ir::Stmt& inner : s->body) most = std::max(most, ScratchBelow(inner, top));
  return most;
}

}  // namespace

int64_t ScratchBytes(const ir::Func& func) { return ScratchBytes(func.body); }
int64_t ScratchBytes(const ir::Stmt& s) { return ScratchBelow(s, 0); }

FuncEmitter::FuncEmitter(llvm::Module& module, const ir::Func& func, const CpuUnits& units)
    : module_(module), context_(module.getContext()), func_(func), units_(units), b_(context_) {}

void FuncEmitter::Begin() {
  llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, func_.name, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->getArg(0)->addAttr(llvm::Attribute::NoAlias);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  BindParameters(function_->getArg(0));
}

Status FuncEmitter::Run() {
  MakeScopes();
  Begin();
  Emit(func_.body);
  b_.CreateRetVoid();
  if (!unsupported_.empty()) {
    return Fail(Code::kUnsupported, "{}: {} has no code for this target", func_.name, unsupported_);
  }
  return {};
}

// Tells LLVM that buffers do not overlap, so that it can keep sums in registers across stores to
// other buffers.
void FuncEmitter::MakeScopes() {
  std::vector<const ir::BufferNode*> buffers;
  for (const ir::Buffer& p : func_.params) buffers.push_back(p.get());
  ir::VisitStmts(func_.body, [&](const ir::Stmt& s) {
    if (s->kind == ir::StmtKind::kAlloc) buffers.push_back(s->buffer.get());
  });
  llvm::MDBuilder md(context_);
  llvm::MDNode* domain = md.createAnonymousAliasScopeDomain(func_.name);
  std::vector<llvm::Metadata*> scopes;
  for (const ir::BufferNode* buffer : buffers)
    scopes.push_back(md.createAnonymousAliasScope(domain, buffer->name));
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::vector<llvm::Metadata*> others = scopes;
    others.erase(others.begin() + static_cast<int64_t>(i));
    places_[buffers[i]] = {nullptr, llvm::MDNode::get(context_, {scopes[i]}),
                           llvm::MDNode::get(context_, others)};
  }
}

void FuncEmitter::Tag(llvm::Instruction* access, const ir::BufferNode* buffer) {
  const BufferBase& place = places_.at(buffer);
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, place.scope);
  access->setMetadata(llvm::LLVMContext::MD_noalias, place.others);
}

void FuncEmitter::BindParameters(llvm::Value* buffers) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
  const auto argument = [&](size_t i) {
    llvm::Value* slot = b_.CreateConstGEP1_64(pointer, buffers, i);
    llvm::LoadInst* address = b_.CreateLoad(pointer, slot);
    address->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    address->setMetadata(
        llvm::LLVMContext::MD_align,
        llvm::MDNode::get(context_, {llvm::ConstantAsMetadata::get(b_.getInt64(64))}));
    return address;
  };
  for (size_t i = 0; i < func_.params.size(); ++i)
    places_[func_.params[i].get()].base = argument(i);
  if (ScratchBytes(func_) > 0) scratch_ = argument(func_.params.size());
}

void FuncEmitter::Emit(const ir::Stmt& s) {
  switch (s->kind) {
    case ir::StmtKind::kFor:
      return EmitFor(s);
    case ir::StmtKind::kIf:
      return EmitIf(s);
    case ir::StmtKind::kSeq:
      for (size_t i = 0; i < s->body.size();) {
        const size_t turns = TurnsFrom(s->body, i);
        if (turns > 1) {
          EmitTurns({&s->body[i], turns});
        } else {
          Emit(s->body[i]);
        }
        i += turns;
      }
      return;
    case ir::StmtKind::kStore:
      return EmitStore(s);
    case ir::StmtKind::kAlloc:
      return EmitAlloc(s);
    case ir::StmtKind::kEval:
      return EmitTile(s->value);
    case ir::StmtKind::kPrefetch:
      return EmitPrefetch(s);
  }
}

void FuncEmitter::EmitFor(const ir::Stmt& s) {
  // Inside another parallel loop only one thread runs.
  if (s->loop == ir::LoopKind::kParallel && !in_parallel_) return EmitParallel(s);
  llvm::Value* first = Value(s->min);
  llvm::Value* extent = Value(s->extent);
  llvm::Value* last = b_.CreateNSWAdd(first, extent);
  llvm::BasicBlock* some = llvm::BasicBlock::Create(context_, s->var->name + ".any", function_);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, s->var->name + ".end", function_);
  b_.CreateCondBr(b_.CreateICmpSGT(extent, b_.getInt64(0)), some, after);
  b_.SetInsertPoint(some);
  EmitIterations(s, first, last, after);
}

void FuncEmitter::EmitIterations(const ir::Stmt& s, llvm::Value* first, llvm::Value* last,
                                 llvm::BasicBlock* after) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = llvm::BasicBlock::Create(context_, s->var->name, function_);
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* var = b_.CreatePHI(b_.getInt64Ty(), 2, s->var->name);
  var->addIncoming(first, before);
  vars_[s->var.get()] = var;
  scope_vars_.push_back(s->var.get());
  const int64_t tiles = tiles_;
  Emit(s->body[0]);
  llvm::Value* next = b_.CreateNSWAdd(var, b_.getInt64(1));
  var->addIncoming(next, b_.GetInsertBlock());
  llvm::BranchInst* back = b_.CreateCondBr(b_.CreateICmpSLT(next, last), body, after);
  // Around tiles the schedule has already unrolled as much as the registers allow.
  const char* unroll = s->loop == ir::LoopKind::kUnroll ? "llvm.loop.unroll.full"
                       : tiles_ > tiles                 ? "llvm.loop.unroll.disable"
                                                        : nullptr;
  if (unroll) {
    llvm::Metadata* how = llvm::MDNode::get(context_, {llvm::MDString::get(context_, unroll)});
    llvm::MDNode* loop = llvm::MDNode::getDistinct(context_, {nullptr, how});
    loop->replaceOperandWith(0, loop);
    back->setMetadata(llvm::LLVMContext::MD_loop, loop);
  }
  b_.SetInsertPoint(after);
  vars_.erase(s->var.get());
  scope_vars_.pop_back();
}

void FuncEmitter::EmitIf(const ir::Stmt& s) {
  llvm::BasicBlock* yes = llvm::BasicBlock::Create(context_, "then", function_);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "endif", function_);
  llvm::BasicBlock* no =
      s->body.size() > 1 ? llvm::BasicBlock::Create(context_, "else", function_) : after;
  b_.CreateCondBr(Value(s->value), yes, no);
  b_.SetInsertPoint(yes);
  Emit(s->body[0]);
  b_.CreateBr(after);
  if (no != after) {
    b_.SetInsertPoint(no);
    Emit(s->body[1]);
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
}

void FuncEmitter::EmitStore(const ir::Stmt& s) {
  StoreTo(s->buffer, s->indices, Value(s->value), s->value.lanes());
}

void FuncEmitter::EmitPrefetch(const ir::Stmt& s) {
  llvm::Value* address = AddressOf(
      s->buffer, ir::Simplify(ir::OffsetOf(*s->buffer, s->indices)));  // element offsets are whole
  // A read, kept close, in the data cache.
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                     {address, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
}

void FuncEmitter::EmitAlloc(const ir::Stmt& s) {
  BufferBase& place = places_.at(s->buffer.get());
  const int64_t top = scratch_top_;
  if (OnStack(*s->buffer)) {
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    // An array type, not an element count: LLVM then recognises early that these are registers.
    llvm::AllocaInst* memory = entry.CreateAlloca(llvm::ArrayType::get(
        MemoryType(s->buffer->dtype), static_cast<uint64_t>(ir::SizeInElements(*s->buffer))));
    memory->setAlignment(llvm::Align(64));
    place.base = memory;
  } else {
    TESSERA_CHECK(scratch_ != nullptr);
    place.base = b_.CreateConstGEP1_64(b_.getInt8Ty(), scratch_, static_cast<uint64_t>(top));
    scratch_top_ += RoundUp(ir::SizeInBytes(*s->buffer), 64);
  }
  scope_memories_.push_back(s->buffer.get());
  Emit(s->body[0]);
  scope_memories_.pop_back();
  scratch_top_ = top;
}

}  // namespace tessera::codegen
