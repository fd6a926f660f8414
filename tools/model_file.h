// SPDX-License-Identifier: Apache-2.0
//
// Reads model files for verbs that also take artifacts. model_file.cc has the compiler;
// model_file_absent.cc, in a build for boards, rejects models and says where to compile them. Used
// by: run, compare, info, compile.
#ifndef TESSERA_TOOLS_MODEL_FILE_H_
#define TESSERA_TOOLS_MODEL_FILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "tools/import_words.h"
#include "tools/network.h"
#include "tools/verb.h"

namespace tessera::tools {

// Adds options --tflite, --shape and --known; |words| stay empty without them.
void AddImportOptions(CLI::App* verb, ImportWords& words);

// Adds option --place to a verb that compiles for the accelerator.
void AddPlaceOption(CLI::App* verb, ImportWords& words);

// Compiles the model in |bytes|: LoadNetwork for a file that is not an artifact.
//   errors  kUnsupported  this program has no compiler; those of the compiler
Result<LoadedNetwork> CompileModel(const std::vector<uint8_t>& bytes, const std::string& path,
                                   const std::string& config_name, const WantedPlans& plans,
                                   const ImportWords& import, bool keep_tensors);

// Prints a description of the model, and which part of it a machine of |config_name| ("": default)
// runs. Returns the same as JSON.
//   errors  kUnsupported  this program has no compiler; those of the importers
Result<nlohmann::ordered_json> DescribeModel(const std::vector<uint8_t>& bytes,
                                             const std::string& path, const ImportWords& import,
                                             const std::string& config_name);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_MODEL_FILE_H_
