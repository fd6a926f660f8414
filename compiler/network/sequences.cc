// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/sequences.h"

#include <algorithm>
#include <utility>

#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"
#include "compiler/network/sequence_images.h"
#include "compiler/network/sequence_products.h"

namespace tessera::network {
namespace {

using graph::Graph;
using graph::GraphTensor;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::TensorId;

bool IsQuantised(const GraphTensor& t) {
  return t.dtype == DType::kInt8 && t.quant && t.order.empty();
}

// The axis of [images, channels, 1, positions] that is |axis|.
size_t AxisIn(ImageAxis axis) { return axis == ImageAxis::kPositions ? 3 : size_t(axis); }

class Sequencer {
 public:
  Sequencer(const Graph& given, const isa::Config& config)
      : nodes_(given.nodes), config_(config), images_(given) {}

  std::optional<Graph> Run() {
    bool sums = false;  // products or dense layers in images
    for (const Node& node : nodes_) {
      const bool product = node.op == Op::kMatMul && ProductInImages(node, config_, &images_);
      if (product || Dense(node)) {
        sums = true;
        continue;
      }
      if (Arrange(node) || Elementwise(node) || AlongAxes(node)) continue;
      for (const TensorId id : node.inputs) images_.MakeReal(id);
      images_.graph().nodes.push_back(node);
      if (node.op == Op::kMatMul) MayContinue(node);
      MayBegin(node.output);
    }
    if (!sums) return std::nullopt;
    for (const TensorId id : images_.graph().outputs) images_.MakeReal(id);
    graph::RemoveDead(images_.graph());
    return std::move(images_.graph());
  }

 private:
  // An int8 tensor [images, tokens, channels] may begin a sequence.
  void MayBegin(TensorId id) {
    const Shape& shape = images_.ShapeOf(id);
    if (images_.Of(id) != nullptr || !IsQuantised(images_.tensor(id)) || shape.size() != 3 ||
        shape[1] == 1)
      return;
    const std::optional<Arrangement> image =
        Reshaped({.dims = {{{ImageAxis::kImages, 1, shape[0]}},
                           {{ImageAxis::kPositions, 1, shape[1]}},
                           {{ImageAxis::kChannels, 1, shape[2]}}}},
                 shape);
    images_.MayBe(id, image->dims);
  }

  // The result of a product that is made as it is may be an image as its second operand is: rows of
  // shares by values give as many tokens as there are values.
  void MayContinue(const Node& product) {
    const Arrangement* values = images_.Of(product.inputs[1]);
    if (values != nullptr && IsQuantised(images_.tensor(product.output)) &&
        images_.ShapeOf(product.output) == images_.ShapeOf(product.inputs[1]))
      images_.MayBe(product.output, values->dims);
  }

  // A node that only moves elements of images leaves them where they are.
  bool Arrange(const Node& node) {
    if (node.op != Op::kReshape && node.op != Op::kTranspose && node.op != Op::kSlice) return false;
    const TensorId id = node.inputs[0];
    const Arrangement* known = images_.Of(id);
    if (node.op == Op::kSlice) return known != nullptr && Slice(node, *known);
    const bool begins = known == nullptr && IsQuantised(images_.tensor(id)) &&
                        !images_.tensor(id).constant() && images_.ShapeOf(id).size() == 4;
    if (known == nullptr && !begins) return false;
    if (!images_.tensor(node.output).order.empty()) return false;
    const Arrangement from = known != nullptr ? *known : ArrangementOf(images_.graph(), id);
    std::optional<Arrangement> made;
    if (node.op == Op::kReshape) {
      made = Reshaped(from, images_.ShapeOf(node.output));
    } else {
      made = Transposed(from, node.As<graph::TransposeAttributes>().perm);
    }
    if (!made) return false;
    if (made->parts.empty()) made->parts = {images_.ImageOf(id)};
    images_.Put(node.output, std::move(*made));
    return true;
  }

  // Channels that are neighbours.
  bool Slice(const Node& node, const Arrangement& known) {
    const std::vector<graph::AxisCut>& axes = node.As<graph::SliceAttributes>().axes;
    const Shape& shape = images_.ShapeOf(node.inputs[0]);
    std::optional<size_t> cut;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (axes[d].count == shape[d]) continue;
      if (cut || axes[d].step != 1) return false;
      cut = d;
    }
    if (!cut || known.dims[*cut].size() != 1) return false;
    const Factor f = known.dims[*cut][0];
    if (f.axis != ImageAxis::kChannels || f.stride * f.extent != known.ExtentOf(f.axis))
      return false;
    Arrangement made = known;
    const TensorId image = images_.ImageOf(node.inputs[0]);
    made.parts = {images_.Cut(image, 1, axes[*cut].begin * f.stride, axes[*cut].count * f.stride)};
    made.dims[*cut] =
        axes[*cut].count == 1 ? Factors{} : Factors{{f.axis, f.stride, axes[*cut].count}};
    images_.Put(node.output, std::move(made));
    return true;
  }

  // A dense layer of the tokens, in any order, is a 1x1 convolution.
  bool Dense(const Node& node) {
    if (node.op != Op::kDense || !node.requant) return false;
    const Arrangement* known = images_.Of(node.inputs[0]);
    if (known == nullptr || !IsQuantised(images_.tensor(node.output))) return false;
    const int64_t images = known->ExtentOf(ImageAxis::kImages),
                  positions = known->ExtentOf(ImageAxis::kPositions);
    if (positions == 1 || !known->IsWhole(1, ImageAxis::kChannels)) return false;
    const Factors rows = known->dims[0];
    Node conv = node;
    conv.op = Op::kConv;
    conv.inputs[0] = images_.ImageOf(node.inputs[0]);
    GraphTensor weights = images_.tensor(node.inputs[1]);
    const int64_t outs = weights.shape[0];
    weights.name += ".window";
    weights.shape = {outs, weights.shape[1], 1, 1};
    const bool single = node.round == isa::Round::kTflite && weights.quant->scale.size() == 1;
    conv.attributes = graph::ConvAttributes{.single = single};
    conv.inputs[1] = images_.graph().AddTensor(std::move(weights));
    const TensorId made =
        images_.Add(std::move(conv), node.output, "", {images, outs, 1, positions});
    images_.Put(node.output, {{made}, ImageAxis::kImages, {rows, Channels(outs)}});
    return true;
  }

  static Factors Channels(int64_t count) {
    return count == 1 ? Factors{} : Factors{{ImageAxis::kChannels, 1, count}};
  }

  // Whether |id|, an operand of an elementwise node, has each element of the result's |image|, or
  // repeats along axes of it.
  bool GoesWith(TensorId id, const Arrangement& image) const {
    const Arrangement* own = images_.Of(id);
    if (own == nullptr || own->dims.size() > image.dims.size()) return false;
    const size_t lacks = image.dims.size() - own->dims.size();
    for (size_t d = 0; d < own->dims.size(); ++d) {
      const Factors& dim = own->dims[d];
      if (dim != image.dims[d + lacks] && !dim.empty()) return false;
    }
    for (const ImageAxis axis : {ImageAxis::kImages, ImageAxis::kChannels, ImageAxis::kPositions}) {
      const int64_t extent = own->ExtentOf(axis);
      if (extent != 1 && extent != image.ExtentOf(axis)) return false;
    }
    return true;
  }

  bool Elementwise(const Node& node) {
    const bool by_channel = node.op == Op::kPrelu || node.op == Op::kScale;
    if (graph::DefOf(node.op).category != graph::Category::kElementwise || by_channel ||
        (node.requant && node.requant->multiplier.size() > 1))
      return false;
    const Shape& shape = images_.ShapeOf(node.output);
    const auto lead = std::ranges::find_if(node.inputs, [&](TensorId id) {
      return images_.Of(id) != nullptr && images_.ShapeOf(id) == shape;
    });
    if (lead == node.inputs.end()) return false;
    if (node.inputs.size() == 1 && ByPart(node)) return true;
    const Arrangement image = *images_.Of(*lead);
    std::vector<TensorId> inputs;
    for (const TensorId id : node.inputs) {
      const auto constant =
          images_.tensor(id).constant() ? images_.ConstantFor(id, image, shape) : std::nullopt;
      if (!constant && !GoesWith(id, image)) return false;
      inputs.push_back(constant.value_or(id));
    }
    for (TensorId& id : inputs) {
      if (!images_.tensor(id).constant()) id = images_.ImageOf(id);
    }
    Node made = node;
    made.inputs = std::move(inputs);
    const TensorId result = images_.Add(std::move(made), node.output, "", image.Image());
    images_.Put(node.output, {{result}, ImageAxis::kImages, image.dims});
    return true;
  }

  // A function of one int8 value works on each part, behind the product that makes it.
  bool ByPart(const Node& node) {
    Arrangement image = *images_.Of(node.inputs[0]);
    const bool function =
        IsQuantised(images_.tensor(node.inputs[0])) && IsQuantised(images_.tensor(node.output));
    if (!function || image.parts.empty()) return false;
    for (size_t k = 0; k < image.parts.size(); ++k) {
      Node made = node;
      const std::string label = image.parts.size() == 1 ? "" : fmt::format(".head{}", k);
      made.name += label;
      made.inputs = {image.parts[k]};
      image.parts[k] =
          images_.Add(std::move(made), node.output, label, images_.ShapeOf(image.parts[k]));
    }
    images_.Put(node.output, std::move(image));
    return true;
  }

  // Reductions and softmax along an axis that is one of the image.
  bool AlongAxes(const Node& node) {
    const bool softmax = node.op == Op::kSoftmax;
    const bool reduces = graph::DefOf(node.op).category == graph::Category::kReduction &&
                         node.attributes.Fit<graph::AxesAttributes>() && !node.attributes.empty();
    if (!softmax && !reduces) return false;
    const Arrangement* known = images_.Of(node.inputs[0]);
    const size_t rank = images_.ShapeOf(node.output).size();
    if (known == nullptr || known->dims.size() != rank) return false;
    Arrangement image = *known;
    std::vector<int> axes =
        softmax ? std::vector{static_cast<int>(rank) - 1} : node.As<graph::AxesAttributes>().axes;
    for (int& axis : axes) {
      Factors& dim = image.dims[static_cast<size_t>(axis)];
      const Factors own = dim;
      if (own.size() != 1 || !known->IsWhole(static_cast<size_t>(axis), own[0].axis)) return false;
      if (reduces) dim = {};
      axis = static_cast<int>(AxisIn(own[0].axis));
    }
    Node made = node;
    made.inputs = {images_.ImageOf(node.inputs[0])};
    if (softmax) {
      made.Edit<graph::SoftmaxAttributes>().axis = axes[0];
    } else {
      made.attributes = graph::AxesAttributes{axes};
    }
    const TensorId result = images_.Add(std::move(made), node.output, "", image.Image());
    images_.Put(node.output, {{result}, ImageAxis::kImages, image.dims});
    return true;
  }

  const std::vector<Node> nodes_;
  const isa::Config& config_;
  SequenceImages images_;
};

}  // namespace

std::optional<Graph> SequencesAsImages(const Graph& graph, const isa::Config& config) {
  const bool any = std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return node.op == Op::kMatMul && node.requant && !graph.tensor(node.inputs[0]).constant() &&
           !graph.tensor(node.inputs[1]).constant();
  });
  if (!any) return std::nullopt;  // without a copy of the graph
  return Sequencer(graph, config).Run();
}

}  // namespace tessera::network
