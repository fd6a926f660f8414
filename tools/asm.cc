// SPDX-License-Identifier: Apache-2.0
//
// tessera asm: text to a program image.
#include "isa/asm/asm.h"

#include <cstdio>
#include <memory>

#include "base/file.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct AsmFlags {
  std::string input, output, config;
};

Result<int> Run(const AsmFlags& options) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(options.input, isa::kMaxAsmBytes));
  std::vector<isa::Config> configs;
  if (!options.config.empty()) {
    TESSERA_ASSIGN(isa::Config config, isa::LoadConfig(options.config));
    configs.push_back(std::move(config));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<isa::ProgramImage> image = isa::Assemble(text, configs);
  if (!image)
    return std::unexpected(Error{image.error().code, options.input + ":" + image.error().message});
  TESSERA_TRY(WriteFile(options.output, isa::SerializeImage(*image)));
  std::printf("%s: %lld instructions, profile %s, configuration %s\n", options.output.c_str(),
              static_cast<long long>(image->insn_count()),
              std::string(Text(image->profile)).c_str(), image->config_name.c_str());
  return kExitOk;
}

}  // namespace

Action AddAsm(CLI::App& app) {
  auto options = std::make_shared<AsmFlags>();
  CLI::App* verb = app.add_subcommand("asm", "assemble a text into a program image");
  verb->add_option("input", options->input,
                   "assembly text; isa/asm/asm.h describes it, `tessera disasm` prints it")
      ->required();
  verb->add_option("-o,--output", options->output, "the program image to write")->required();
  verb->add_option("--config", options->config, "a configuration file that the text may name");
  verb->footer("Example: tessera asm add.s -o add.img");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
