// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/batch.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace tessera::ort {
namespace {

using onnx_model::OnnxNode;
using Extents = std::vector<int64_t>;

// Operators whose order of items matters, or which make others of them.
const std::set<std::string_view> kOrdered{"LSTM",   "GRU",       "RNN",      "Tile",
                                          "Expand", "ScatterND", "GatherND", "ReverseSequence"};
// Operators whose attribute axis is 0 where it is absent.
const std::set<std::string_view> kAxisZero{"ArgMax",         "ArgMin", "Gather",
                                           "GatherElements", "Split",  "ScatterElements"};

// The shape of |name|; nothing: it has none, or every extent is known.
std::optional<Extents> OpenShape(const ReadModel& read, const std::string& name) {
  const auto it = read.values.find(name);
  if (name.empty() || it == read.values.end() || read.model.initializers.contains(name) ||
      !it->second.shape || std::ranges::count(*it->second.shape, -1) == 0)
    return std::nullopt;
  return it->second.shape;
}

// The integers of input |index|, a constant.
std::optional<Extents> Constants(const ReadModel& read, const OnnxNode& node, size_t index) {
  if (index >= node.inputs.size()) return std::nullopt;
  const auto it = read.model.initializers.find(node.inputs[index]);
  if (it == read.model.initializers.end()) return std::nullopt;
  const HostTensor& tensor = it->second;
  if (tensor.dtype == DType::kInt64) {
    const auto values = tensor.as<int64_t>();
    return Extents(values.begin(), values.end());
  }
  if (tensor.dtype != DType::kInt32) return std::nullopt;
  const auto values = tensor.as<int32_t>();
  return Extents(values.begin(), values.end());
}

// Whether |node| works along the first of |rank| axes of its first input, or may do so.
bool AlongFirst(const ReadModel& read, const OnnxNode& node, int64_t rank) {
  const std::string& type = node.op_type;
  const auto first = [&](int64_t axis) { return axis == 0 || axis == -rank; };
  if (type == "QuantizeLinear" || type == "DequantizeLinear") return false;
  if (node.attributes.contains("axis") ? first(node.IntOr("axis", 1)) : kAxisZero.contains(type))
    return true;
  if (type == "Slice" || type == "CumSum") {
    const auto axes = Constants(read, node, type == "Slice" ? 3 : 1);
    return !axes || std::ranges::any_of(*axes, first);
  }
  if (type == "Pad") {
    const auto pads = Constants(read, node, 1);
    const auto half = static_cast<size_t>(rank);
    return !pads || pads->size() != 2 * half || (*pads)[0] != 0 || (*pads)[half] != 0;
  }
  return false;
}

}  // namespace

std::string MixesItems(const ReadModel& read, size_t index) {
  const OnnxNode& node = read.model.nodes[index];
  std::optional<size_t> rank;
  for (const std::string& name : node.inputs) {
    const std::optional<Extents> shape = OpenShape(read, name);
    if (!shape) continue;
    if (rank && *rank != shape->size())
      return node.Place() + ": its operands count items along different axes";
    rank = shape->size();
  }
  if (!rank) return "";
  for (const auto* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) {
      const auto it = read.values.find(name);
      if (name.empty() || it == read.values.end()) continue;
      const auto& shape = it->second.shape;
      const bool made = names == &node.outputs;
      if (!shape || (made && (shape->empty() || (*shape)[0] != -1)) ||
          std::ranges::count(*shape, -1) > 1 ||
          (std::ranges::count(*shape, -1) == 1 && (*shape)[0] != -1)) {
        return fmt::format("{}: extents of '{}' are open, other than the first", node.Place(),
                           name);
      }
    }
  }
  const bool batch = !node.inputs.empty() && OpenShape(read, node.inputs[0]);
  if (kOrdered.contains(node.op_type) ||
      (batch && AlongFirst(read, node, static_cast<int64_t>(*rank))))
    return node.Place() + ": may bring items of a batch together, whose extent is open";
  return "";
}

}  // namespace tessera::ort
