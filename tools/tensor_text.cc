// SPDX-License-Identifier: Apache-2.0
#include "tools/tensor_text.h"

#include "base/text.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tools {

std::string TensorText(const artifact::TensorInfo& t) {
  std::string text = fmt::format("{} {}{}", Legible(t.name), Text(t.dtype), ShapeText(t.shape));
  if (t.quant)
    text += fmt::format(" (int8 scale {:.9g}, zero point {})", t.quant->scale, t.quant->zero);
  return text;
}

nlohmann::ordered_json TensorsJson(const std::vector<artifact::TensorInfo>& tensors) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const artifact::TensorInfo& t : tensors)
    json.push_back({{"name", t.name}, {"dtype", Text(t.dtype)}, {"shape", t.shape}});
  return json;
}

}  // namespace tessera::tools
