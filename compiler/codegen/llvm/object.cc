// SPDX-License-Identifier: Apache-2.0
//
// Builds, verifies and optimises the module of all functions for a CPU level and writes an object.
#include <fmt/ranges.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <ranges>
#include <string_view>

#include "base/check.h"
#include "compiler/codegen/llvm/emitter.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/codegen/llvm/optimise.h"
#include "compiler/target/host_level.h"

namespace tessera::codegen {
namespace {

constexpr const char* kX86 = "x86_64-unknown-linux-gnu";
constexpr const char* kArm = "armv7-unknown-linux-gnueabihf";
constexpr const char* kAarch64 = "aarch64-unknown-linux-gnu";

// LLVM's names for a level.
struct Level {
  const char* name;
  const char* triple;
  const char* cpu;
  const char* features;
  const char* vector_bits;  // the vectoriser's preferred width
  // Features for functions with floats, if they differ: NEON of 32-bit Arm treats denormal numbers
  // as zero and cannot round to even; the scalar unit follows IEEE 754.
  const char* float_features = nullptr;

  const CpuUnits& units() const { return target::FindHostLevel(name)->units; }
};
// A Zynq-7000 has Cortex-A9 with NEON, a Zynq UltraScale+ Cortex-A53.
constexpr Level kLevels[] = {
    {"x86-64-v2", kX86, "x86-64-v2", "", "128"},
    {"x86-64-v3", kX86, "x86-64-v3", "", "256"},
    {"x86-64-v4", kX86, "x86-64-v4", "", "512"},
    {"x86-64-v4-vnni", kX86, "x86-64-v4", "+avx512vnni", "512"},
    {"x86-64-v4-amx", kX86, "x86-64-v4", "+avx512vnni,+amx-tile,+amx-int8", "512"},
    {"armv7", kArm, "cortex-a9", "+neon", "128", "-neon"},
    {"aarch64", kAarch64, "cortex-a53", "", "128"},
    {"aarch64-dotprod", kAarch64, "cortex-a53", "+dotprod", "128"},
    {"aarch64-i8mm", kAarch64, "cortex-a53", "+dotprod,+i8mm", "128"}};

// Initialises LLVM for the architecture of |level| only, once; the others would take milliseconds.
void Register(const Level& level) {
  static std::once_flag x86, arm, aarch64;
  const std::string_view triple = level.triple;
  if (triple == kX86) {
    std::call_once(x86, [] {
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86Target();
      LLVMInitializeX86TargetMC();
      LLVMInitializeX86AsmPrinter();
    });
  } else if (triple == kArm) {
    std::call_once(arm, [] {
      LLVMInitializeARMTargetInfo();
      LLVMInitializeARMTarget();
      LLVMInitializeARMTargetMC();
      LLVMInitializeARMAsmPrinter();
    });
  } else {
    TESSERA_CHECK(triple == kAarch64);
    std::call_once(aarch64, [] {
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64Target();
      LLVMInitializeAArch64TargetMC();
      LLVMInitializeAArch64AsmPrinter();
    });
  }
}

Result<std::unique_ptr<llvm::TargetMachine>> MakeMachine(const std::string& level,
                                                         HostEffort effort, const Level*& found) {
  for (const Level& l : kLevels) {
    if (level == l.name) found = &l;
  }
  if (found == nullptr) {
    return Fail(Code::kUnsupported, "host code for '{}': the levels are {}", level,
                fmt::join(std::views::transform(kLevels, &Level::name), ", "));
  }
  Register(*found);
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(found->triple, error);
  if (target == nullptr)
    return Fail(Code::kUnsupported, "LLVM has no target {}: {}", found->triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(found->triple, found->cpu, found->features, llvm::TargetOptions(),
                                  llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                  effort == HostEffort::kFull ? llvm::CodeGenOptLevel::Aggressive
                                                              : llvm::CodeGenOptLevel::None));
  TESSERA_CHECK(machine != nullptr);
  return machine;
}

bool HasFloats(const llvm::Function& function) {
  const auto is_float = [](const llvm::Value* v) { return v->getType()->isFPOrFPVectorTy(); };
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& i : block) {
      if (is_float(&i) || std::ranges::any_of(i.operand_values(), is_float)) return true;
    }
  }
  return false;
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
    TESSERA_TRY(FuncEmitter(*module, func, level.units()).Run());
  }
  for (llvm::Function& function : *module) {  // includes the bodies of parallel loops
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", level.cpu);
    const bool other = level.float_features != nullptr && HasFloats(function);
    const char* features = other ? level.float_features : level.features;
    if (*features) function.addFnAttr("target-features", features);
    function.addFnAttr("prefer-vector-width", level.vector_bits);
  }
  Optimise(*module, machine);
  return module;
}

}  // namespace

Result<std::vector<uint8_t>> CompileObject(std::span<const ir::Func> funcs,
                                           const std::string& level, HostEffort effort) {
  const Level* found = nullptr;
  TESSERA_ASSIGN(const auto machine, MakeMachine(level, effort, found));
  llvm::LLVMContext context;
  TESSERA_ASSIGN(const auto module, Build(funcs, *found, *machine, context));
  const auto bytes = WriteModule(*module, *machine, llvm::CodeGenFileType::ObjectFile);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace tessera::codegen
