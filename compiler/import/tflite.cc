// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite.h"

#include <fmt/ranges.h>

#include <set>

#include "compiler/graph/op_def.h"
#include "compiler/import/tflite_convert.h"
#include "compiler/import/tflite_model.h"

namespace tessera {

std::string TfliteOperators() {
  std::set<std::string_view> types;
  for (const graph::OpDef* def : graph::AllOps()) {
    for (const graph::TfliteRow& row : def->tflite) types.insert(row.type);
  }
  for (const graph::TfliteRow& row : graph::ComposedTflite()) types.insert(row.type);
  return fmt::format("{}", fmt::join(types, " "));
}

Result<graph::Graph> ImportTflite(std::span<const uint8_t> bytes, const std::string& path,
                                  const ImportOptions& options) {
  std::vector<uint8_t> aligned;  // the tables are read in place, at their alignment
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0) {
    aligned.assign(bytes.begin(), bytes.end());
    bytes = aligned;
  }
  Result<tflite_model::TfliteModel> model = tflite_model::Parse(bytes);
  if (!model) return Within(path, model.error());
  Result<graph::Graph> graph = tflite_model::Converter(std::move(*model), options).Convert();
  if (!graph) return Within(path, graph.error());
  if (graph->name.empty()) graph->name = path;
  graph->rules = fmt::format("tflite {}", Text(options.tflite));
  return graph;
}

}  // namespace tessera
