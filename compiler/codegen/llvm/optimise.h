// SPDX-License-Identifier: Apache-2.0
//
// What every module goes through between its emission and its code. Internal to
// compiler/codegen/llvm.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_OPTIMISE_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_OPTIMISE_H_

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

namespace tessera::codegen {

// Verifies |module|, which is our own, and runs LLVM's passes of |machine|'s optimisation level, 3
// or 0.
void Optimise(llvm::Module& module, llvm::TargetMachine& machine);

// Object code or text, as |machine| writes it.
llvm::SmallVector<char, 0> WriteModule(llvm::Module& module, llvm::TargetMachine& machine,
                                       llvm::CodeGenFileType type);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_OPTIMISE_H_
