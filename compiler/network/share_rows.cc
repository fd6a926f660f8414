// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/share_rows.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "compiler/graph/op_def.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;

constexpr const char* kCut = ".cut";  // behind the name of a part: the rows that it reads

bool IsByteImage(const GraphTensor& t) { return t.dtype == DType::kInt8 && t.shape.size() == 4; }
int64_t RowsIn(const GraphTensor& t) { return t.shape[kRowAxis]; }

void SetWindow(const graph::Window& window, Node* node) {
  (node->op == Op::kConv ? node->Edit<graph::ConvAttributes>().window
                         : node->Edit<graph::PoolAttributes>().window) = window;
}

// Rows |begin| to |end| of |image| by a slice, which |made| gets; |image| itself, if it is all.
TensorId Cut(Graph& graph, const std::string& name, const std::string& tensor, TensorId image,
             int64_t begin, int64_t end, std::vector<Node>* made) {
  graph::Shape shape = graph.tensor(image).shape;
  if (begin == 0 && end == shape[kRowAxis]) return image;
  shape[kRowAxis] = end - begin;
  graph::SliceAttributes cut;
  for (const int64_t extent : shape) cut.axes.push_back({0, 1, extent});
  cut.axes[kRowAxis].begin = begin;
  Node slice{
      .op = Op::kSlice, .name = name + kCut, .inputs = {image}, .attributes = std::move(cut)};
  slice.output = AddLike(graph, image, tensor + kCut, shape);
  made->push_back(std::move(slice));
  return made->back().output;
}

}  // namespace

bool CanShareRows(const Graph& graph, const Node& node) {
  const GraphTensor& out = graph.tensor(node.output);
  if (!IsByteImage(out) || !IsByteImage(graph.tensor(node.inputs[0]))) return false;
  if (const auto window = WindowOf(node)) {
    return std::max(window->pad_before[0], window->pad_after[0]) < window->Reach(0) &&
           std::ranges::all_of(node.inputs.begin() + 1, node.inputs.end(),
                               [&](TensorId id) { return graph.tensor(id).constant(); });
  }
  if (graph::DefOf(node.op).category != graph::Category::kElementwise) return false;
  return std::ranges::all_of(node.inputs, [&](TensorId id) {
    const GraphTensor& t = graph.tensor(id);
    const bool one = t.shape.size() < 2 || t.shape[t.shape.size() - 2] == 1;
    return t.constant() ? one : IsByteImage(t) && (one || RowsIn(t) == RowsIn(out));
  });
}

void AddRows(Graph& graph, const Node& node, const char* label, int64_t first, int64_t count,
             Parts* parts) {
  Node made = node;
  made.name += label;
  graph::Shape shape = graph.tensor(node.output).shape;
  const int64_t all = shape[kRowAxis];
  shape[kRowAxis] = count;
  const std::string tensor = graph.tensor(node.output).name + label;
  std::optional<graph::Window> window = WindowOf(made);
  for (size_t k = 0; k < made.inputs.size(); ++k) {
    const TensorId id = made.inputs[k];
    if (graph.tensor(id).constant()) continue;
    const int64_t rows = RowsIn(graph.tensor(id));
    int64_t begin = first, end = first + count;
    if (window) {
      begin = first * window->stride[0] - window->pad_before[0];
      end = (first + count - 1) * window->stride[0] - window->pad_before[0] + window->Reach(0);
      window->pad_before[0] = std::max<int64_t>(-begin, 0);
      window->pad_after[0] = std::max<int64_t>(end - rows, 0);
      SetWindow(*window, &made);
      begin = std::max<int64_t>(begin, 0);
      end = std::min(end, rows);
    } else if (rows != all) {
      continue;  // the one row belongs to all
    }
    const std::string number = k == 0 ? "" : std::to_string(k);
    made.inputs[k] = Cut(graph, made.name + number, tensor + number, id, begin, end, &parts->nodes);
  }
  // The factors of an average depend on the pads of its window; others are those of the layer.
  if (node.op == Op::kAvgPool) made.requant.reset();
  AddPart(graph, node, label, std::move(made), shape, parts);
}

std::vector<size_t> CutsOf(const Graph& graph, size_t n) {
  std::vector<size_t> cuts;
  for (const TensorId id : graph.nodes[n].inputs) {
    const auto maker = graph.ProducerOf(id);
    if (maker && graph.nodes[*maker].name.starts_with(graph.nodes[n].name) &&
        graph.nodes[*maker].name.ends_with(kCut))
      cuts.push_back(*maker);
  }
  return cuts;
}

}  // namespace tessera::network
