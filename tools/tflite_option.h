// SPDX-License-Identifier: Apache-2.0
//
// The option --tflite of every verb that reads models. Depends on: compiler/import/options.h.
#ifndef TESSERA_TOOLS_TFLITE_OPTION_H_
#define TESSERA_TOOLS_TFLITE_OPTION_H_

#include <string>

#include "compiler/import/options.h"
#include "tools/verb.h"

namespace tessera::tools {

// |word| stays empty where the option is not given: 2.14, or what an artifact was compiled for.
inline void AddTfliteOption(CLI::App* verb, std::string& word) {
  const auto check = [](std::string& given) -> std::string {
    const auto kernels = ParseTfliteKernels(given);
    return kernels ? "" : kernels.error().message;
  };
  verb->add_option("--tflite", word,
                   "whose integers a TFLite model means: 2.14 (default) or litert-2.3")
      ->check(CLI::Validator(check, "KERNELS"));
}

inline Result<ImportOptions> ImportOptionsOf(const std::string& word) {
  ImportOptions options;
  if (!word.empty()) {
    TESSERA_ASSIGN(options.tflite, ParseTfliteKernels(word));
  }
  return options;
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TFLITE_OPTION_H_
