// SPDX-License-Identifier: Apache-2.0
//
// --output: a .npy file for each output of a model. Depends on: inputs.h, runtime/tensor. Used by:
// run.
#ifndef TESSERA_TOOLS_OUTPUT_FILES_H_
#define TESSERA_TOOLS_OUTPUT_FILES_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/artifact/artifact.h"

namespace tessera::tools {

// The file of each of |outputs|, "" for none. |given| is FILE for the only output, NAME=FILE for
// some outputs, or a folder for all. In a folder each output goes to NAME.npy: characters other
// than letters, digits, '.', '-' and '_' become '_', and a name that is taken gets "_2". The folder
// exists, or ends in '/' and is made here. All files can be written.
//   errors  kInvalidArgument  those of FilesByName; one file for two outputs
//           kUnavailable      a file cannot be written
Result<std::vector<std::string>> OutputFiles(const std::vector<std::string>& given,
                                             const std::vector<artifact::TensorInfo>& outputs);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_OUTPUT_FILES_H_
