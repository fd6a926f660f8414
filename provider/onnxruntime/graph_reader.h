// SPDX-License-Identifier: Apache-2.0
//
// A graph of ONNX Runtime as the plain structs of an ONNX file. Depends on: calls.h,
// compiler/import. Used by: claim.h, provider.cc.
#ifndef TESSERA_PROVIDER_ONNXRUNTIME_GRAPH_READER_H_
#define TESSERA_PROVIDER_ONNXRUNTIME_GRAPH_READER_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/import/onnx_model.h"
#include "provider/onnxruntime/calls.h"

namespace tessera::ort {

struct ReadModel {
  onnx_model::OnnxModel model;
  std::vector<const OrtNode*> nodes;                // of ONNX Runtime, one for each of model.nodes
  std::map<std::string, onnx_model::Value> values;  // the type and shape of each value
  std::set<std::string> captured;                   // values that sub-graphs of nodes read
  // For each node why it cannot be read: sub-graphs, an attribute of another type; "": it can.
  std::vector<std::string> unreadable;
};

// Reads |graph|, its initializers too. A node that cannot be read is in |unreadable| and has no
// attributes.
//   errors  kUnavailable  ONNX Runtime's
Result<ReadModel> ReadGraph(const Calls& calls, const OrtGraph* graph);

// The part of |whole| that has the nodes |nodes|, in ascending order, as a model of its own.
// |inputs| and |outputs|: names in their order; empty: what the part needs and what others use.
onnx_model::OnnxModel PartOf(const ReadModel& whole, const std::vector<size_t>& nodes,
                             const std::vector<std::string>& inputs = {},
                             const std::vector<std::string>& outputs = {});

}  // namespace tessera::ort

#endif  // TESSERA_PROVIDER_ONNXRUNTIME_GRAPH_READER_H_
