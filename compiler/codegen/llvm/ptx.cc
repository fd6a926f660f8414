// SPDX-License-Identifier: Apache-2.0
//
// Builds the module of all kernels, verifies and optimises it for an architecture, and writes text.
#include "compiler/codegen/llvm/ptx.h"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

#include <memory>
#include <mutex>

#include "base/check.h"
#include "compiler/codegen/llvm/emit_kernel.h"
#include "compiler/codegen/llvm/optimise.h"

namespace tessera::codegen {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";

// Each architecture uses the oldest PTX version that supports it: drivers accept their own version
// and older ones. 7.0 is that of CUDA 11.0 (driver 450), 7.8 of CUDA 11.8 (520).
struct GpuArch {
  const char* name;
  const char* language;
};
constexpr GpuArch kArchs[] = {{"sm_80", "+ptx70"}, {"sm_90", "+ptx78"}};

}  // namespace

Result<std::string> PtxSource(std::span<const lower::GpuKernel> kernels, const std::string& arch) {
  const GpuArch* found = nullptr;
  for (const GpuArch& a : kArchs) {
    if (arch == a.name) found = &a;
  }
  if (found == nullptr)
    return Fail(Code::kUnsupported, "PTX for '{}': architectures are sm_80 and sm_90", arch);
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (target == nullptr)
    return Fail(Code::kUnsupported, "LLVM has no target {}: {}", kTriple, error);
  const std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      kTriple, found->name, found->language, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  TESSERA_CHECK(machine != nullptr);
  llvm::LLVMContext context;
  llvm::Module module("tessera", context);
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine->createDataLayout());
  for (const lower::GpuKernel& kernel : kernels) TESSERA_TRY(EmitKernel(module, kernel));
  Optimise(module, *machine);
  const auto text = WriteModule(module, *machine, llvm::CodeGenFileType::AssemblyFile);
  return std::string(text.begin(), text.end());
}

}  // namespace tessera::codegen
