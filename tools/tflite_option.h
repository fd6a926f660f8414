// SPDX-License-Identifier: Apache-2.0
//
// What the option --tflite (model_file.h) asks the importers for. Depends on: compiler/import.
#ifndef TESSERA_TOOLS_TFLITE_OPTION_H_
#define TESSERA_TOOLS_TFLITE_OPTION_H_

#include <string>

#include "base/error.h"
#include "compiler/import/options.h"

namespace tessera::tools {

inline Result<ImportOptions> ImportOptionsOf(const std::string& word) {
  ImportOptions options;
  if (!word.empty()) {
    TESSERA_ASSIGN(options.tflite, ParseTfliteKernels(word));
  }
  return options;
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TFLITE_OPTION_H_
