// SPDX-License-Identifier: Apache-2.0
//
// For builds for boards, which have no compiler.
#include "tools/model_file.h"
#include "tools/run_program.h"

namespace tessera::tools {
namespace {

std::unexpected<Error> NoCompiler(const std::string& path) {
  return Fail(
      Code::kUnsupported,
      "{}: is no artifact, and this tessera, made for a board, has no compiler: run "
      "`tessera compile MODEL --cpu-level armv7,aarch64 -o net.tsr` where it is built whole",
      path);
}

}  // namespace

// Such a build also lacks the rig that runs program images.
bool IsProgram(const std::string&) { return false; }
Result<int> RunProgram(const ProgramFlags& flags, const ChosenDevice&) {
  return NoCompiler(flags.path);
}

void AddImportOptions(CLI::App*, ImportWords&) {}
void AddPlaceOption(CLI::App*, ImportWords&) {}

Result<LoadedNetwork> CompileModel(const std::vector<uint8_t>&, const std::string& path,
                                   const std::string&, const WantedPlans&, const ImportWords&,
                                   bool) {
  return NoCompiler(path);
}

Result<nlohmann::ordered_json> DescribeModel(const std::vector<uint8_t>&, const std::string& path,
                                             const ImportWords&, const std::string&) {
  return NoCompiler(path);
}

}  // namespace tessera::tools
