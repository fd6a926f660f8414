// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/cut.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace tessera::graph {

Graph Cut(const Graph& graph, size_t first, size_t last) {
  TESSERA_CHECK(first < last && last <= graph.nodes.size());
  Graph cut{.name = graph.name + "/" + graph.nodes[first].name, .rules = graph.rules};
  std::map<TensorId, TensorId> ids;  // id in |graph| -> id in |cut|
  const auto take = [&](TensorId there) {
    const auto [entry, added] = ids.try_emplace(there, static_cast<TensorId>(cut.tensors.size()));
    if (added) cut.AddTensor(graph.tensor(there));
    return std::pair(entry->second, added);
  };
  for (size_t n = first; n < last; ++n) {
    Node node = graph.nodes[n];
    for (TensorId& input : node.inputs) {
      const auto [here, added] = take(input);
      if (added && !cut.tensor(here).constant()) cut.inputs.push_back(here);
      input = here;
    }
    const TensorId result = node.output;
    node.output = take(result).first;
    const auto outside = [&](size_t reader) { return reader >= last; };
    if (std::ranges::any_of(graph.ConsumersOf(result), outside) ||
        std::ranges::count(graph.outputs, result) > 0)
      cut.outputs.push_back(node.output);
    cut.nodes.push_back(std::move(node));
  }
  return cut;
}

}  // namespace tessera::graph
