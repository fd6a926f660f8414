// SPDX-License-Identifier: Apache-2.0
#include "compiler/region/region.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "compiler/graph/op_def.h"
#include "compiler/region/body.h"

namespace tessera::te {
std::string RegionBuilder::Name(const std::string& name) {
  const std::string word = Word(name);
  std::string unique = word;
  for (int n = 2; !names_.insert(unique).second; ++n) unique = fmt::format("{}.{}", word, n);
  return unique;
}

Tensor RegionBuilder::Value(graph::TensorId id) {
  const auto it = values_.find(id);
  if (it != values_.end()) return it->second;
  const graph::GraphTensor& t = graph_.tensor(id);
  Tensor placeholder = Placeholder(Name(t.name), t.dtype, t.shape);
  Binding binding{placeholder, -1, {}};
  if (t.constant()) {
    binding.constant = *t.data;
  } else {
    binding.activation = id;
  }
  bindings_.push_back(std::move(binding));
  values_[id] = placeholder;
  return placeholder;
}

Tensor RegionBuilder::ConstantBytes(const std::string& name, DType dtype,
                                    std::vector<int64_t> shape, std::span<const uint8_t> bytes) {
  Tensor placeholder = Placeholder(Name(name), dtype, std::move(shape));
  bindings_.push_back({placeholder, -1, {bytes.begin(), bytes.end()}});
  return placeholder;
}

RegionTe BuildRegion(const graph::Graph& graph, const graph::Region& region) {
  RegionBuilder builder(graph);
  RegionTe te;
  te.name = region.name;
  te.output_id = region.output;
  for (size_t n : region.nodes) {
    graph::DefOf(graph.nodes[n].op).body(builder, graph.nodes[n]);
    te.macs += graph::Macs(graph, graph.nodes[n]);
  }
  te.output = builder.Value(region.output);
  te.bindings = builder.TakeBindings();
  const Status status = Verify({te.output});
  TESSERA_CHECK(status.has_value(), "region {}: {}", region.name, status.error().message);
  return te;
}

namespace {

std::set<std::string> NamesOf(const RegionTe& region, bool constants) {
  std::set<std::string> names;
  for (const Binding& binding : region.bindings) {
    if ((binding.activation < 0) == constants) names.insert(binding.placeholder.name());
  }
  return names;
}

}  // namespace

std::set<std::string> ConstantNames(const RegionTe& region) { return NamesOf(region, true); }
std::set<std::string> ActivationNames(const RegionTe& region) { return NamesOf(region, false); }

std::optional<std::vector<int32_t>> ConstantOf(const RegionTe& region, const Expr& read) {
  if (read->kind != ir::ExprKind::kTensorRead || read.dtype() != DType::kInt32) return {};
  const auto of = std::ranges::find_if(region.bindings, [&](const Binding& b) {
    return b.activation < 0 && b.placeholder.node().get() == read->tensor.get();
  });
  if (of == region.bindings.end() || of->constant.size() < sizeof(int32_t)) return {};
  std::vector<int32_t> values(of->constant.size() / sizeof(int32_t));
  std::memcpy(values.data(), of->constant.data(), values.size() * sizeof(int32_t));
  return values;
}

}  // namespace tessera::te
