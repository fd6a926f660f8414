// SPDX-License-Identifier: Apache-2.0
//
// Describes a model's inputs and outputs in words and as JSON. Depends on: runtime/artifact. Used
// by: info, model_file.
#ifndef TESSERA_TOOLS_TENSOR_TEXT_H_
#define TESSERA_TOOLS_TENSOR_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/artifact/artifact.h"

namespace tessera::tools {

// "image float32[1, 3, 8, 8] (int8 scale 0.1, zero point 3)", with a Legible name.
std::string TensorText(const artifact::TensorInfo& t);

// [{name, dtype, shape}].
nlohmann::ordered_json TensorsJson(const std::vector<artifact::TensorInfo>& tensors);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TENSOR_TEXT_H_
