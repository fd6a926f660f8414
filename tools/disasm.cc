// SPDX-License-Identifier: Apache-2.0
//
// tessera disasm: prints a program image, or those of an artifact, as text.
#include <cstdio>
#include <memory>

#include "base/file.h"
#include "isa/asm/asm.h"
#include "tools/program_file.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct DisasmFlags {
  std::string input, output, config;
};

Result<int> Run(const DisasmFlags& options) {
  TESSERA_ASSIGN(const std::vector<isa::ProgramImage> images, ReadPrograms(options.input));
  std::vector<isa::Config> configs;
  if (!options.config.empty()) {
    TESSERA_ASSIGN(isa::Config config, isa::LoadConfig(options.config));
    configs.push_back(std::move(config));
  }
  std::string text;
  for (const isa::ProgramImage& image : images) text += isa::Disassemble(image, configs);
  if (options.output.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    TESSERA_TRY(WriteFile(options.output, text));
  }
  return kExitOk;
}

}  // namespace

Action AddDisasm(CLI::App& app) {
  auto options = std::make_shared<DisasmFlags>();
  CLI::App* verb = app.add_subcommand("disasm", "print a program as assembly text");
  verb->add_option("input", options->input, "a program image or an artifact (net.tsr)")->required();
  verb->add_option("-o,--output", options->output, "write here instead of standard output");
  verb->add_option("--config", options->config,
                   "configuration of a profile-vta image that is not a named one");
  verb->footer("Example: tessera disasm net.tsr | less");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
