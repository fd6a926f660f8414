// SPDX-License-Identifier: Apache-2.0
//
// Verify: what every pass and every reader of a graph relies on.
#include <algorithm>

#include "compiler/graph/graph.h"
#include "isa/enums.h"

namespace tessera::graph {
namespace {

std::string ShapeText(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", shape[i]);
  return text + "]";
}

// The check of one node whose ids are in range.
class NodeCheck {
 public:
  NodeCheck(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  Status Run() const {
    for (const TensorId id : node_.inputs) TESSERA_TRY(Scaled(graph_.tensor(id), "operand"));
    TESSERA_TRY(Scaled(Out(), "result"));
    switch (node_.op) {
      case Op::kQuantize:
        TESSERA_TRY(Types(DType::kFloat32, DType::kInt8));
        return Same();
      case Op::kDequantize:
        TESSERA_TRY(Types(DType::kInt8, DType::kFloat32));
        return Same();
      default:
        break;
    }
    TESSERA_TRY(Types(DType::kInt8, DType::kInt8));
    if (node_.lo > node_.hi) return Bad("bounds {} to {}", node_.lo, node_.hi);
    switch (node_.op) {
      case Op::kConv:
        return Conv();
      case Op::kDense:
        return Dense();
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
        if (In(1).dtype != DType::kInt8)
          return Bad("operand {} is {}", In(1).name, tessera::Text(In(1).dtype));
        if (In(1).shape != In(0).shape)
          return Bad("operands of shapes {} and {}", ShapeText(In(0).shape),
                     ShapeText(In(1).shape));
        return Same();
      case Op::kAvgPool:
      case Op::kMaxPool:
        return Pool();
      case Op::kReshape:
        if (In(0).count() != Out().count() || *In(0).quant != *Out().quant) {
          return Bad("{} cannot become {}, or the scales differ", ShapeText(In(0).shape),
                     ShapeText(Out().shape));
        }
        return {};
      case Op::kTranspose:
        return Transpose();
      case Op::kPad:
        return Pad();
      case Op::kConcat:
        return Concat();
      case Op::kMean:
        if (In(0).shape.size() != 4)
          return Bad("operand of shape {}, four axes are needed", ShapeText(In(0).shape));
        return Becomes({In(0).shape[0], In(0).shape[1], 1, 1});
      case Op::kSoftmax:
        return Softmax();
      default:
        return Same();
    }
  }

 private:
  template <typename... Args>
  std::unexpected<Error> Bad(fmt::format_string<Args...> format, Args&&... args) const {
    return Fail(Code::kInvalidArgument, "node {} ({}): {}", node_.name, Text(node_.op),
                fmt::format(format, std::forward<Args>(args)...));
  }
  const GraphTensor& In(size_t i) const { return graph_.tensor(node_.inputs[i]); }
  const GraphTensor& Out() const { return graph_.tensor(node_.output); }

  // Int8 tensors have scales; those that are not constants have one.
  Status Scaled(const GraphTensor& t, const char* what) const {
    if (t.dtype != DType::kInt8) return {};
    if (!t.quant) return Bad("{} {} has no scale", what, t.name);
    const size_t scales = t.quant->scale.size();
    if (scales == 0 || t.quant->zero.size() != scales || (!t.constant() && scales != 1)) {
      return Bad("{} {} has {} scales and {} zero points", what, t.name, scales,
                 t.quant->zero.size());
    }
    return {};
  }
  Status Types(DType in, DType out) const {
    if (In(0).dtype == in && Out().dtype == out) return {};
    return Bad("takes {} to {}, has {} and {}", tessera::Text(in), tessera::Text(out),
               tessera::Text(In(0).dtype), tessera::Text(Out().dtype));
  }
  Status Same() const { return Becomes(In(0).shape); }
  Status Becomes(const Shape& shape) const {
    if (Out().shape == shape) return {};
    return Bad("its result has shape {}, the operands make {}", ShapeText(Out().shape),
               ShapeText(shape));
  }

  Status Weights(size_t rank) const {
    const GraphTensor& w = In(1);
    if (!w.constant() || w.dtype != DType::kInt8 || w.shape.size() != rank || w.count() < 1 ||
        static_cast<int64_t>(w.data->size()) != w.count()) {
      return Bad("weights {} of shape {} are not an int8 constant of {} axes", w.name,
                 ShapeText(w.shape), rank);
    }
    const bool per_channel =
        w.quant->axis == 0 && static_cast<int64_t>(w.quant->scale.size()) == w.shape[0];
    if ((w.quant->scale.size() != 1 && !per_channel) ||
        std::ranges::any_of(w.quant->zero, [](int32_t z) { return z != 0; })) {
      return Bad("weights {} need one scale, or one an output channel, and no zero points", w.name);
    }
    if (node_.inputs.size() < 3) return {};
    const GraphTensor& bias = In(2);
    if (!bias.constant() || bias.dtype != DType::kInt32 ||
        static_cast<int64_t>(bias.data->size()) != 4 * w.shape[0]) {
      return Bad("bias {} is not a constant of {} int32", bias.name, w.shape[0]);
    }
    return {};
  }

  Status WindowOf(const Shape& in) const {
    const Window& w = node_.window;
    for (size_t d = 0; d < 2; ++d) {
      if (w.kernel[d] < 1 || w.stride[d] < 1 || w.dilation[d] < 1 || w.pad_before[d] < 0 ||
          w.pad_after[d] < 0) {
        return Bad("kernel, stride or dilation below 1, or a negative pad");
      }
      if (w.OutExtent(static_cast<int>(d), in[2 + d]) < 1)
        return Bad("the window does not fit shape {}", ShapeText(in));
    }
    return {};
  }

  Status Conv() const {
    TESSERA_TRY(Weights(4));
    const Shape &in = In(0).shape, &w = In(1).shape;
    if (in.size() != 4) return Bad("operand of shape {}, four axes are needed", ShapeText(in));
    TESSERA_TRY(WindowOf(in));
    if (node_.groups < 1 || w[0] % node_.groups != 0 || in[1] % node_.groups != 0 ||
        in[1] / node_.groups != w[1] || w[2] != node_.window.kernel[0] ||
        w[3] != node_.window.kernel[1]) {
      return Bad("{} groups, weights {}, operand {} do not agree", node_.groups, ShapeText(w),
                 ShapeText(in));
    }
    return Becomes(
        {in[0], w[0], node_.window.OutExtent(0, in[2]), node_.window.OutExtent(1, in[3])});
  }

  Status Dense() const {
    TESSERA_TRY(Weights(2));
    const Shape &in = In(0).shape, &w = In(1).shape;
    if (in.size() != 2 || in[1] != w[1])
      return Bad("weights {} and operand {} do not agree", ShapeText(w), ShapeText(in));
    return Becomes({in[0], w[0]});
  }

  Status Pool() const {
    const Shape& in = In(0).shape;
    if (in.size() != 4) return Bad("operand of shape {}, four axes are needed", ShapeText(in));
    TESSERA_TRY(WindowOf(in));
    const Window& w = node_.window;
    if (node_.op == Op::kAvgPool &&
        (w.pad_before != std::array<int64_t, 2>{} || w.pad_after != std::array<int64_t, 2>{})) {
      return Bad("an average over padding");
    }
    if (node_.op == Op::kMaxPool && *In(0).quant != *Out().quant)
      return Bad("the greatest value keeps its scale");
    return Becomes({in[0], in[1], w.OutExtent(0, in[2]), w.OutExtent(1, in[3])});
  }

  Status KeepsScale() const {
    for (const TensorId id : node_.inputs) {
      if (*graph_.tensor(id).quant != *Out().quant)
        return Bad("{} and its result have different scales", graph_.tensor(id).name);
    }
    return {};
  }

  Status Transpose() const {
    const Shape& in = In(0).shape;
    std::vector<bool> seen(in.size());
    Shape made;
    for (const int d : node_.perm) {
      if (d < 0 || d >= static_cast<int>(in.size()) || seen[static_cast<size_t>(d)])
        return Bad("axis {} of an order of {} axes", d, in.size());
      seen[static_cast<size_t>(d)] = true;
      made.push_back(in[static_cast<size_t>(d)]);
    }
    if (made.size() != in.size()) return Bad("an order of {} axes for {}", made.size(), in.size());
    TESSERA_TRY(KeepsScale());
    return Becomes(made);
  }

  Status Pad() const {
    Shape made = In(0).shape;
    if (node_.pads.size() != made.size())
      return Bad("pads for {} axes, the operand has {}", node_.pads.size(), made.size());
    for (size_t d = 0; d < made.size(); ++d) {
      if (node_.pads[d][0] < 0 || node_.pads[d][1] < 0) return Bad("a negative pad");
      made[d] += node_.pads[d][0] + node_.pads[d][1];
    }
    if (node_.pad_value < -128 || node_.pad_value > 127)
      return Bad("pad value {} is no int8", node_.pad_value);
    TESSERA_TRY(KeepsScale());
    return Becomes(made);
  }

  Status Concat() const {
    Shape made = In(0).shape;
    if (node_.axis < 0 || node_.axis >= static_cast<int>(made.size()))
      return Bad("axis {} of {}", node_.axis, made.size());
    const auto axis = static_cast<size_t>(node_.axis);
    for (size_t i = 1; i < node_.inputs.size(); ++i) {
      Shape other = In(i).shape;
      if (other.size() != made.size()) return Bad("{} has {} axes", In(i).name, other.size());
      const int64_t more = other[axis];
      other[axis] = made[axis];
      if (other != made)
        return Bad("{} of shape {} does not go after {}", In(i).name, ShapeText(In(i).shape),
                   ShapeText(made));
      made[axis] += more;
    }
    TESSERA_TRY(KeepsScale());
    return Becomes(made);
  }

  Status Softmax() const {
    if (In(0).shape.empty()) return Bad("an operand without axes");
    // The sum of exponentials has twelve integer bits.
    if (In(0).shape.back() >= 4096)
      return Bad("rows of {} elements, at most 4095", In(0).shape.back());
    if (!(node_.beta > 0) || node_.beta > 1e6) return Bad("beta {} is not in (0, 1e6]", node_.beta);
    const Quant& out = *Out().quant;
    if (out.scale[0] != 1.0 / 256 || out.zero[0] != -128)
      return Bad("its result {} has scale {} and zero point {}, must be 1/256 and -128", Out().name,
                 out.scale[0], out.zero[0]);
    return Same();
  }

  const Graph& graph_;
  const Node& node_;
};

}  // namespace

Status Verify(const Graph& graph) {
  const auto in_range = [&](TensorId id) {
    return id >= 0 && id < static_cast<TensorId>(graph.tensors.size());
  };
  std::vector<bool> known(graph.tensors.size());
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const GraphTensor& t = graph.tensors[i];
    known[i] = t.constant();
    if (std::ranges::any_of(t.shape, [](int64_t extent) { return extent < 1; })) {
      return Fail(Code::kInvalidArgument, "tensor {} has shape {}", t.name, ShapeText(t.shape));
    }
  }
  for (const TensorId id : graph.inputs) {
    if (!in_range(id)) return Fail(Code::kInvalidArgument, "graph input {} is not a tensor", id);
    known[static_cast<size_t>(id)] = true;
  }
  for (const Node& node : graph.nodes) {
    const auto bad = [&](const std::string& why) {
      return Fail(Code::kInvalidArgument, "node {} ({}): {}", node.name, Text(node.op), why);
    };
    const OperandCount takes = OperandsOf(node.op);
    if (node.inputs.size() < takes.least || node.inputs.size() > takes.most) {
      return bad(
          fmt::format("{} operands, takes {} to {}", node.inputs.size(), takes.least, takes.most));
    }
    for (const TensorId id : node.inputs) {
      if (!in_range(id)) return bad(fmt::format("operand {} is not a tensor", id));
      if (!known[static_cast<size_t>(id)])
        return bad(fmt::format("operand {} is used before it is made", graph.tensor(id).name));
    }
    if (!in_range(node.output)) return bad("its result is not a tensor");
    if (known[static_cast<size_t>(node.output)]) {
      return bad(fmt::format("its result {} has another producer", graph.tensor(node.output).name));
    }
    known[static_cast<size_t>(node.output)] = true;
    TESSERA_TRY(NodeCheck(graph, node).Run());
  }
  for (const TensorId id : graph.outputs) {
    if (!in_range(id) || !known[static_cast<size_t>(id)]) {
      return Fail(Code::kInvalidArgument, "graph output {} is not made by any node", id);
    }
  }
  return {};
}

}  // namespace tessera::graph
