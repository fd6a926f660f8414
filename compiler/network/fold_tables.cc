// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/fold_tables.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/check.h"
#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"
#include "compiler/region/region.h"
#include "compiler/te/te.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;

const std::vector<int64_t> kAllValues{1, 1, 16, 16};  // the shape of a tensor of 256 values

// Whether every element of the constant |t| is the same number.
bool IsOneNumber(const GraphTensor& t) {
  const auto size = static_cast<size_t>(SizeOf(t.dtype));
  const std::vector<uint8_t>& bytes = *t.data;
  return bytes.size() >= size &&
         std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), bytes.begin());
}

// Operators, by their numbers in order, that compute a value of the tensor |of| alone.
struct Function {
  TensorId of = -1;
  std::vector<size_t> nodes;
};

class TableFolder {
 public:
  explicit TableFolder(Graph& graph) : graph_(graph), folded_(graph.nodes.size()) {}

  void Run() {
    bool any = false;
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      if (folded_[n] || !IsInt8(graph_.nodes[n].output)) continue;
      const Function function = LargestOf(n);
      if (function.nodes.empty()) continue;
      // One operator of one activation is what it is; with a number, the table takes the number in.
      if (function.nodes.size() == 1 && graph_.nodes[n].inputs.size() == 1) continue;
      Replace(n, function);
      for (const size_t m : function.nodes) folded_[m] = true;
      any = true;
    }
    if (any) graph::RemoveDead(graph_);
  }

 private:
  // Whether a table may take or give the values of |id|.
  bool IsInt8(TensorId id) const {
    const GraphTensor& t = graph_.tensor(id);
    return t.dtype == DType::kInt8 && t.quant;
  }

  // Whether node |n| works element by element on activations of one shape and on constants of one
  // number.
  bool ByElement(size_t n) const {
    const Node& node = graph_.nodes[n];
    const GraphTensor& out = graph_.tensor(node.output);
    if (graph::DefOf(node.op).category != graph::Category::kElementwise) return false;
    return std::ranges::all_of(node.inputs, [&](TensorId id) {
      const GraphTensor& t = graph_.tensor(id);
      return t.constant() ? IsOneNumber(t) : t.shape == out.shape;
    });
  }

  // Adds node |n| and the operators between it and |root| to |nodes|; false: it reads another
  // activation than |root|, or a result of another kind of operator.
  bool Between(TensorId root, size_t n, std::set<size_t>* nodes) const {
    if (!ByElement(n)) return false;
    for (const TensorId id : graph_.nodes[n].inputs) {
      if (id == root || graph_.tensor(id).constant()) continue;
      const std::optional<size_t> maker = graph_.ProducerOf(id);
      if (!maker) return false;
      if (!nodes->contains(*maker) && !Between(root, *maker, nodes)) return false;
    }
    nodes->insert(n);
    return true;
  }

  // Whether only operators of |nodes| read the int8 results of those but |last|. Results of other
  // types may have other readers: the table still saves the quantisation behind them.
  bool Closed(const std::set<size_t>& nodes, size_t last) const {
    return std::ranges::all_of(nodes, [&](size_t n) {
      const TensorId id = graph_.nodes[n].output;
      if (n == last || !IsInt8(id)) return true;
      return std::ranges::count(graph_.outputs, id) == 0 &&
             std::ranges::all_of(graph_.ConsumersOf(id),
                                 [&](size_t user) { return nodes.contains(user); });
    });
  }

  // The function that node |n| ends with the most operators.
  Function LargestOf(size_t n) const {
    Function best;
    std::vector<size_t> open{n};
    std::set<TensorId> roots;
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      if (!ByElement(at)) continue;
      for (const TensorId id : graph_.nodes[at].inputs) {
        if (graph_.tensor(id).constant() || !roots.insert(id).second) continue;
        if (const auto maker = graph_.ProducerOf(id)) open.push_back(*maker);
      }
    }
    for (const TensorId root : roots) {
      std::set<size_t> nodes;
      if (!IsInt8(root) || !Between(root, n, &nodes) || !Closed(nodes, n)) continue;
      if (nodes.size() > best.nodes.size()) best = {root, {nodes.begin(), nodes.end()}};
    }
    return best;
  }

  // The result of each of the 256 values, by the definitions of the operators.
  std::vector<int8_t> ValuesOf(const Function& function) const {
    Graph alone;
    std::vector<TensorId> here(graph_.tensors.size(), -1);
    const auto take = [&](TensorId id) {
      TensorId& made = here[static_cast<size_t>(id)];
      if (made != -1) return made;
      GraphTensor t = graph_.tensor(id);
      const bool repeats = t.constant() && t.shape != graph_.tensor(function.of).shape;
      t.shape = repeats ? std::vector<int64_t>{1, 1, 1, 1} : kAllValues;
      if (t.constant()) {
        const std::vector<uint8_t> number(t.data->begin(), t.data->begin() + SizeOf(t.dtype));
        t.data->clear();
        for (int64_t k = 0; k < t.count(); ++k)
          t.data->insert(t.data->end(), number.begin(), number.end());
      }
      t.order.clear();
      return made = alone.AddTensor(std::move(t));
    };
    alone.inputs = {take(function.of)};
    graph::Region region{.name = "table"};
    for (const size_t n : function.nodes) {
      Node node = graph_.nodes[n];
      for (TensorId& id : node.inputs) id = take(id);
      region.output = node.output = take(node.output);
      region.nodes.push_back(alone.nodes.size());
      alone.nodes.push_back(std::move(node));
    }
    alone.outputs = {region.output};
    region.inputs = alone.inputs;
    const te::RegionTe made = te::BuildRegion(alone, region);
    te::Values values;
    for (const te::Binding& binding : made.bindings) {
      ir::Array array(binding.placeholder.dtype(), binding.constant);
      if (binding.activation >= 0) {
        array = ir::Array(DType::kInt8, 256);
        for (int64_t q = 0; q < array.size(); ++q) array.SetInt(q, q - 128);
      }
      values.emplace(binding.placeholder.get(), std::move(array));
    }
    const Status done = te::Evaluate({made.output}, &values);
    TESSERA_CHECK(done.has_value(), "{}", done.error().message);
    const ir::Array& results = values.at(made.output.get());
    std::vector<int8_t> table;
    for (int64_t q = 0; q < results.size(); ++q)
      table.push_back(static_cast<int8_t>(results.Int(q)));
    return table;
  }

  void Replace(size_t n, const Function& function) {
    Node table{.op = Op::kTable,
               .name = graph_.nodes[n].name,
               .inputs = {function.of},
               .output = graph_.nodes[n].output,
               .attributes = graph::TableAttributes{ValuesOf(function)},
               .round = graph_.nodes[n].round};
    graph::Requant requant{.round = table.round};
    const Status filled = graph::DefOf(table.op).requant(graph_, table, requant);
    TESSERA_CHECK(filled.has_value(), "{}", filled.error().message);
    table.requant = std::move(requant);
    graph_.nodes[n] = std::move(table);
  }

  Graph& graph_;
  std::vector<bool> folded_;  // by node: a table has taken its place
};

}  // namespace

void FoldTables(Graph& graph) { TableFolder(graph).Run(); }

}  // namespace tessera::network
