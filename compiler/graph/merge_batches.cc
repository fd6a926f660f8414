// SPDX-License-Identifier: Apache-2.0
//
// Products of int8 matrices over several leading axes: MergeBatches and SplitImages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"

namespace tessera::graph {
namespace {

// The shapes of |a| and |b| with at most one leading axis in their product. Nothing if the product
// already has that form, or if leading axes differ otherwise than by an extent of 1.
std::optional<std::array<Shape, 2>> MergedShapes(const Shape& a, const Shape& b) {
  const auto rows = [](const Shape& s) { return s[s.size() - 2]; };
  const auto before = [](const Shape& s) {
    int64_t count = 1;
    for (size_t d = 0; d + 2 < s.size(); ++d) count *= s[d];
    return count;
  };
  const int64_t of_a = before(a), of_b = before(b);
  if (std::max(a.size(), b.size()) < 3) return std::nullopt;
  if (of_b == 1 && of_a > 1)
    return std::array{Shape{of_a * rows(a), a.back()}, Shape{rows(b), b.back()}};
  if (std::max(a.size(), b.size()) == 3) return std::nullopt;
  // Leading axes broadcast where they are 1; they can be merged if they are equal or all 1.
  const size_t least = std::min(a.size(), b.size());
  bool alike = of_a == of_b;
  for (size_t d = 3; d <= least; ++d) alike = alike && a[a.size() - d] == b[b.size() - d];
  if (!alike && of_a != 1) return std::nullopt;
  return std::array{Shape{of_a, rows(a), a.back()}, Shape{of_b, rows(b), b.back()}};
}

bool IsInt8Product(const Graph& graph, const Node& node) {
  const GraphTensor& x = graph.tensor(node.inputs[0]);
  return node.op == Op::kMatMul && x.dtype == DType::kInt8 && x.quant.has_value();
}

// Whether |matrix| has the elements of |s| in order: all but the last axis are its rows.
bool IsMatrixOf(const Shape& s, const Shape& matrix) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < s.size(); ++d) rows *= s[d];
  return s.size() > 2 && matrix == Shape{rows, s.back()};
}

// Whether |node| computes rows of its int8 operands by themselves: element by element, or columns
// that it cuts out.
bool WorksByRow(const Graph& graph, const Node& node) {
  const auto int8 = [&](TensorId id) {
    return graph.tensor(id).dtype == DType::kInt8 && graph.tensor(id).quant;
  };
  const Shape& shape = graph.tensor(node.output).shape;
  if (!int8(node.output) || !std::ranges::all_of(node.inputs, int8)) return false;
  if (node.op == Op::kSlice) {
    const std::vector<AxisCut>& axes = node.As<SliceAttributes>().axes;
    const Shape& whole = graph.tensor(node.inputs[0]).shape;
    for (size_t d = 0; d + 1 < shape.size(); ++d) {
      if (axes[d].begin != 0 || shape[d] != whole[d]) return false;
    }
    return true;
  }
  const bool one = !node.requant || node.requant->bias.size() <= 1;  // record for all channels
  return one && DefOf(node.op).category == Category::kElementwise &&
         std::ranges::all_of(node.inputs,
                             [&](TensorId id) { return graph.tensor(id).shape == shape; });
}

// The shape of the product of tensors of shapes |a| and |b|, whose operands have at most one
// leading axis.
Shape ProductShape(const Shape& a, const Shape& b) {
  Shape shape = a;
  shape.back() = b.back();
  if (shape.size() == 3) shape[0] = b[0];
  return shape;
}

// By tensor: the shape with fewer leading axes that it gets, because a product or a dense layer has
// it under that shape, or because nodes that work by row connect it with such a tensor. Empty: it
// keeps its shape.
std::vector<Shape> MergedTensors(const Graph& graph) {
  std::vector<Shape> merged(graph.tensors.size());
  const auto set = [&](TensorId id, Shape shape) {
    Shape& known = merged[static_cast<size_t>(id)];
    if (!known.empty() || graph.tensor(id).shape.size() <= shape.size()) return false;
    known = std::move(shape);
    return true;
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const TensorId in = node.inputs[0], out = node.output;
    const Shape &from = graph.tensor(in).shape, &to = graph.tensor(out).shape;
    if (IsInt8Product(graph, node)) {
      const auto shapes = MergedShapes(from, graph.tensor(node.inputs[1]).shape);
      if (shapes) set(in, (*shapes)[0]), set(out, ProductShape((*shapes)[0], (*shapes)[1]));
    }
    if (node.op != Op::kReshape) continue;  // the importer's, around dense layers
    const auto dense = [&](size_t k) { return graph.nodes[k].op == Op::kDense; };
    const auto maker = graph.ProducerOf(in);
    if (IsMatrixOf(to, from) && maker && dense(*maker)) set(out, from);
    if (IsMatrixOf(from, to) && std::ranges::any_of(graph.ConsumersOf(out), dense)) set(in, to);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Node& node : graph.nodes) {
      if (!WorksByRow(graph, node)) continue;
      std::vector<TensorId> all = node.inputs;
      all.push_back(node.output);
      const auto known = std::ranges::find_if(
          all, [&](TensorId id) { return !merged[static_cast<size_t>(id)].empty(); });
      if (known == all.end()) continue;
      Shape shape = merged[static_cast<size_t>(*known)];
      for (const TensorId id : all) {
        shape.back() = graph.tensor(id).shape.back();
        changed |= set(id, shape);
      }
    }
  }
  return merged;
}

// Rebuilds a graph whose products have one leading axis or none.
class BatchMerger {
 public:
  explicit BatchMerger(Graph& graph) : graph_(graph), merged_(MergedTensors(graph)) {}

  void Run() {
    std::vector<Node> nodes = std::exchange(graph_.nodes, {});
    for (Node& node : nodes) {
      if (IsInt8Product(graph_, node)) {
        Product(std::move(node));
      } else if (WorksByRow(graph_, node) && !merged_[static_cast<size_t>(node.output)].empty()) {
        ByRow(std::move(node));
      } else {
        // A dense layer reads what has its rows, not a reshape of a reshape of it.
        if (node.op == Op::kDense) node.inputs[0] = Straight(node.inputs[0]);
        graph_.nodes.push_back(std::move(node));
      }
    }
    RemoveDead(graph_);  // constants under their old shapes, reshapes that nobody reads
  }

 private:
  // The first of the reshapes that |of| has been through, or what they read, that has |shape|;
  // nothing: none has.
  std::optional<TensorId> Before(TensorId of, const Shape& shape) const {
    std::optional<TensorId> found;
    for (;;) {
      if (!graph_.tensor(of).order.empty()) return found;
      if (graph_.tensor(of).shape == shape) found = of;
      const auto maker = graph_.ProducerOf(of);
      if (!maker || graph_.nodes[*maker].op != Op::kReshape) return found;
      of = graph_.nodes[*maker].inputs[0];
    }
  }
  TensorId Straight(TensorId of) const { return Before(of, graph_.tensor(of).shape).value_or(of); }

  // |of| under |shape|, for |node|: behind a reshape, unless it has been made from such a tensor.
  TensorId View(TensorId of, const Shape& shape, const Node& node, const std::string& suffix) {
    if (const auto before = Before(of, shape)) return *before;
    if (graph_.tensor(of).shape == shape) return of;
    GraphTensor t = graph_.tensor(of);
    t.name += ".merged." + node.name + suffix;
    t.shape = shape;
    t.order.clear();
    const bool constant = t.constant();
    const TensorId made = graph_.AddTensor(std::move(t));
    if (!constant) {
      Node reshape{.op = Op::kReshape, .name = node.name + suffix, .inputs = {of}};
      reshape.output = made;
      graph_.nodes.push_back(std::move(reshape));
    }
    return made;
  }

  // Adds |node|, whose result has |shape| now, and the reshape to the shape that its readers know.
  void Add(Node node, const Shape& shape) {
    Node whole{.op = Op::kReshape, .name = node.name + ".axes"};
    whole.output = node.output;
    GraphTensor result = graph_.tensor(node.output);
    result.name += ".merged";
    result.shape = shape;
    result.order.clear();
    node.output = graph_.AddTensor(std::move(result));
    whole.inputs = {node.output};
    graph_.nodes.push_back(std::move(node));
    graph_.nodes.push_back(std::move(whole));
  }

  void Product(Node node) {
    const auto merged =
        MergedShapes(graph_.tensor(node.inputs[0]).shape, graph_.tensor(node.inputs[1]).shape);
    if (!merged) {
      graph_.nodes.push_back(std::move(node));
      return;
    }
    const TensorId a = View(node.inputs[0], (*merged)[0], node, ".first"),
                   b = View(node.inputs[1], (*merged)[1], node, ".second");
    node.inputs = {a, b};
    Add(std::move(node), ProductShape((*merged)[0], (*merged)[1]));
  }

  void ByRow(Node node) {
    const Shape out = merged_[static_cast<size_t>(node.output)];
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      Shape shape = out;
      shape.back() = graph_.tensor(node.inputs[k]).shape.back();
      node.inputs[k] = View(node.inputs[k], shape, node, fmt::format(".rows{}", k));
    }
    if (node.op == Op::kSlice) {
      std::vector<AxisCut>& axes = node.Edit<SliceAttributes>().axes;
      std::vector<AxisCut> cut;
      for (const int64_t extent : out) cut.push_back({.count = extent});
      cut.back() = axes.back();
      axes = std::move(cut);
    }
    Add(std::move(node), out);
  }

  Graph& graph_;
  const std::vector<Shape> merged_;  // by tensor of the graph as it was
};

}  // namespace

void MergeBatches(Graph& graph) { BatchMerger(graph).Run(); }

void SplitImages(Graph& graph) {
  std::vector<Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  for (Node& node : nodes) {
    const Shape shape = graph.tensor(node.output).shape;
    const auto each = [&](TensorId id) {
      const Shape& of = graph.tensor(id).shape;
      return of.size() == 3 && of[0] > 1;
    };
    const bool joins = shape.front() <= static_cast<int64_t>(DefOf(Op::kConcat).most);
    if (!IsInt8Product(graph, node) || !each(node.inputs[1]) || !joins) {
      graph.nodes.push_back(std::move(node));
      continue;
    }
    // Adds |made|, whose result is image |image| of |whole|. |role| names the operand of the
    // product that it cuts; empty for the product itself.
    const auto add = [&](Node made, TensorId whole, int64_t image, const std::string& role) {
      const std::string mark = fmt::format(".image{}", image);
      const GraphTensor& like = graph.tensor(whole);
      GraphTensor one{.name = like.name + mark + (role.empty() ? "" : "." + node.name + role),
                      .dtype = like.dtype,
                      .shape = like.shape,
                      .quant = like.quant};
      one.shape[0] = 1;
      made.name = node.name + mark + role;
      made.output = graph.AddTensor(std::move(one));
      graph.nodes.push_back(std::move(made));
      return graph.nodes.back().output;
    };
    Node concat{.op = Op::kConcat, .name = node.name, .attributes = ConcatAttributes{0}};
    concat.round = node.round;
    for (int64_t image = 0; image < shape[0]; ++image) {
      Node product = node;
      for (size_t operand = 0; operand < 2; ++operand) {
        if (!each(node.inputs[operand])) continue;
        const TensorId whole = node.inputs[operand];
        SliceAttributes cut;
        for (const int64_t extent : graph.tensor(whole).shape)
          cut.axes.push_back({.count = extent});
        cut.axes[0] = {.begin = image, .count = 1};
        product.inputs[operand] =
            add({.op = Op::kSlice, .inputs = {whole}, .attributes = std::move(cut)}, whole, image,
                operand == 0 ? ".first" : ".second");
      }
      concat.inputs.push_back(add(std::move(product), node.output, image, ""));
    }
    concat.output = node.output;
    graph.nodes.push_back(std::move(concat));
  }
}

}  // namespace tessera::graph
