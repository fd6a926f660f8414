// SPDX-License-Identifier: Apache-2.0
//
// Emits one kernel as LLVM IR for NVPTX: the code of one thread. Internal to compiler/codegen/llvm.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_EMIT_KERNEL_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_EMIT_KERNEL_H_

#include "compiler/codegen/llvm/emitter.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::codegen {

class KernelEmitter : public FuncEmitter {
 public:
  // |as_func|: the body over global, then shared buffers; it must outlive this object.
  KernelEmitter(llvm::Module& module, const ir::Func& as_func, const lower::GpuKernel& kernel)
      : FuncEmitter(module, as_func, {.half = true}), kernel_(kernel) {}

 private:
  void Begin() override;
  void EmitAlloc(const ir::Stmt& s) override;
  void EmitTile(const ir::Expr& call) override;
  bool FusesProducts() const override { return true; }

  void Annotate();
  void BindIds();

  // A thread stores its sums fragment by fragment, four each.
  llvm::Value* TileByte(const ir::Expr& place, llvm::Value* byte, int64_t align) override;
  llvm::Value* Thread() override { return vars_.at(kernel_.thread_ids[0].get()); }

  const lower::GpuKernel& kernel_;
};

Status EmitKernel(llvm::Module& module, const lower::GpuKernel& kernel);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_EMIT_KERNEL_H_
