// SPDX-License-Identifier: Apache-2.0
//
// The common steps of all modules between emission and code. Internal to compiler/codegen/llvm.
#ifndef TESSERA_COMPILER_CODEGEN_LLVM_OPTIMISE_H_
#define TESSERA_COMPILER_CODEGEN_LLVM_OPTIMISE_H_

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

namespace tessera::codegen {

// Verifies |module| and runs LLVM's passes at |machine|'s optimisation level, 3 or 0.
void Optimise(llvm::Module& module, llvm::TargetMachine& machine);

// Object code or assembly, written by |machine|.
llvm::SmallVector<char, 0> WriteModule(llvm::Module& module, llvm::TargetMachine& machine,
                                       llvm::CodeGenFileType type);

}  // namespace tessera::codegen

#endif  // TESSERA_COMPILER_CODEGEN_LLVM_OPTIMISE_H_
