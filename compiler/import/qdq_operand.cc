// SPDX-License-Identifier: Apache-2.0
//
// Operands that several ONNX operators share: windows, weights, biases, images of rank 3.
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
  return Emit(std::move(made), node, from.quant, {from.shape[0], from.shape[1], 1, from.shape[2]},
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

Result<TensorId> QdqConverter::FloatWeights(const OnnxNode& node, size_t rank) {
  if (node.inputs.size() < 2)
    return Fail(Code::kInvalidArgument, "{}: operand 1 is missing", node.Place());
  TESSERA_ASSIGN(const TensorId id, PlainValue(node, node.inputs[1]));
  const GraphTensor& w = graph_.tensor(id);
  if (!w.constant())
    return Fail(Code::kUnsupported, "{}: its weights '{}' are not a constant", node.Place(),
                node.inputs[1]);
  if (w.shape.size() != rank) {
    return Fail(Code::kInvalidArgument, "{}: weights of shape {}, {} axes are needed", node.Place(),
                ShapeText(w.shape), rank);
  }
  return id;
}

Result<TensorId> QdqConverter::SwapAxes(const OnnxNode& node, TensorId weights) {
  GraphTensor turned = graph_.tensor(weights);
  const std::vector<uint8_t> from = *turned.data;
  const int64_t rows = turned.shape[0], columns = turned.shape[1];
  const int64_t size = std::ssize(from) / (rows * columns);
  std::swap(turned.shape[0], turned.shape[1]);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < columns; ++k) {
      const auto at = from.begin() + (r * columns + k) * size;
      std::copy(at, at + size, turned.data->begin() + (k * rows + r) * size);
    }
  }
  if (turned.quant && turned.quant->axis >= 0 && turned.quant->axis < 2)
    turned.quant->axis = 1 - turned.quant->axis;
  return AddConstant(node, std::move(turned));
}

int QdqConverter::ScaleAxis(TensorId weights) const {
  const auto& quant = graph_.tensor(weights).quant;
  return quant ? quant->axis : -1;
}

Result<TensorId> QdqConverter::Weights(const OnnxNode& node, size_t rank) {
  if (real_) return FloatWeights(node, rank);
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

// One bias per output channel: [C], or [1, C], which Gemm allows.
Result<TensorId> QdqConverter::FloatBias(const OnnxNode& node, size_t index, int64_t channels) {
  TESSERA_ASSIGN(const TensorId id, PlainValue(node, node.inputs[index]));
  GraphTensor bias = graph_.tensor(id);
  if (!bias.constant())
    return Fail(Code::kUnsupported, "{}: its bias '{}' is not a constant", node.Place(),
                node.inputs[index]);
  if (bias.count() != channels || (!bias.shape.empty() && bias.shape.back() != channels)) {
    return Fail(Code::kUnsupported,
                "{}: biases of shape {} for {} channels; one a channel is supported", node.Place(),
                ShapeText(bias.shape), channels);
  }
  if (bias.shape.size() == 1) return id;
  bias.shape = {channels};
  return AddConstant(node, std::move(bias));
}

// The bias as int32 in units of s_in * s_w[c]; a float constant is rounded to these units.
Result<TensorId> QdqConverter::Bias(const OnnxNode& node, size_t index, const GraphTensor& x,
                                    const GraphTensor& w) {
  if (real_) return FloatBias(node, index, w.shape[0]);
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

}  // namespace tessera::onnx_model
