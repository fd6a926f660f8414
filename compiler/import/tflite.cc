// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite.h"

#include "compiler/import/tflite_convert.h"
#include "compiler/import/tflite_model.h"

namespace tessera {

std::string TfliteOperators() { return tflite_model::Converter::Operators(); }

Result<graph::Graph> ImportTflite(std::span<const uint8_t> bytes, const std::string& path) {
  std::vector<uint8_t> aligned;  // the tables are read in place, at their alignment
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0) {
    aligned.assign(bytes.begin(), bytes.end());
    bytes = aligned;
  }
  Result<tflite_model::TfliteModel> model = tflite_model::Parse(bytes);
  if (!model) return Within(path, model.error());
  Result<graph::Graph> graph = tflite_model::Converter(*model).Convert();
  if (!graph) return Within(path, graph.error());
  if (graph->name.empty()) graph->name = path;
  return graph;
}

}  // namespace tessera
