// SPDX-License-Identifier: Apache-2.0
#include "tools/regress_plan.h"

#include <algorithm>
#include <filesystem>

#include "base/rng.h"

namespace tessera::tools {

namespace fs = std::filesystem;

Result<std::vector<RegressItem>> PlanFolder(RegressSuite suite, const std::string& folder,
                                            uint64_t seed) {
  std::vector<RegressItem> items;
  std::error_code ec;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder, ec)) {
    if (entry.path().string().ends_with(".tsr.s")) paths.push_back(entry.path().string());
  }
  if (ec) return Fail(Code::kNotFound, "--{} {}: {}", Text(suite), folder, ec.message());
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    items.push_back({.suite = suite,
                     .name = fmt::format("{}/{}", Text(suite), fs::path(path).filename().string()),
                     .seed = seed,
                     .path = path});
  }
  return items;
}

Result<std::vector<RegressItem>> PlanNetworks(const RegressSetup& setup, const std::string& models,
                                              uint64_t seed) {
  std::vector<RegressItem> items;
  std::vector<std::string> paths{TESSERA_NETWORK};
  if (!models.empty()) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(models, ec)) {
      const std::string path = entry.path().string();
      if (path.ends_with(".tflite") || path.ends_with(".onnx")) paths.push_back(path);
    }
    if (ec) return Fail(Code::kNotFound, "--models {}: {}", models, ec.message());
  }
  std::sort(paths.begin() + 1, paths.end());
  for (size_t c = 0; c < setup.configs.size(); ++c) {
    for (const std::string& path : paths) {
      items.push_back({.suite = RegressSuite::kNetworks,
                       .name = fmt::format("networks/{}/{}", setup.configs[c].name,
                                           fs::path(path).filename().string()),
                       .config = c,
                       .seed = seed,
                       .path = path});
    }
  }
  return items;
}

Result<std::vector<RegressItem>> PlanLayers(const RegressSetup& setup, const std::string& model,
                                            int64_t count, uint64_t seed) {
  std::vector<RegressItem> items;
  Result<std::vector<ModelLayer>> layers = LayersOf(model);
  if (!layers && layers.error().code == Code::kNotFound) {
    return Fail(Code::kNotFound,
                "--model {}: not found; python3 models/imagenet/make.py FOLDER writes a "
                "ResNet-18, --suite without layers does without",
                model);
  }
  if (!layers) return std::unexpected(layers.error());
  if (layers->empty()) {
    return Fail(Code::kInvalidArgument, "--model {}: it has no layer of int8 with products", model);
  }
  Rng rng(seed);
  const std::string name = fs::path(model).filename().string();
  for (int64_t n = 0; n < count && !layers->empty(); ++n) {
    const auto layer = layers->begin() + rng.Range(0, std::ssize(*layers) - 1);
    for (size_t c = 0; c < setup.configs.size(); ++c) {
      items.push_back(
          {.suite = RegressSuite::kLayers,
           .name = fmt::format("layers/{}/{}/{}", setup.configs[c].name, name, layer->name),
           .config = c,
           .seed = seed,
           .path = model,
           .layer = *layer});
    }
    layers->erase(layer);
  }
  return items;
}

}  // namespace tessera::tools
