// SPDX-License-Identifier: Apache-2.0
#include "tools/model_layers.h"

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/driver/compile.h"
#include "compiler/graph/cut.h"
#include "compiler/import/import.h"
#include "tools/import_options.h"

namespace tessera::tools {
namespace {

// Whether |node|'s result, and every result of other nodes that it reads, is int8.
bool OfBytes(const graph::Graph& graph, const graph::Node& node) {
  const auto bytes = [&](graph::TensorId id) {
    return graph.tensor(id).constant() || graph.tensor(id).dtype == DType::kInt8;
  };
  return std::ranges::all_of(node.inputs, bytes) && graph.tensor(node.output).dtype == DType::kInt8;
}

}  // namespace

Result<std::vector<ModelLayer>> LayersOf(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(const ImportOptions import, ImportOptionsOf({}));
  TESSERA_ASSIGN(const graph::Graph graph, ImportModel(bytes, path, import));
  std::vector<ModelLayer> layers;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    if (graph::Macs(graph, node) == 0 || !OfBytes(graph, node)) continue;
    ModelLayer layer{.name = node.name, .first = n, .last = n + 1};
    if (layer.last < graph.nodes.size()) {
      const graph::Node& next = graph.nodes[layer.last];
      layer.last += std::ranges::count(next.inputs, node.output) > 0 && OfBytes(graph, next);
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

Result<LoadedNetwork> LoadLayer(const std::string& path, const std::string& config_name,
                                const ModelLayer& layer) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(const ImportOptions import, ImportOptionsOf({}));
  TESSERA_ASSIGN(const graph::Graph graph, ImportModel(bytes, path, import));
  if (layer.last > graph.nodes.size())
    return Fail(Code::kInvalidArgument, "{}: has changed since its layers were listed", path);
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig(config_name));
  options.cpu = false;
  Result<compiler::Compiled> compiled =
      compiler::Compile(graph::Cut(graph, layer.first, layer.last), path, Crc64(bytes), options);
  if (!compiled) return Within(path, compiled.error());
  return LoadedNetwork{std::make_shared<const artifact::Artifact>(std::move(compiled->artifact)),
                       options.config};
}

}  // namespace tessera::tools
