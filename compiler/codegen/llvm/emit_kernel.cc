// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/emit_kernel.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include "compiler/ir/layout.h"
#include "compiler/target/cuda.h"

namespace tessera::codegen {
namespace {

// NVPTX's address spaces.
constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;

}  // namespace

void KernelEmitter::Begin() {
  const std::vector<llvm::Type*> types(kernel_.params.size(),
                                       llvm::PointerType::get(context_, kGlobalSpace));
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel_.name, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr(llvm::Attribute::Convergent);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  Annotate();
  for (unsigned p = 0; p < types.size(); ++p) {
    llvm::Argument* argument = function_->getArg(p);
    places_[kernel_.params[p].get()].base = argument;
    argument->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(64)));
    // Another thread may read written buffers after a barrier: only buffers that are not written
    // may count as separate memory.
    if (p < kernel_.written) {
      argument->addAttr(llvm::Attribute::NoAlias);
      argument->addAttr(llvm::Attribute::ReadOnly);
    }
  }
  for (const ir::Buffer& buffer : kernel_.shared) {
    auto* array = llvm::ArrayType::get(MemoryType(buffer->dtype),
                                       static_cast<uint64_t>(ir::SizeInElements(*buffer)));
    auto* memory = new llvm::GlobalVariable(
        module_, array, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(array),
        fmt::format("{}_shared_{}", kernel_.name, buffer->name), nullptr,
        llvm::GlobalValue::NotThreadLocal, kSharedSpace);
    memory->setAlignment(llvm::Align(16));
    places_[buffer.get()].base = memory;
  }
  BindIds();
}

// States the number of threads in a group: the code is optimised for it.
void KernelEmitter::Annotate() {
  llvm::NamedMDNode* all = module_.getOrInsertNamedMetadata("nvvm.annotations");
  const auto say = [&](const char* what, int64_t value) {
    all->addOperand(llvm::MDNode::get(
        context_, {llvm::ValueAsMetadata::get(function_), llvm::MDString::get(context_, what),
                   llvm::ConstantAsMetadata::get(b_.getInt32(static_cast<uint32_t>(value)))}));
  };
  say("kernel", 1);
  say("reqntidx", kernel_.threads[0]);
  say("reqntidy", kernel_.threads[1]);
  say("reqntidz", kernel_.threads[2]);
}

void KernelEmitter::BindIds() {
  using namespace llvm::Intrinsic;
  constexpr ID kIds[2][3] = {
      {nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y, nvvm_read_ptx_sreg_tid_z},
      {nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y, nvvm_read_ptx_sreg_ctaid_z}};
  for (size_t k = 0; k < 3; ++k) {
    for (const bool group : {false, true}) {
      const ir::Expr& id = (group ? kernel_.group_ids : kernel_.thread_ids)[k];
      if (!id) continue;
      const int64_t count = (group ? kernel_.groups : kernel_.threads)[k];
      llvm::CallInst* read = b_.CreateIntrinsic(kIds[group][k], {}, {});
      read->setMetadata(llvm::LLVMContext::MD_range,
                        llvm::MDBuilder(context_).createRange(
                            llvm::APInt(32, 0), llvm::APInt(32, static_cast<uint64_t>(count))));
      vars_[id.get()] = b_.CreateZExt(read, b_.getInt64Ty(), id->name, true);
    }
  }
}

// A thread's own memory; LLVM turns it into registers where it can.
void KernelEmitter::EmitAlloc(const ir::Stmt& s) {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  int64_t count = ir::SizeInElements(*s->buffer);
  if (s->buffer->scope == ir::Scope::kAcc) count /= target::kWarpThreads;
  llvm::AllocaInst* memory = entry.CreateAlloca(
      llvm::ArrayType::get(MemoryType(s->buffer->dtype), static_cast<uint64_t>(count)));
  memory->setAlignment(llvm::Align(16));
  places_.at(s->buffer.get()).base = memory;
  Emit(s->body[0]);
}

void KernelEmitter::EmitTile(const ir::Expr& call) {
  if (call->name == lower::kBarrier) {
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
    return;
  }
  EmitCall(*target::Cuda(), call);
}

llvm::Value* KernelEmitter::TileByte(const ir::Expr& place, llvm::Value* byte, int64_t align) {
  if (place->buffer->scope != ir::Scope::kAcc) return FuncEmitter::TileByte(place, byte, align);
  llvm::Value* first = Value(ir::OffsetOf(*place->buffer, place->args));
  first = b_.CreateExactSDiv(first, b_.getInt64(target::kWarpThreads));
  llvm::Value* address = b_.CreateInBoundsGEP(MemoryType(place->buffer->dtype),
                                              places_.at(place->buffer.get()).base, first);
  return byte == nullptr ? address : b_.CreateInBoundsGEP(b_.getInt8Ty(), address, byte);
}

Status EmitKernel(llvm::Module& module, const lower::GpuKernel& kernel) {
  ir::Func func{.name = kernel.name, .params = kernel.params, .body = kernel.body};
  func.params.insert(func.params.end(), kernel.shared.begin(), kernel.shared.end());
  return KernelEmitter(module, func, kernel).Run();
}

}  // namespace tessera::codegen
