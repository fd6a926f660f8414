// SPDX-License-Identifier: Apache-2.0
//
// What --output means: a .npy file for each output of a model. Depends on: inputs.h,
// runtime/tensor. Used by: run.
#ifndef TESSERA_TOOLS_OUTPUT_FILES_H_
#define TESSERA_TOOLS_OUTPUT_FILES_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"

namespace tessera::tools {

// The file of each of |outputs|, "" for none, where |given| is FILE for the one output, NAME=FILE
// for some, or a folder for all: NAME.npy each, characters other than letters, digits, '.', '-' and
// '_' becoming '_', and "_2" added to a name that is there. A folder exists, or ends in '/' and is
// made. All can be written.
//   errors  kInvalidArgument  those of FilesByName; one file for two outputs
//           kUnavailable      one cannot be written
Result<std::vector<std::string>> OutputFiles(const std::vector<std::string>& given,
                                             const std::vector<artifact::TensorInfo>& outputs);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_OUTPUT_FILES_H_
