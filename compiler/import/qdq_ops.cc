// SPDX-License-Identifier: Apache-2.0
//
// One function an ONNX operator (or a family): checks attributes and shapes, emits an integer node.
#include <algorithm>
#include <cmath>

#include "compiler/import/qdq.h"

namespace tessera::onnx_model {
namespace {

using graph::GraphTensor;
using graph::TensorId;
using graph::Window;

// The window fields of a 1-D or 2-D operator: |values| for the spatial axes, as (y, x).
Status SpatialPair(const OnnxNode& node, const char* what, const std::vector<int64_t>& values,
                   size_t spatial, int64_t least, std::array<int64_t, 2>& pair) {
  constexpr int64_t kMost = 4096;
  if (values.empty()) return {};
  if (values.size() != spatial) {
    return Fail(Code::kInvalidArgument, "{}: attribute {} has {} values for {} spatial axes",
                node.Place(), what, values.size(), spatial);
  }
  for (int64_t v : values) {
    if (v < least || v > kMost) {
      return Fail(Code::kInvalidArgument, "{}: attribute {} holds {}; {} to {} can be handled",
                  node.Place(), what, v, least, kMost);
    }
  }
  pair[1] = values.back();
  if (spatial == 2) pair[0] = values[0];
  return {};
}

}  // namespace

// Rank-3 values [N, C, L] are handled as [N, C, 1, L].
Result<TensorId> QdqConverter::Spatial4(const OnnxNode& node, TensorId x) {
  const GraphTensor from = graph_.tensor(x);
  if (from.shape.size() == 4) return x;
  if (from.shape.size() != 3) {
    return Fail(Code::kUnsupported, "{}: input shape {}; [N, C, H, W] or [N, C, L] is supported",
                node.Place(), ShapeText(from.shape));
  }
  graph::Node made{.op = graph::Op::kReshape, .name = node.name + ".rank4", .inputs = {x}};
  return Emit(std::move(made), node, *from.quant, {from.shape[0], from.shape[1], 1, from.shape[2]},
              from.name + ".rank4");
}

Result<Window> QdqConverter::ReadWindow(const OnnxNode& node, const std::vector<int64_t>& shape,
                                        std::vector<int64_t> kernel) {
  Window w;
  const std::vector<int64_t> given = node.Ints("kernel_shape");
  if (kernel.empty()) kernel = given;
  if (kernel.empty()) return Fail(Code::kInvalidArgument, "{}: has no kernel_shape", node.Place());
  if (!given.empty() && given != kernel) {
    return Fail(Code::kInvalidArgument, "{}: kernel_shape {} but the weights' is {}", node.Place(),
                ShapeText(given), ShapeText(kernel));
  }
  const size_t spatial = kernel.size();
  if (spatial < 1 || spatial > 2) {
    return Fail(Code::kUnsupported, "{}: {} spatial axes; 1 and 2 are supported", node.Place(),
                spatial);
  }
  TESSERA_TRY(SpatialPair(node, "kernel_shape", kernel, spatial, 1, w.kernel));
  TESSERA_TRY(SpatialPair(node, "strides", node.Ints("strides"), spatial, 1, w.stride));
  TESSERA_TRY(SpatialPair(node, "dilations", node.Ints("dilations"), spatial, 1, w.dilation));
  std::vector<int64_t> pads = node.Ints("pads");
  if (!pads.empty() && pads.size() != 2 * spatial) {
    return Fail(Code::kInvalidArgument, "{}: attribute pads has {} values for {} spatial axes",
                node.Place(), pads.size(), spatial);
  }
  const size_t half = pads.size() / 2;
  TESSERA_TRY(SpatialPair(node, "pads", {pads.begin(), pads.begin() + static_cast<int64_t>(half)},
                          spatial, 0, w.pad_before));
  TESSERA_TRY(SpatialPair(node, "pads", {pads.begin() + static_cast<int64_t>(half), pads.end()},
                          spatial, 0, w.pad_after));

  const auto pad_mode = node.attributes.find("auto_pad");
  const std::string mode =
      pad_mode == node.attributes.end() ? "NOTSET" : pad_mode->second.s.value_or("NOTSET");
  if (mode != "NOTSET" && std::ranges::any_of(pads, [](int64_t p) { return p != 0; })) {
    return Fail(Code::kInvalidArgument, "{}: has both pads and auto_pad '{}'", node.Place(), mode);
  }
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    for (int d = 0; d < 2; ++d) {
      const int64_t in = shape[static_cast<size_t>(d) + 2];
      const int64_t out = (in + w.stride[d] - 1) / w.stride[d];
      const int64_t pad = std::max<int64_t>(
          0, (out - 1) * w.stride[d] + (w.kernel[d] - 1) * w.dilation[d] + 1 - in);
      w.pad_before[d] = mode == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
      w.pad_after[d] = pad - w.pad_before[d];
    }
  } else if (mode != "NOTSET" && mode != "VALID") {
    return Fail(Code::kInvalidArgument, "{}: auto_pad '{}'", node.Place(), mode);
  }
  for (int d = 0; d < 2; ++d) {
    if (w.OutExtent(d, shape[static_cast<size_t>(d) + 2]) <= 0) {
      return Fail(Code::kInvalidArgument,
                  "{}: a window of {} does not fit the padded input of shape {}", node.Place(),
                  ShapeText(kernel), ShapeText(shape));
    }
  }
  return w;
}

Result<TensorId> QdqConverter::Weights(const OnnxNode& node, size_t rank) {
  const auto it = node.inputs.size() > 1 ? reals_.find(node.inputs[1]) : reals_.end();
  if (it == reals_.end() || !graph_.tensor(it->second).constant() ||
      graph_.tensor(it->second).dtype != DType::kInt8) {
    return Fail(Code::kUnsupported,
                "{}: its weights are not an int8 constant behind DequantizeLinear", node.Place());
  }
  const GraphTensor& w = graph_.tensor(it->second);
  if (w.shape.size() != rank) {
    return Fail(Code::kInvalidArgument, "{}: weights of shape {}, {} axes are needed", node.Place(),
                ShapeText(w.shape), rank);
  }
  if (w.count() == 0)
    return Fail(Code::kInvalidArgument, "{}: weights of shape {} are empty", node.Place(),
                ShapeText(w.shape));
  for (int32_t zero : w.quant->zero) {
    if (zero != 0) {
      return Fail(Code::kUnsupported,
                  "{}: weights '{}' have zero point {}; only symmetric weights (zero point 0) are "
                  "supported",
                  node.Place(), w.name, zero);
    }
  }
  return it->second;
}

// The bias as int32 in units of s_in * s_w[c]; a float constant is rounded to that.
Result<TensorId> QdqConverter::Bias(const OnnxNode& node, size_t index, const GraphTensor& x,
                                    const GraphTensor& w) {
  const size_t channels = static_cast<size_t>(w.shape[0]);
  const double s_in = x.quant->scale[0];
  const auto unit = [&](size_t c) {
    return s_in * w.quant->scale[w.quant->scale.size() == 1 ? 0 : c];
  };
  const std::string& name = node.inputs[index];
  if (const HostTensor* constant = Initializer(name);
      constant && constant->dtype == DType::kFloat32) {
    if (static_cast<size_t>(constant->count()) != channels) {
      return Fail(Code::kInvalidArgument, "{}: {} biases for {} channels", node.Place(),
                  constant->count(), channels);
    }
    GraphTensor bias{
        name, DType::kInt32, {w.shape[0]}, std::nullopt, std::vector<uint8_t>(4 * channels)};
    int32_t* out = reinterpret_cast<int32_t*>(bias.data->data());
    for (size_t c = 0; c < channels; ++c) {
      const double q = std::nearbyint(static_cast<double>(constant->as<float>()[c]) / unit(c));
      if (!(std::abs(q) < 2147483648.0)) {
        return Fail(Code::kOutOfRange,
                    "{}: bias {} of channel {} does not fit int32 in steps of {}", node.Place(),
                    constant->as<float>()[c], c, unit(c));
      }
      out[c] = static_cast<int32_t>(q);
    }
    return AddConstant(node, std::move(bias));
  }
  const auto it = reals_.find(name);
  if (it == reals_.end() || !graph_.tensor(it->second).constant() ||
      graph_.tensor(it->second).dtype != DType::kInt32) {
    return Fail(Code::kUnsupported,
                "{}: its bias '{}' is not an int32 constant behind DequantizeLinear", node.Place(),
                name);
  }
  const GraphTensor& bias = graph_.tensor(it->second);
  if (static_cast<size_t>(bias.count()) != channels ||
      (bias.quant->scale.size() != 1 && bias.quant->scale.size() != channels)) {
    return Fail(Code::kInvalidArgument, "{}: {} biases for {} channels", node.Place(), bias.count(),
                channels);
  }
  for (size_t c = 0; c < channels; ++c) {
    const double s = bias.quant->scale[bias.quant->scale.size() == 1 ? 0 : c];
    if (bias.quant->zero[bias.quant->zero.size() == 1 ? 0 : c] != 0) {
      return Fail(Code::kUnsupported, "{}: bias '{}' has a zero point", node.Place(), name);
    }
    if (std::abs(s - unit(c)) > 1e-4 * unit(c)) {
      return Fail(Code::kUnsupported,
                  "{}: bias '{}' has scale {} for channel {}, input scale x weight scale is {}",
                  node.Place(), name, s, c, unit(c));
    }
  }
  return it->second;
}

Status QdqConverter::Conv(const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, Operand(node, 0));
  const size_t rank = graph_.tensor(x).shape.size();
  TESSERA_ASSIGN(x, Spatial4(node, x));
  TESSERA_ASSIGN(TensorId w_id, Weights(node, rank));
  if (graph_.tensor(w_id).quant->axis > 0) {
    return Fail(Code::kUnsupported, "{}: weights quantised along axis {}; axis 0 is supported",
                node.Place(), graph_.tensor(w_id).quant->axis);
  }
  const std::vector<int64_t> given = graph_.tensor(w_id).shape;
  const std::vector<int64_t> kernel(given.begin() + 2, given.end());
  if (rank == 3) {  // the constant may have other uses
    GraphTensor wide = graph_.tensor(w_id);
    wide.shape.insert(wide.shape.begin() + 2, 1);
    TESSERA_ASSIGN(w_id, AddConstant(node, std::move(wide)));
  }
  const std::vector<int64_t> in = graph_.tensor(x).shape;
  graph::Node made{.op = graph::Op::kConv, .inputs = {x, w_id}};
  TESSERA_ASSIGN(made.window, ReadWindow(node, in, kernel));
  made.groups = node.IntOr("group", 1);
  if (made.groups < 1 || given[0] % made.groups != 0 || given[1] * made.groups != in[1]) {
    return Fail(Code::kInvalidArgument, "{}: {} groups, weights {}, input {} do not agree",
                node.Place(), made.groups, ShapeText(given), ShapeText(in));
  }
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    TESSERA_ASSIGN(const TensorId bias, Bias(node, 2, graph_.tensor(x), graph_.tensor(w_id)));
    made.inputs.push_back(bias);
  }
  std::vector<int64_t> shape{in[0], given[0], made.window.OutExtent(0, in[2]),
                             made.window.OutExtent(1, in[3])};
  if (rank == 4) return EmitInto(std::move(made), node, shape);

  // A 1-D result goes back to [N, C, L].
  TESSERA_ASSIGN(const Sink sink, Follow(node));
  made.lo = sink.lo;
  made.hi = sink.hi;
  TESSERA_ASSIGN(const TensorId wide,
                 Emit(std::move(made), node, sink.quant, shape, sink.quantized[0] + ".rank4"));
  graph::Node flat{.op = graph::Op::kReshape, .name = node.name + ".rank3", .inputs = {wide}};
  Sink same = sink;
  same.lo = -128;
  same.hi = 127;
  return EmitSink(std::move(flat), node, same, {shape[0], shape[1], shape[3]});
}

Status QdqConverter::Dense(const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, Operand(node, 0));
  TESSERA_ASSIGN(TensorId w_id, Weights(node, 2));
  const auto alpha = node.attributes.find("alpha");
  const auto beta = node.attributes.find("beta");
  if ((alpha != node.attributes.end() && alpha->second.f.value_or(1) != 1) ||
      (beta != node.attributes.end() && beta->second.f.value_or(1) != 1) ||
      node.IntOr("transA", 0) != 0) {
    return Fail(Code::kUnsupported, "{}: alpha, beta other than 1 or transA", node.Place());
  }
  const std::vector<int64_t> in = graph_.tensor(x).shape;
  if (in.size() != 2)
    return Fail(Code::kUnsupported, "{}: input shape {}; [N, I] is supported", node.Place(),
                ShapeText(in));
  const bool transposed = node.op_type == "Gemm" && node.IntOr("transB", 0) != 0;
  const int axis = graph_.tensor(w_id).quant->axis;
  if (axis >= 0 && axis != (transposed ? 0 : 1)) {
    return Fail(Code::kUnsupported, "{}: weights quantised along their input axis", node.Place());
  }
  if (!transposed) {  // [I, O] -> [O, I]
    GraphTensor turned = graph_.tensor(w_id);
    const int64_t rows = turned.shape[0], columns = turned.shape[1];
    turned.shape = {columns, rows};
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        (*turned.data)[static_cast<size_t>(c * rows + r)] =
            (*graph_.tensor(w_id).data)[static_cast<size_t>(r * columns + c)];
      }
    }
    turned.quant->axis = turned.quant->axis == 1 ? 0 : -1;
    TESSERA_ASSIGN(w_id, AddConstant(node, std::move(turned)));
  }
  const GraphTensor& w = graph_.tensor(w_id);
  if (w.shape[1] != in[1]) {
    return Fail(Code::kInvalidArgument, "{}: input {} and weights {} do not agree", node.Place(),
                ShapeText(in), ShapeText(w.shape));
  }
  graph::Node made{.op = graph::Op::kDense, .inputs = {x, w_id}};
  const std::vector<int64_t> shape{in[0], w.shape[0]};
  if (node.op_type == "Gemm" && node.inputs.size() > 2 && !node.inputs[2].empty()) {
    TESSERA_ASSIGN(const TensorId bias, Bias(node, 2, graph_.tensor(x), w));
    made.inputs.push_back(bias);
  }
  return EmitInto(std::move(made), node, shape);
}

Status QdqConverter::Add(const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId a, Operand(node, 0));
  TESSERA_ASSIGN(const TensorId b, Operand(node, 1));
  if (graph_.tensor(a).shape != graph_.tensor(b).shape) {
    return Fail(Code::kUnsupported, "{}: shapes {} and {}; broadcasting is not supported",
                node.Place(), ShapeText(graph_.tensor(a).shape), ShapeText(graph_.tensor(b).shape));
  }
  graph::Node made{.op = node.op_type == "Add" ? graph::Op::kAdd : graph::Op::kMul,
                   .inputs = {a, b}};
  return EmitInto(std::move(made), node, graph_.tensor(a).shape);
}

Status QdqConverter::Pool(const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, Operand(node, 0));
  if (graph_.tensor(x).shape.size() != 4) {
    return Fail(Code::kUnsupported, "{}: input shape {}; [N, C, H, W] is supported", node.Place(),
                ShapeText(graph_.tensor(x).shape));
  }
  const std::vector<int64_t> in = graph_.tensor(x).shape;
  graph::Node made{.op = node.op_type == "MaxPool" ? graph::Op::kMaxPool : graph::Op::kAvgPool,
                   .inputs = {x}};
  if (node.op_type == "GlobalAveragePool") {
    made.window.kernel = {in[2], in[3]};
  } else {
    TESSERA_ASSIGN(made.window, ReadWindow(node, in, {}));
  }
  const Window& w = made.window;
  if (node.IntOr("ceil_mode", 0) != 0)
    return Fail(Code::kUnsupported, "{}: ceil_mode", node.Place());
  const bool padded =
      w.pad_before != std::array<int64_t, 2>{0, 0} || w.pad_after != std::array<int64_t, 2>{0, 0};
  if (node.op_type == "AveragePool" && padded) {
    return Fail(Code::kUnsupported, "{}: average over a padded window", node.Place());
  }
  if (made.op == graph::Op::kMaxPool && node.outputs.size() > 1 && !node.outputs[1].empty()) {
    return Fail(Code::kUnsupported, "{}: the indices output", node.Place());
  }
  for (int d = 0; d < 2; ++d) {
    if (w.pad_before[d] >= w.kernel[d] || w.pad_after[d] >= w.kernel[d]) {
      return Fail(Code::kInvalidArgument, "{}: pads as large as the window", node.Place());
    }
  }
  constexpr int64_t kMaxWindow = 1 << 16;  // sums and their zero points stay far inside 32 bits
  if (w.kernel[0] * w.kernel[1] > kMaxWindow) {
    return Fail(Code::kUnsupported, "{}: a window of {}x{}, at most {} elements are supported",
                node.Place(), w.kernel[0], w.kernel[1], kMaxWindow);
  }
  const std::vector<int64_t> shape{in[0], in[1], w.OutExtent(0, in[2]), w.OutExtent(1, in[3])};
  if (made.op == graph::Op::kAvgPool) return EmitInto(std::move(made), node, shape);
  // The greatest value keeps its scale; a QuantizeLinear behind it then is an identity or a
  // rescale.
  const graph::Quant quant = *graph_.tensor(x).quant;
  TESSERA_ASSIGN(reals_[node.outputs[0]],
                 Emit(std::move(made), node, quant, shape, node.outputs[0] + ".int8"));
  return {};
}

// An activation that no operator took in stands between two quantised values: a rescale with
// bounds.
Status QdqConverter::Activation(const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, Operand(node, 0));
  TESSERA_ASSIGN(Sink sink, Follow(node));
  // This node bounds first, then those that Follow found.
  Sink first;
  TESSERA_TRY(Bound(node, sink.quant, first));
  const int32_t lo = sink.lo, hi = sink.hi;
  sink.lo = std::clamp(first.lo, lo, hi);
  sink.hi = std::clamp(first.hi, lo, hi);
  return EmitSink({.op = graph::Op::kRescale, .inputs = {x}}, node, sink, graph_.tensor(x).shape);
}

}  // namespace tessera::onnx_model
