// SPDX-License-Identifier: Apache-2.0
#include "tools/algorithms_text.h"

#include <fmt/format.h>

#include <map>

namespace tessera::tools {

std::string AlgorithmLines(const artifact::Artifact& net) {
  std::map<std::string, int> exact, others;
  for (const artifact::Layer& layer : net.layers) {
    if (!layer.algorithm.empty()) ++(layer.error > 0 ? others : exact)[layer.algorithm];
  }
  const auto line = [](const char* what, const std::map<std::string, int>& layers) {
    std::string text;
    for (const auto& [algorithm, count] : layers)
      text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", count, algorithm);
    return text.empty() ? "" : fmt::format("{}: {}\n", what, text);
  };
  return line("layers by another algorithm than their definition", exact) +
         line("layers that round otherwise than their definition", others);
}

nlohmann::ordered_json AlgorithmsJson(const artifact::Artifact& net) {
  auto json = nlohmann::ordered_json::array();
  for (const artifact::Layer& layer : net.layers) {
    if (layer.algorithm.empty()) continue;
    json.push_back({{"layer", layer.name}, {"algorithm", layer.algorithm}});
  }
  return json;
}

}  // namespace tessera::tools
