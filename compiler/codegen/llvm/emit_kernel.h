// SPDX-License-Identifier: Apache-2.0
//
// One kernel as LLVM IR for NVPTX: what one thread does. Internal to compiler/codegen/llvm.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_EMIT_KERNEL_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_EMIT_KERNEL_H_

#include "compiler/codegen/llvm/emitter.h"
#include "compiler/lower/gpu/kernels.h"

namespace tessera::codegen {

class KernelEmitter : public FuncEmitter {
 public:
  // |as_func|: the kernel's body over its global, then its shared buffers; outlives this.
  KernelEmitter(llvm::Module& module, const ir::Func& as_func, const lower::GpuKernel& kernel)
      : FuncEmitter(module, as_func, {.half = true}), kernel_(kernel) {}

 private:
  void Begin() override;
  void EmitAlloc(const ir::Stmt& s) override;
  void EmitTile(const ir::Expr& call) override;

  void Annotate();
  void BindIds();

  // Calls of a warp (emit_mma.cc). Sums lie in a thread's memory fragment by fragment, four each.
  void Mma(const ir::Expr& call, bool floats);
  void StoreSums(const ir::Expr& call);
  // The address of byte |offset| of the tile at |place|, which begins at a multiple of |align|.
  llvm::Value* TileByte(const ir::Expr& place, llvm::Value* offset, int64_t align);
  llvm::Value* SumsOf(const ir::Expr& place);  // where this thread's four are
  // What a thread has of a row of 32 bytes: row t / 4, word t % 4, in bytes.
  llvm::Value* LaneByte(int64_t row_bytes, int64_t word_bytes);

  const lower::GpuKernel& kernel_;
};

Status EmitKernel(llvm::Module& module, const lower::GpuKernel& kernel);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_EMIT_KERNEL_H_
