// SPDX-License-Identifier: Apache-2.0
#include "compiler/calibrate/model_index.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace tessera::calibrate {

ModelIndex::ModelIndex(const OnnxModel& model) : model_(model) {
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    for (const std::string& value : model.nodes[n].outputs) {
      makers_[value] = n;
      taken_.insert(value);
    }
    for (const std::string& value : model.nodes[n].inputs) readers_[value].push_back(n);
    taken_.insert(model.nodes[n].name);
  }
  for (const auto& value : model.inputs) taken_.insert(value.name);
  for (const auto& value : model.outputs) outputs_.insert(value.name);
  for (const auto& [name, tensor] : model.initializers) taken_.insert(name);
}

const OnnxNode* ModelIndex::Maker(const std::string& value) const {
  const auto it = makers_.find(value);
  return it == makers_.end() ? nullptr : &model_.nodes[it->second];
}

const std::vector<size_t>& ModelIndex::Readers(const std::string& value) const {
  static const std::vector<size_t> kNobody;
  const auto it = readers_.find(value);
  return it == readers_.end() ? kNobody : it->second;
}

const OnnxNode* ModelIndex::OnlyReader(const std::string& value) const {
  const std::vector<size_t>& readers = Readers(value);
  return readers.size() == 1 && !IsOutput(value) ? &model_.nodes[readers[0]] : nullptr;
}

std::string ModelIndex::Fresh(const std::string& wanted) {
  std::string name = wanted;
  for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}.{}", wanted, n);
  return name;
}

int WeightAxis(const OnnxNode& node) {
  if (node.op_type == "Conv") return 0;
  if (node.op_type == "ConvTranspose" || node.op_type == "MatMul") return 1;
  if (node.op_type == "Gemm") return node.IntOr("transB", 0) != 0 ? 0 : 1;
  return -1;
}

const HostTensor* FloatConstant(const OnnxModel& model, const std::string& name) {
  const auto it = model.initializers.find(name);
  const bool is = it != model.initializers.end() && it->second.dtype == DType::kFloat32;
  return is ? &it->second : nullptr;
}

AxisIndex::AxisIndex(const std::vector<int64_t>& shape, int axis)
    : extent(static_cast<size_t>(shape[static_cast<size_t>(axis)])) {
  for (size_t d = static_cast<size_t>(axis) + 1; d < shape.size(); ++d)
    inner *= static_cast<size_t>(shape[d]);
}

void DropUnread(OnnxModel& model) {
  const ModelIndex index(model);
  std::erase_if(model.initializers, [&](const auto& entry) {
    return index.Readers(entry.first).empty() && !index.IsOutput(entry.first);
  });
}

Result<std::set<size_t>> NodesNamed(const OnnxModel& model, const std::vector<std::string>& names) {
  std::set<size_t> nodes;
  for (const std::string& name : names) {
    std::vector<std::string> others;
    const size_t before = nodes.size();
    for (size_t n = 0; n < model.nodes.size(); ++n) {
      const OnnxNode& node = model.nodes[n];
      if (node.name == name || std::ranges::count(node.outputs, name) > 0) nodes.insert(n);
      others.push_back(node.name.empty() ? node.outputs[0] : node.name);
    }
    if (nodes.size() > before) continue;
    const bool again = std::ranges::any_of(nodes, [&](size_t n) {
      return model.nodes[n].name == name || std::ranges::count(model.nodes[n].outputs, name) > 0;
    });
    if (again) continue;
    std::ranges::stable_sort(others, {},
                             [&](const std::string& other) { return EditDistance(name, other); });
    others.resize(std::min<size_t>(others.size(), 3));
    return Fail(Code::kNotFound, "--float {}: the model has no such layer; the nearest are {}",
                name, fmt::join(others, ", "));
  }
  return nodes;
}

}  // namespace tessera::calibrate
