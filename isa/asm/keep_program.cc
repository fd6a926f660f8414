// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/keep_program.h"

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "isa/asm/asm.h"

namespace tessera::isa {

Result<std::string> KeepProgram(const std::string& folder, const std::string& name,
                                const std::string& why, const ProgramImage& image,
                                const Config& config) {
  std::string text;
  std::istringstream lines(why);
  for (std::string line; std::getline(lines, line);) text += "; " + line + "\n";
  const Config configs[] = {config};
  text += Disassemble(image, configs);
  // Names the configuration without its hash: a change of the instruction set changes the hash.
  if (const auto named = LoadConfig(config.name); named && *named == config) {
    const std::string hash = fmt::format(" 0x{:016x}", config.Hash());
    text.erase(text.find(hash), hash.size());
  }
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);  // WriteFile reports a failure
  const std::string path = fmt::format("{}/{}.tsr.s", folder, name);
  TESSERA_TRY(WriteFile(path, text));
  return path;
}

}  // namespace tessera::isa
