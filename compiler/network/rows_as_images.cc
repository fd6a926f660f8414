// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/rows_as_images.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"
#include "compiler/network/into_parts.h"
#include "compiler/network/tensor_places.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::TensorId;

bool IsRow(const GraphTensor& t) {
  return t.dtype == DType::kInt8 && t.shape.size() == 2 && t.quant && t.quant->scale.size() == 1 &&
         !t.constant();
}

class RowImages {
 public:
  RowImages(const Graph& given, const isa::Config& config)
      : nodes_(given.nodes), wanted_(given.tensors.size()), graph_(given), config_(config) {}

  std::optional<Graph> Run() {
    bool any = false;
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      const bool moves = Moves(*node);
      any = any || moves;
      if (moves || (IsFunctionOfRows(*node) && Wanted(node->output))) {
        for (const TensorId id : node->inputs) wanted_[static_cast<size_t>(id)] = true;
      }
    }
    if (!any) return std::nullopt;
    graph_.nodes.clear();
    for (const Node& node : nodes_) Add(node);
    graph::RemoveDead(graph_);
    return std::move(graph_);
  }

 private:
  // Whether an image of |id| is what a node reads that moves channels.
  bool Wanted(TensorId id) const { return wanted_[static_cast<size_t>(id)]; }
  bool Row(TensorId id) const { return IsRow(graph_.tensor(id)); }

  // Whether |node| moves channels of rows, and is no view.
  bool Moves(const Node& node) const {
    if (node.inputs.empty() || !Row(node.output) || !Row(node.inputs[0])) return false;
    const bool all = std::ranges::all_of(node.inputs, [&](TensorId id) { return Row(id); });
    const bool moves =
        (node.op == Op::kConcat && all && node.As<graph::ConcatAttributes>().axis == 1) ||
        (node.op == Op::kGather && node.As<graph::GatherAttributes>().axis == 1) ||
        (node.op == Op::kPad && node.As<graph::PadAttributes>().pads[0] == kNoPads) ||
        (node.op == Op::kSlice &&
         node.As<graph::SliceAttributes>().axes[0].count == graph_.tensor(node.inputs[0]).shape[0]);
    return moves && LyingOf(graph_, node, config_).empty();
  }
  // Whether it makes each element of a row from those of its operands at the same place.
  bool IsFunctionOfRows(const Node& node) const {
    const auto alike = [&](TensorId id) {
      return Row(id) && graph_.tensor(id).shape == graph_.tensor(node.output).shape;
    };
    return Row(node.output) && std::ranges::all_of(node.inputs, alike) &&
           graph::DefOf(node.op).category == graph::Category::kElementwise;
  }
  bool IsLayer(const Node& node) const {
    return node.op == Op::kDense && node.requant && Row(node.inputs[0]) && Row(node.output) &&
           graph_.tensor(node.inputs[1]).constant();
  }

  void Add(const Node& node) {
    const bool beside =
        std::ranges::any_of(node.inputs, [&](TensorId id) { return images_.contains(id); }) ||
        Wanted(node.output);
    if (!Moves(node) && !(beside && (IsFunctionOfRows(node) || IsLayer(node))))
      return graph_.nodes.push_back(node);
    Node made = node;
    for (TensorId& id : made.inputs) {
      if (Row(id)) id = ImageOf(id);
    }
    if (node.op == Op::kDense) {
      GraphTensor weights = graph_.tensor(node.inputs[1]);
      made.op = Op::kConv;
      // As a dense layer multiplies the scales.
      made.attributes = graph::ConvAttributes{.single = node.round == isa::Round::kTflite &&
                                                        weights.quant->scale.size() == 1};
      weights.shape.insert(weights.shape.end(), {1, 1});
      weights.name += kImageName;
      made.inputs[1] = graph_.AddTensor(std::move(weights));
    }
    if (node.op == Op::kSlice) {
      auto& axes = made.Edit<graph::SliceAttributes>().axes;
      axes.insert(axes.end(), 2, {0, 1, 1});
    }
    if (node.op == Op::kPad) {
      auto& pads = made.Edit<graph::PadAttributes>().pads;
      pads.insert(pads.end(), 2, kNoPads);
    }
    made.output = Image(node.output);
    images_[node.output] = made.output;
    graph_.nodes.push_back(made);
    graph_.nodes.push_back({.op = Op::kReshape,
                            .name = node.name + ".row",
                            .inputs = {made.output},
                            .output = node.output});
  }

  graph::Shape ImageShape(TensorId id) const {
    graph::Shape shape = graph_.tensor(id).shape;
    shape.insert(shape.end(), {1, 1});
    return shape;
  }
  // A tensor like row |id|, as an image.
  TensorId Image(TensorId id) {
    return AddLike(graph_, id, graph_.tensor(id).name + kImageName, ImageShape(id));
  }
  // Row |id| as an image.
  TensorId ImageOf(TensorId id) {
    const auto [found, added] = images_.try_emplace(id, -1);
    if (!added) return found->second;
    // If a reshape made the row from such an image, that image serves.
    const auto maker = graph_.ProducerOf(id);
    if (maker && graph_.nodes[*maker].op == Op::kReshape) {
      const TensorId from = graph_.nodes[*maker].inputs[0];
      if (graph_.tensor(from).shape == ImageShape(id)) return found->second = from;
    }
    const TensorId image = Image(id);
    found->second = image;
    graph_.nodes.push_back(
        {.op = Op::kReshape, .name = graph_.tensor(image).name, .inputs = {id}, .output = image});
    return image;
  }

  static constexpr const char* kImageName = ".rank4";  // behind names of tensors
  static constexpr std::array<int64_t, 2> kNoPads{0, 0};

  const std::vector<Node> nodes_;
  std::vector<bool> wanted_;  // by tensor of the given graph
  Graph graph_;
  const isa::Config& config_;
  std::map<TensorId, TensorId> images_;  // by row
};

}  // namespace

std::optional<Graph> RowsAsImages(const Graph& graph, const isa::Config& config) {
  return RowImages(graph, config).Run();
}

}  // namespace tessera::network
