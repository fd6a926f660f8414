// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/optimise.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

#include "base/check.h"

namespace tessera::codegen {

void Optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  TESSERA_CHECK(!llvm::verifyModule(module, &stream), "{}", stream.str());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  auto passes = machine.getOptLevel() == llvm::CodeGenOptLevel::None
                    ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                    : builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  passes.run(module, modules);
}

llvm::SmallVector<char, 0> WriteModule(llvm::Module& module, llvm::TargetMachine& machine,
                                       llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  TESSERA_CHECK(!machine.addPassesToEmitFile(passes, stream, nullptr, type));
  passes.run(module);
  return bytes;
}

}  // namespace tessera::codegen
