// SPDX-License-Identifier: Apache-2.0
//
// The module of all functions: verified, optimised for a CPU level, written as an object or as
// text.
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <mutex>

#include "base/check.h"
#include "compiler/codegen/llvm/emitter.h"
#include "compiler/codegen/llvm/llvm.h"

namespace tessera::codegen {
namespace {

struct Level {
  const char* name;
  const char* cpu;
  const char* features;
  const char* vector_bits;  // what the vectoriser should prefer
  bool half_unit;           // F16C
};
constexpr Level kLevels[] = {{"x86-64-v2", "x86-64-v2", "", "128", false},
                             {"x86-64-v3", "x86-64-v3", "", "256", true},
                             {"x86-64-v4", "x86-64-v4", "", "512", true},
                             {"x86-64-v4-vnni", "x86-64-v4", "+avx512vnni", "512", true}};

Result<std::unique_ptr<llvm::TargetMachine>> MakeMachine(const std::string& level,
                                                         const Level*& found) {
  for (const Level& l : kLevels) {
    if (level == l.name) found = &l;
  }
  if (found == nullptr) {
    return Fail(Code::kUnsupported,
                "host code for '{}': levels are x86-64-v2, x86-64-v3, x86-64-v4 and x86-64-v4-vnni",
                level);
  }
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  constexpr const char* kTriple = "x86_64-unknown-linux-gnu";
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (target == nullptr) return Fail(Code::kUnsupported, "LLVM has no x86-64 target: {}", error);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      kTriple, found->cpu, found->features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
  TESSERA_CHECK(machine != nullptr);
  return machine;
}

void Optimise(llvm::Module& module, llvm::TargetMachine& machine) {
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
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

// Builds and optimises a module in |context|.
Result<std::unique_ptr<llvm::Module>> Build(std::span<const ir::Func> funcs, const Level& level,
                                            llvm::TargetMachine& machine,
                                            llvm::LLVMContext& context) {
  auto module = std::make_unique<llvm::Module>("tessera", context);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  module->setPICLevel(llvm::PICLevel::SmallPIC);
  for (const ir::Func& func : funcs) {
    TESSERA_TRY(FuncEmitter(*module, func, level.half_unit).Run());
    llvm::Function* function = module->getFunction(func.name);
    function->addFnAttr("target-cpu", level.cpu);
    if (*level.features) function->addFnAttr("target-features", level.features);
    function->addFnAttr("prefer-vector-width", level.vector_bits);
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  TESSERA_CHECK(!llvm::verifyModule(*module, &stream), "{}", stream.str());
  Optimise(*module, machine);
  return module;
}

}  // namespace

Result<std::vector<uint8_t>> CompileObject(std::span<const ir::Func> funcs,
                                           const std::string& level) {
  const Level* found = nullptr;
  TESSERA_ASSIGN(const auto machine, MakeMachine(level, found));
  llvm::LLVMContext context;
  TESSERA_ASSIGN(const auto module, Build(funcs, *found, *machine, context));
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  TESSERA_CHECK(
      !machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace tessera::codegen
