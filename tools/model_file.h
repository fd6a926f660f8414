// SPDX-License-Identifier: Apache-2.0
//
// Model files in verbs that take artifacts as well. model_file.cc has the compiler;
// model_file_absent.cc, in a build for boards, refuses models and says where to compile them.
// Used by: run, compare, info.
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

// Options --tflite, --shape and --known; |words| stay empty where they are not given.
void AddImportOptions(CLI::App* verb, ImportWords& words);

// The model in |bytes|, compiled: LoadNetwork for a file that is no artifact.
//   errors  kUnsupported  this program has no compiler; and those of the compiler
Result<LoadedNetwork> CompileModel(const std::vector<uint8_t>& bytes, const std::string& path,
                                   const std::string& config_name, const WantedPlans& plans,
                                   const ImportWords& import, bool keep_tensors);

// Prints what the model is, and what of it a machine of |config_name| ("": default) runs; the same
// as JSON.
//   errors  kUnsupported  this program has no compiler; and those of the importers
Result<nlohmann::ordered_json> DescribeModel(const std::vector<uint8_t>& bytes,
                                             const std::string& path, const ImportWords& import,
                                             const std::string& config_name);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_MODEL_FILE_H_
