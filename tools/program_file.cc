// SPDX-License-Identifier: Apache-2.0
#include "tools/program_file.h"

#include "base/file.h"
#include "runtime/artifact/artifact.h"

namespace tessera::tools {

Result<isa::ProgramImage> ReadProgram(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  if (artifact::LooksLikeArtifact(bytes)) {
    Result<artifact::Artifact> net = artifact::Parse(bytes);
    if (!net) return Within(path, net.error());
    if (!net->program) {
      return Fail(Code::kNotFound,
                  "{}: was compiled for the host only; compile with --target cpu,vta for a program",
                  path);
    }
    return std::move(*net->program);
  }
  Result<isa::ProgramImage> image = isa::ParseImage(bytes);
  if (!image) return Within(path, image.error());
  return image;
}

}  // namespace tessera::tools
