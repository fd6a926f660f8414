// SPDX-License-Identifier: Apache-2.0
//
// Reads program images from files: plain images, or those inside an artifact.
#ifndef TESSERA_TOOLS_PROGRAM_FILE_H_
#define TESSERA_TOOLS_PROGRAM_FILE_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "isa/image.h"

namespace tessera::tools {

// errors  those of ReadFile, ParseImage and ReadArtifact; kNotFound an artifact without an
//         accelerator program
Result<std::vector<isa::ProgramImage>> ReadPrograms(const std::string& path);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_PROGRAM_FILE_H_
