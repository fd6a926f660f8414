// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx.h"

#include <fmt/ranges.h>

#include <set>

#include "base/file.h"
#include "compiler/graph/op_def.h"
#include "compiler/import/onnx_model.h"
#include "compiler/import/qdq.h"
#include "compiler/import/qoperator.h"

namespace tessera {

std::string OnnxOperators() {
  std::set<std::string_view> types;
  for (const auto rows : {onnx_model::ConstantRows(), graph::ComposedOnnx()}) {
    for (const graph::OnnxRow& row : rows) types.insert(row.type);
  }
  for (const graph::OpDef* def : graph::AllOps()) {
    for (const graph::OnnxRow& row : def->onnx) types.insert(row.type);
  }
  return fmt::format("{}", fmt::join(types, " "));
}

// The folder of |path|, with its last '/'; "." if |path| names no folder.
std::string FolderOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Result<graph::Graph> ImportOnnx(std::span<const uint8_t> bytes, const std::string& path,
                                const ImportOptions& options) {
  Result<onnx_model::OnnxModel> model = onnx_model::Parse(bytes, FolderOf(path));
  if (!model) return Within(path, model.error());
  if (const Status expanded = onnx_model::ExpandQOperators(*model); !expanded)
    return Within(path, expanded.error());
  Result<graph::Graph> graph = onnx_model::QdqConverter(*model, options).Convert();
  if (!graph) return Within(path, graph.error());
  if (graph->name.empty()) graph->name = path;
  return graph;
}

Result<graph::Graph> ImportOnnxFile(const std::string& path, const ImportOptions& options) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  return ImportOnnx(bytes, path, options);
}

}  // namespace tessera
