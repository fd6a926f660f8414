// SPDX-License-Identifier: Apache-2.0
#include "tools/program_file.h"

#include "base/file.h"
#include "runtime/artifact/artifact.h"

namespace tessera::tools {

Result<std::vector<isa::ProgramImage>> ReadPrograms(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  if (artifact::LooksLikeArtifact(bytes)) {
    Result<artifact::Artifact> net = artifact::Parse(bytes);
    if (!net) return Within(path, net.error());
    if (net->programs.empty()) {
      return Fail(
          Code::kNotFound,
          "{}: has no accelerator program: it was compiled with --target cpu, or no layer of "
          "it runs there (tessera compile MODEL --dump graph tells why)",
          path);
    }
    std::vector<isa::ProgramImage> images;
    for (artifact::DeviceProgram& program : net->programs)
      images.push_back(std::move(program.image));
    return images;
  }
  Result<isa::ProgramImage> image = isa::ParseImage(bytes);
  if (!image) return Within(path, image.error());
  return std::vector<isa::ProgramImage>{std::move(*image)};
}

}  // namespace tessera::tools
