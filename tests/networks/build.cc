// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/build.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "compiler/graph/example.h"
#include "tests/networks/attention.h"
#include "tests/networks/constants.h"
#include "tests/networks/moves.h"

namespace tessera::networks {
namespace {

using graph::Node;
using graph::Op;
using graph::TensorId;
using Shape = std::vector<int64_t>;

constexpr int64_t kMostElements = 1 << 20;  // in a tensor: these networks are small

// Model files hold scales as float32.
double AsFloat(double scale) { return static_cast<double>(static_cast<float>(scale)); }

class Builder {
 public:
  explicit Builder(const Recipe& recipe) : recipe_(recipe) {}

  Result<graph::Graph> Run() {
    graph_.name = fmt::format("network_{}", recipe_.seed);
    for (size_t i = 0; i < recipe_.steps.size(); ++i) {
      index_ = i;
      step_ = &recipe_.steps[i];
      rng_ = Rng((*step_)[Field::kSeed][0]);
      TESSERA_TRY(One());
    }
    for (const int id : recipe_.outputs) {
      const auto at = static_cast<size_t>(id);
      graph::GraphTensor& t = graph_.tensor(made_[at]);
      if (std::ranges::count(graph_.inputs, made_[at]) > 0)
        return Fail(Code::kInvalidArgument, "t{}: an input is an output", id);
      if (recipe_.steps[at][Field::kNhwc][0] && t.shape.size() == 4) t.order = {0, 2, 3, 1};
      graph_.outputs.push_back(made_[at]);
    }
    TESSERA_TRY(graph::Verify(graph_));
    return std::move(graph_);
  }

 private:
  template <typename... Args>
  std::unexpected<Error> Bad(fmt::format_string<Args...> format, Args&&... args) const {
    return Fail(Code::kInvalidArgument, "t{} ({}): {}", index_, NameOf(step_->kind),
                fmt::format(format, std::forward<Args>(args)...));
  }
  int64_t Get(Field f, size_t k = 0) const { return (*step_)[f][k]; }
  TensorId From(size_t k) const { return made_[static_cast<size_t>(step_->from[k])]; }
  const Shape& ShapeOf(size_t k) const { return graph_.tensor(From(k)).shape; }
  const graph::Quant& QuantOf(size_t k) const { return *graph_.tensor(From(k)).quant; }
  // Root mean square of the real values of operand |k|.
  double SpreadOf(size_t k) const { return spread_[static_cast<size_t>(step_->from[k])]; }

  Status Image(size_t k = 0) const {
    if (ShapeOf(k).size() == 4) return {};
    return Bad("operand of {} axes, needs 4", ShapeOf(k).size());
  }

  Result<TensorId> Add(Shape shape, std::optional<graph::Quant> quant, const std::string& name) {
    graph::GraphTensor t;
    t.name = name;
    int64_t count = 1;
    for (const int64_t extent : shape) {
      if (extent < 1 || (count *= extent) > kMostElements)
        return Bad("an extent below 1, or more than {} elements", kMostElements);
    }
    t.shape = std::move(shape);
    t.quant = std::move(quant);
    return graph_.AddTensor(std::move(t));
  }

  // Ends the step: |node| makes a tensor of |shape| with real values of about |spread|.
  Status Make(Node node, Shape shape, graph::Quant quant, double spread) {
    const std::string name = fmt::format("t{}", index_);
    node.name = fmt::format("{}_{}", NameOf(step_->kind), index_);
    // Concatenations of several scales have the rule of ONNX, or tables as of TFLite's uint8.
    node.round =
        step_->kind == Kind::kConcat && rng_.OneIn(2) ? isa::Round::kEven : isa::Round::kTflite;
    if (Has(step_->kind, Field::kBounds)) {
      node.lo = static_cast<int32_t>(Get(Field::kBounds, 0));
      node.hi = static_cast<int32_t>(Get(Field::kBounds, 1));
    }
    TESSERA_ASSIGN(node.output, Add(std::move(shape), std::move(quant), name));
    made_.push_back(node.output);
    spread_.push_back(spread);
    graph_.nodes.push_back(std::move(node));
    return {};
  }
  // The same with a scale of its own: |spread| becomes 30 to 60 steps.
  Status MakeScaled(Node node, Shape shape, double spread) {
    const double scale = AsFloat(spread / static_cast<double>(rng_.Range(30, 60)));
    return Make(std::move(node), std::move(shape),
                {{scale}, {static_cast<int32_t>(Get(Field::kZero))}, -1}, spread);
  }
  // The same with the scale of operand 0.
  Status MakeLike(Node node, Shape shape) {
    return Make(std::move(node), std::move(shape), QuantOf(0), SpreadOf(0));
  }

  Status Input() {
    graph::GraphTensor t;
    t.name = fmt::format("t{}", index_);
    t.shape = {Get(Field::kShape, 0), Get(Field::kShape, 1)};
    if (Get(Field::kShape, 2) > 0) {
      t.shape.push_back(Get(Field::kShape, 2));
      t.shape.push_back(Get(Field::kShape, 3));
      if (Get(Field::kNhwc)) t.order = {0, 2, 3, 1};
    }
    for (const int64_t extent : t.shape) {
      if (extent < 1) return Bad("an extent of {}", extent);
    }
    if (t.count() > kMostElements) return Bad("more than {} elements", kMostElements);
    const double scale = AsFloat(0.01 * static_cast<double>(rng_.Range(1, 10)));
    t.quant = graph::Quant{{scale}, {static_cast<int32_t>(Get(Field::kZero))}, -1};
    made_.push_back(graph_.AddTensor(std::move(t)));
    graph_.inputs.push_back(made_.back());
    spread_.push_back(74 * scale);
    return {};
  }

  graph::Window Window() const {
    graph::Window w;
    for (size_t d = 0; d < 2; ++d) {
      w.kernel[d] = Get(Field::kKernel, d) > 0 ? Get(Field::kKernel, d) : ShapeOf(0)[2 + d];
      w.stride[d] = Get(Field::kStride, d);
      w.dilation[d] = Get(Field::kDilation, d);
      w.pad_before[d] = Get(Field::kPads, d);
      w.pad_after[d] = Get(Field::kPads, 2 + d);
    }
    return w;
  }
  // Shape of the result of window |w| with |channels|; extents below 1 where the window does not
  // fit.
  Shape Through(const graph::Window& w, int64_t channels) const {
    const Shape& in = ShapeOf(0);
    return {in[0], channels, w.OutExtent(0, in[2]), w.OutExtent(1, in[3])};
  }

  // Adds weights of |shape| and a bias to |node|; returns the spread of its sums. Channels differ
  // in scale by up to a factor of 4, and the bias is about as large as the sums.
  Result<double> Weights(Node& node, const Shape& shape) {
    graph::GraphTensor w;
    w.name = fmt::format("t{}.weights", index_);
    w.shape = shape;
    int64_t taps = 1;
    for (size_t d = 1; d < shape.size(); ++d) taps *= shape[d];
    if (shape[0] * taps > kMostElements) return Bad("more than {} weights", kMostElements);
    const double base = AsFloat(0.001 * static_cast<double>(rng_.Range(1, 20)));
    graph::Quant quant;
    quant.axis = Get(Field::kChannels) ? 0 : -1;
    for (int64_t c = 0; c < (Get(Field::kChannels) ? shape[0] : 1); ++c) {
      const auto part = static_cast<double>(rng_.Range(16, 64));
      quant.scale.push_back(Get(Field::kChannels) ? AsFloat(base * part / 32) : base);
      quant.zero.push_back(0);
    }
    w.quant = std::move(quant);
    w.data.emplace();
    for (int64_t k = 0; k < shape[0] * taps; ++k)
      w.data->push_back(static_cast<uint8_t>(rng_.Range(-127, 127)));
    node.inputs.push_back(graph_.AddTensor(std::move(w)));

    const double products = std::sqrt(static_cast<double>(taps)) * 73;  // 73: spread of a weight
    const auto bound = static_cast<int64_t>(products * SpreadOf(0) / QuantOf(0).scale[0]) + 1;
    graph::GraphTensor bias;
    bias.name = fmt::format("t{}.bias", index_);
    bias.dtype = DType::kInt32;
    bias.shape = {shape[0]};
    bias.data.emplace();
    for (int64_t c = 0; c < shape[0]; ++c) {
      const auto value = static_cast<uint32_t>(rng_.Range(-bound, bound));
      for (int b = 0; b < 4; ++b) bias.data->push_back(static_cast<uint8_t>(value >> 8 * b));
    }
    node.inputs.push_back(graph_.AddTensor(std::move(bias)));
    return products * base * SpreadOf(0);
  }

  Status Conv() {
    TESSERA_TRY(Image());
    const int64_t channels = ShapeOf(0)[1], outs = Get(Field::kOuts);
    Node node{.op = Op::kConv, .inputs = {From(0)}};
    const bool depthwise = step_->kind == Kind::kDepthwise;
    const int64_t groups = depthwise ? channels : Get(Field::kGroups);
    const int64_t made = depthwise ? channels * outs : outs;
    if (channels % groups != 0 || made % groups != 0)
      return Bad("{} groups of {} and {} channels", groups, channels, made);
    const graph::Window window = Window();
    node.attributes = graph::ConvAttributes{window, groups};
    TESSERA_ASSIGN(const double spread,
                   Weights(node, {made, channels / groups, window.kernel[0], window.kernel[1]}));
    return MakeScaled(std::move(node), Through(window, made), spread);
  }

  Status Dense() {
    if (ShapeOf(0).size() != 2) return Bad("operand of {} axes, needs 2", ShapeOf(0).size());
    Node node{.op = Op::kDense, .inputs = {From(0)}};
    TESSERA_ASSIGN(const double spread, Weights(node, {Get(Field::kOuts), ShapeOf(0)[1]}));
    return MakeScaled(std::move(node), {ShapeOf(0)[0], Get(Field::kOuts)}, spread);
  }

  Status Elementwise(Op op) {
    if (ShapeOf(0) != ShapeOf(1)) return Bad("operands of two shapes");
    const double a = SpreadOf(0), b = SpreadOf(1);
    return MakeScaled({.op = op, .inputs = {From(0), From(1)}}, ShapeOf(0),
                      op == Op::kMul ? a * b : std::sqrt(a * a + b * b));
  }

  Status Pool(Op op) {
    TESSERA_TRY(Image());
    Node node{.op = op, .inputs = {From(0)}};
    const graph::Window window = Window();
    node.attributes = graph::PoolAttributes{window};
    return MakeLike(node, Through(window, ShapeOf(0)[1]));
  }

  Status Move() {
    TESSERA_TRY(Image());
    Shape shape;
    Result<Node> node = Moved(graph_, From(0), *step_, fmt::format("t{}", index_), rng_, &shape);
    if (!node) return Bad("{}", node.error().message);
    return MakeLike(std::move(*node), std::move(shape));
  }

  Status Concat() {
    const auto axis = static_cast<size_t>(Get(Field::kAxis));
    Shape shape = ShapeOf(0);
    if (axis >= shape.size()) return Bad("axis {} of {}", axis, shape.size());
    Node node{.op = Op::kConcat,
              .inputs = {From(0)},
              .attributes = graph::ConcatAttributes{static_cast<int>(axis)}};
    for (size_t k = 1; k < step_->from.size(); ++k) {
      Shape other = ShapeOf(k);
      if (other.size() != shape.size())
        return Bad("operands of {} and {} axes", shape.size(), other.size());
      shape[axis] += other[axis];
      other[axis] = ShapeOf(0)[axis];
      if (other != ShapeOf(0)) return Bad("operand {} has another shape", k);
      node.inputs.push_back(From(k));
    }
    return MakeLike(std::move(node), shape);
  }

  Status Slice() {
    Shape shape = ShapeOf(0);
    graph::SliceAttributes cuts;
    for (const int64_t extent : shape) cuts.axes.push_back({0, 1, extent});
    const auto axis = static_cast<size_t>(Get(Field::kAxis));
    if (axis >= shape.size()) return Bad("axis {} of {}", axis, shape.size());
    cuts.axes[axis] = {Get(Field::kPads), 1, Get(Field::kOuts)};
    if (Get(Field::kPads) + Get(Field::kOuts) > shape[axis])
      return Bad("{} indices from {} on of {}", Get(Field::kOuts), Get(Field::kPads), shape[axis]);
    shape[axis] = Get(Field::kOuts);
    return MakeLike({.op = Op::kSlice, .inputs = {From(0)}, .attributes = cuts}, shape);
  }

  // An operator as in its own example; the example's random choices follow from the seed.
  Status Operator(Op op) {
    size_t next = 1;
    graph::Example example{
        .graph = graph_,
        .draw = [&](int64_t least, int64_t most) { return rng_.Range(least, most); },
        .another = [&](bool) { return From(next < step_->from.size() ? next++ : 0); },
        .node = {.op = op,
                 .name = fmt::format("{}_{}", NameOf(step_->kind), index_),
                 .inputs = {From(0)},
                 .lo = static_cast<int32_t>(Get(Field::kBounds, 0)),
                 .hi = static_cast<int32_t>(Get(Field::kBounds, 1)),
                 .round = isa::Round::kTflite}};
    const double scale = AsFloat(SpreadOf(0) / static_cast<double>(rng_.Range(30, 60)));
    TESSERA_TRY(graph::Complete(example, {{scale}, {static_cast<int32_t>(Get(Field::kZero))}, -1}));
    graph::GraphTensor& made = graph_.tensor(example.node.output);
    // Slopes that a step makes multiply the values.
    const bool slopes = op == Op::kPrelu && !graph_.tensor(example.node.inputs[1]).constant();
    if (slopes && step_->from.size() > 1)
      made.quant->scale = {AsFloat(scale * std::max(SpreadOf(1), 1.0))};
    made.name = fmt::format("t{}", index_);
    if (made.count() > kMostElements) return Bad("more than {} elements", kMostElements);
    made_.push_back(example.node.output);
    spread_.push_back(made.quant->scale[0] * 45);
    graph_.nodes.push_back(std::move(example.node));
    return {};
  }

  Status Attention() {
    TESSERA_TRY(Image());
    const AttentionSizes sizes{Get(Field::kGroups), Get(Field::kOuts)};
    const TensorId x = Attended(graph_, From(0), sizes, fmt::format("t{}", index_), rng_);
    const graph::GraphTensor& made = graph_.tensor(x);
    if (made.count() > kMostElements) return Bad("more than {} elements", kMostElements);
    return MakeScaled({.op = Op::kRescale, .inputs = {x}}, made.shape, made.quant->scale[0] * 60);
  }

  Status Function() {
    const auto function = step_->kind == Kind::kShift ? Shifted : InFloats;
    double spread = SpreadOf(0);
    Node node = function(graph_, From(0), fmt::format("t{}", index_), rng_, &spread);
    return MakeScaled(std::move(node), ShapeOf(0), spread);
  }

  Status Reshape(Shape shape) {
    return MakeLike({.op = Op::kReshape, .inputs = {From(0)}}, std::move(shape));
  }

  Status One() {
    const auto in = [&] { return ShapeOf(0); };
    switch (step_->kind) {
      case Kind::kInput:
        return Input();
      case Kind::kConv:
      case Kind::kDepthwise:
        return Conv();
      case Kind::kDense:
        return Dense();
      case Kind::kAdd:
        return Elementwise(Op::kAdd);
      case Kind::kSub:
        return Elementwise(Op::kSub);
      case Kind::kMul:
        return Elementwise(Op::kMul);
      case Kind::kAvgPool:
        return Pool(Op::kAvgPool);
      case Kind::kMaxPool:
        return Pool(Op::kMaxPool);
      case Kind::kRescale:
        return MakeScaled({.op = Op::kRescale, .inputs = {From(0)}}, in(), SpreadOf(0));
      case Kind::kFlatten:
        TESSERA_TRY(Image());
        return Reshape({in()[0], in()[1] * in()[2] * in()[3]});
      case Kind::kUnroll:
        TESSERA_TRY(Image());
        return Reshape({in()[0], in()[1], 1, in()[2] * in()[3]});
      case Kind::kConcat:
        return Concat();
      case Kind::kSlice:
        return Slice();
      case Kind::kShift:
      case Kind::kReal:
        return Function();
      case Kind::kAttention:
        return Attention();
      case Kind::kTranspose:
      case Kind::kPad:
      case Kind::kWiden:
      case Kind::kResize:
      case Kind::kShuffle:
      case Kind::kPick:
        return Move();
    }
    return Operator(OpOf(step_->kind));
  }

  const Recipe& recipe_;
  size_t index_ = 0;
  const Step* step_ = nullptr;
  Rng rng_{0};
  graph::Graph graph_;
  std::vector<TensorId> made_;  // by step
  std::vector<double> spread_;
};

}  // namespace

Result<graph::Graph> BuildGraph(const Recipe& recipe) { return Builder(recipe).Run(); }

}  // namespace tessera::networks
