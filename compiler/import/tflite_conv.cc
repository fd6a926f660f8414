// SPDX-License-Identifier: Apache-2.0
//
// Contractions: CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED.
#include <algorithm>
#include <cmath>

#include "compiler/import/tflite_convert.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tflite_model {

using graph::TensorId;

// The weights as the graph has them: [O, I, H, W] of OHWI (channels along axis 0) or of 1HWO (axis
// 3), [O, I] as they are.
Result<TensorId> Converter::Weights(size_t rank, int channel_axis) {
  TESSERA_ASSIGN(const TfliteTensor* from, In(1));
  if (from->type != TensorType::INT8) {
    return Unsupported("weights {} are {}; INT8 is supported", from->Place(), TypeText(from->type));
  }
  if (!from->constant()) return Unsupported("weights {} are not a constant", from->Place());
  if (from->shape.size() != rank) {
    return Invalid("weights {} have shape {}, {} axes are needed", from->Place(),
                   ShapeText(from->shape), rank);
  }
  const auto known = constants_.find({from->index, channel_axis});
  if (known != constants_.end()) return known->second;
  TESSERA_TRY(Reserve(from->data.size()));
  const Shape& in = from->shape;
  graph::GraphTensor made{.name = from->name, .dtype = DType::kInt8, .shape = in};
  TESSERA_ASSIGN(made.quant, ReadQuant(*from, in[static_cast<size_t>(channel_axis)], channel_axis));
  for (const int32_t zero : made.quant->zero) {
    if (zero != 0) {
      return Unsupported(
          "weights {} have zero point {}; only symmetric weights (zero point 0) are "
          "supported",
          from->Place(), zero);
    }
  }
  if (made.quant->axis >= 0) made.quant->axis = 0;
  if (rank == 2) {
    made.data.emplace(from->data.begin(), from->data.end());
  } else if (channel_axis == 0) {  // OHWI to OIHW is as NHWC to NCHW
    made.shape = GraphShape(in);
    made.data = GraphBytes(from->data, in);
  } else {
    if (in[0] != 1)
      return Invalid("weights {} have shape {}, the first extent is 1", from->Place(),
                     ShapeText(in));
    const Shape nchw = GraphShape(in);
    made.shape = {nchw[1], 1, nchw[2], nchw[3]};
    made.data = GraphBytes(from->data, in);
  }
  const TensorId id = graph_.AddTensor(std::move(made));
  constants_[{from->index, channel_axis}] = id;
  return id;
}

// Takes the third input, when there is one. Its integers count; its scale is only looked at: TFLite
// too takes the integers, and refuses a bias whose scale is off by more than a fiftieth of a step
// of the result.
Status Converter::AddBias(graph::Node& node) {
  if (!Has(2)) return {};
  TESSERA_ASSIGN(const TfliteTensor* from, In(2));
  const graph::GraphTensor& w = graph_.tensor(node.inputs[1]);
  const int64_t channels = w.shape[0];
  if (from->type != TensorType::INT32 || !from->constant()) {
    return Unsupported("bias {} is {}{}; a constant of INT32 is supported", from->Place(),
                       TypeText(from->type), from->constant() ? "" : " and not constant");
  }
  if (static_cast<int64_t>(from->data.size()) != 4 * channels) {
    return Invalid("bias {} has {} values for {} channels", from->Place(), from->data.size() / 4,
                   channels);
  }
  if (from->quantization && from->quantization->scale() &&
      from->quantization->scale()->size() > 0) {
    TESSERA_ASSIGN(const graph::Quant quant, ReadQuant(*from, channels, 0));
    TESSERA_ASSIGN(const graph::Quant out, ActivationQuant(Out()));
    const double s_in = graph_.tensor(node.inputs[0]).quant->scale[0];
    for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
      const auto at = [&](size_t count) { return count == 1 ? 0 : c; };
      if (quant.zero[at(quant.zero.size())] != 0)
        return Unsupported("bias {} has a zero point", from->Place());
      const double scale = quant.scale[at(quant.scale.size())];
      const double unit = s_in * w.quant->scale[at(w.quant->scale.size())];
      if (std::abs(scale - unit) > 0.02 * out.scale[0]) {
        return Invalid("bias {} has scale {} for channel {}, input scale x weight scale is {}",
                       from->Place(), scale, c, unit);
      }
    }
  }
  const auto known = constants_.find({from->index, 0});
  if (known != constants_.end()) {
    node.inputs.push_back(known->second);
    return {};
  }
  TESSERA_TRY(Reserve(from->data.size()));
  graph::GraphTensor made{.name = from->name, .dtype = DType::kInt32, .shape = {channels}};
  made.data.emplace(from->data.begin(), from->data.end());
  const TensorId id = graph_.AddTensor(std::move(made));
  constants_[{from->index, 0}] = id;
  node.inputs.push_back(id);
  return {};
}

template <typename T>
Status Converter::Contract(const T& options, bool depthwise) {
  TESSERA_ASSIGN(const TensorId x, Spatial());
  TESSERA_ASSIGN(const TensorId w_id, Weights(4, depthwise ? 3 : 0));
  const Shape in = graph_.tensor(x).shape, w = graph_.tensor(w_id).shape;
  graph::Node made{.op = graph::Op::kConv, .inputs = {x, w_id}};
  if (in[1] % w[1] != 0 || w[0] % (in[1] / w[1]) != 0 || (depthwise && w[0] % in[1] != 0)) {
    return Invalid("{} input channels do not divide into weights {}", in[1],
                   ShapeText(model_.tensors[static_cast<size_t>(op_->inputs[1])].shape));
  }
  made.groups = in[1] / w[1];
  TESSERA_ASSIGN(
      made.window,
      ReadWindow(in, options.padding(),
                 {.kernel = {w[2], w[3]},
                  .stride = {options.stride_h(), options.stride_w()},
                  .dilation = {options.dilation_h_factor(), options.dilation_w_factor()}}));
  TESSERA_TRY(AddBias(made));
  TESSERA_TRY(Bound(options.fused_activation_function(), made));
  const Shape shape{in[0], w[0], made.window.OutExtent(0, in[2]), made.window.OutExtent(1, in[3])};
  return Finish(std::move(made), shape);
}

Status Converter::Conv() {
  TESSERA_ASSIGN(const auto* options, Options<tflite_file::Conv2DOptions>());
  return Contract(*options, false);
}

Status Converter::Depthwise() {
  TESSERA_ASSIGN(const auto* options, Options<tflite_file::DepthwiseConv2DOptions>());
  TESSERA_ASSIGN(const TensorId x, Spatial());
  TESSERA_ASSIGN(const TfliteTensor* w, In(1));
  const int64_t multiplier = options->depth_multiplier(), channels = graph_.tensor(x).shape[1];
  // The multiplier also follows from the shapes; 0 stands for that.
  if (multiplier != 0 && w->shape.size() == 4 && w->shape[3] != multiplier * channels) {
    return Invalid("depth multiplier {} of {} channels, weights {} have shape {}", multiplier,
                   channels, w->Place(), ShapeText(w->shape));
  }
  return Contract(*options, true);
}

Status Converter::FullyConnected() {
  TESSERA_ASSIGN(const auto* options, Options<tflite_file::FullyConnectedOptions>());
  TESSERA_ASSIGN(TensorId x, Activation(0));
  if (options->weights_format() != 0) {
    return Unsupported("weights format {}; weights in row-major order (0) are supported",
                       static_cast<int>(options->weights_format()));
  }
  TESSERA_ASSIGN(const TensorId w_id, Weights(2, 0));
  TESSERA_ASSIGN(const TfliteTensor* from, In(0));
  const int64_t depth = graph_.tensor(w_id).shape[1], units = graph_.tensor(w_id).shape[0];
  const int64_t count = graph_.tensor(x).count();
  const Shape flat{count / depth, depth};
  if (count % depth != 0 || (options->keep_num_dims() && from->shape.back() != depth)) {
    return Invalid("input {} of shape {} does not divide into rows of {}", from->Place(),
                   ShapeText(from->shape), depth);
  }
  if (graph_.tensor(x).shape != flat) {
    TESSERA_ASSIGN(x, ToFileOrder(x));
    const graph::Quant quant = *graph_.tensor(x).quant;
    TESSERA_ASSIGN(x, Emit({.op = graph::Op::kReshape, .inputs = {x}}, ".rows", quant, flat));
  }
  graph::Node made{.op = graph::Op::kDense, .inputs = {x, w_id}};
  TESSERA_TRY(AddBias(made));
  TESSERA_TRY(Bound(options->fused_activation_function(), made));
  const Shape rows{flat[0], units};
  if (!options->keep_num_dims() || from->shape.size() == 2) return Finish(std::move(made), rows);
  Shape shape = from->shape;
  shape.back() = units;
  if (shape != Out().shape) {
    return Invalid("its result {} has shape {}, the inputs make {}", Out().Place(),
                   ShapeText(Out().shape), ShapeText(shape));
  }
  TESSERA_ASSIGN(const graph::Quant quant, ActivationQuant(Out()));
  TESSERA_ASSIGN(const TensorId sums, Emit(std::move(made), ".sums", quant, rows));
  return FinishFromFileOrder(sums);
}

}  // namespace tessera::tflite_model
