// SPDX-License-Identifier: Apache-2.0
//
// Convolution of an image, with groups. ONNX Conv; TFLite CONV_2D, DEPTHWISE_CONV_2D.
#include "compiler/ops/window.h"

namespace tessera::ops::conv_op {
namespace {

using graph::ConvAttributes;

Result<Shape> ShapeOf(const NodeCheck& node) {
  TESSERA_TRY(node.Weights(4));
  TESSERA_TRY(node.Image());
  const auto& conv = node.node.As<ConvAttributes>();
  const Window& window = conv.window;
  const int64_t groups = conv.groups;
  const Shape &in = node.In(0).shape, &w = node.In(1).shape;
  TESSERA_TRY(node.Fits(window, in));
  const bool idle = conv.idle < 0 || conv.idle >= w[3] || conv.idle_inputs < 0 ||
                    conv.idle_inputs > w[1] || conv.idle_outputs < 0 || conv.idle_outputs > w[0];
  if (groups < 1 || w[0] % groups != 0 || in[1] % groups != 0 || in[1] / groups != w[1] ||
      w[2] != window.kernel[0] || w[3] != window.kernel[1] || idle) {
    return node.Bad("{} groups, weights {}, operand {} do not agree", groups, ShapeText(w),
                    ShapeText(in));
  }
  return Through(window, in, w[0]);
}

std::string TextOf(const Node& node) {
  const auto& conv = node.As<ConvAttributes>();
  return WindowText(conv.window) + (conv.groups != 1 ? fmt::format(" groups {}", conv.groups) : "");
}

int64_t MacsOf(const Graph& graph, const Node& node) {
  const Shape& weights = graph.tensor(node.inputs[1]).shape;
  const auto& conv = node.As<ConvAttributes>();
  return graph.tensor(node.output).count() / weights[0] * (weights[0] - conv.idle_outputs) *
         (weights[1] - conv.idle_inputs) * weights[2] * (weights[3] - conv.idle);
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  return quantize::SetSums(graph, node, node.As<ConvAttributes>().single, requant);
}

void Body(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const te::Tensor x = b.Value(node.inputs[0]), w = b.Value(node.inputs[1]);
  const auto& conv = node.As<ConvAttributes>();
  const Window& window = conv.window;
  const te::Tensor padded =
      te::PadSpatial(b.Name(out.name + ".padded"), x, window,
                     ir::Const(x.dtype(), b.graph().tensor(node.inputs[0]).zero()));
  const int64_t group_in = w.shape()[1], group_out = w.shape()[0] / conv.groups;
  const Axis channel = te::ReduceAxis("ci", group_in);
  const Axis ky = te::ReduceAxis("ky", window.kernel[0]);
  const Axis kx = te::ReduceAxis("kx", window.kernel[1]);
  const te::Tensor sum = te::Compute(
      b.Name(out.name + ".sum"), out.shape, {"n", "c", "y", "x"}, [&](const Indices& i) {
        Expr from = channel.var;
        if (conv.groups > 1) {
          const Expr group = te::DivBy(i[1], group_out);
          from = group_in == 1 ? group : group * Expr(group_in) + channel.var;
        }
        const Expr value =
            padded(i[0], from, te::Tap(window, 0, i[2], ky), te::Tap(window, 1, i[3], kx));
        return te::Sum(te::Product(b, node, value, w(i[1], channel.var, ky.var, kx.var)),
                       {channel, ky, kx});
      });
  b.SetValue(node.output, te::Epilogue(b, node, sum));
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Operand(node, 0));
  const size_t rank = c.tensor(x).shape.size();
  TESSERA_ASSIGN(x, c.Spatial4(node, x));
  TESSERA_ASSIGN(TensorId w_id, c.Weights(node, rank));
  if (c.ScaleAxis(w_id) > 0) {
    return Fail(Code::kUnsupported, "{}: weights quantised along axis {}; axis 0 is supported",
                node.Place(), c.ScaleAxis(w_id));
  }
  const Shape given = c.tensor(w_id).shape;
  const std::vector<int64_t> kernel(given.begin() + 2, given.end());
  if (rank == 3) {  // in a copy: the constant may have other uses
    GraphTensor wide = c.tensor(w_id);
    wide.shape.insert(wide.shape.begin() + 2, 1);
    TESSERA_ASSIGN(w_id, c.AddConstant(node, std::move(wide)));
  }
  const Shape in = c.tensor(x).shape;
  TESSERA_ASSIGN(const Window window, c.ReadWindow(node, in, kernel));
  const int64_t groups = node.IntOr("group", 1);
  if (groups < 1 || given[0] % groups != 0 || given[1] * groups != in[1]) {
    return Fail(Code::kInvalidArgument, "{}: {} groups, weights {}, input {} do not agree",
                node.Place(), groups, ShapeText(given), ShapeText(in));
  }
  Node made{.op = Op::kConv, .inputs = {x, w_id}, .attributes = ConvAttributes{window, groups}};
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    TESSERA_ASSIGN(const TensorId bias, c.Bias(node, 2, c.tensor(x), c.tensor(w_id)));
    made.inputs.push_back(bias);
  }
  return c.EmitSpatial(std::move(made), node, rank, Through(window, in, given[0]));
}

template <typename T>
Status Contract(Converter& c, const T& options, bool depthwise) {
  TESSERA_ASSIGN(const TensorId x, c.Spatial());
  TESSERA_ASSIGN(const TensorId w_id, c.Weights(4, depthwise ? 3 : 0));
  const Shape in = c.tensor(x).shape, w = c.tensor(w_id).shape;
  if (in[1] % w[1] != 0 || w[0] % (in[1] / w[1]) != 0 || (depthwise && w[0] % in[1] != 0)) {
    TESSERA_ASSIGN(const auto* from, c.In(1));
    return c.Invalid("{} input channels do not divide into weights {}", in[1],
                     ShapeText(from->shape));
  }
  TESSERA_ASSIGN(
      const Window window,
      c.ReadWindow(in, options.padding(),
                   {.kernel = {w[2], w[3]},
                    .stride = {options.stride_h(), options.stride_w()},
                    .dilation = {options.dilation_h_factor(), options.dilation_w_factor()}}));
  // Kernels of uint8 use one scale for all channels and multiply scales in float32.
  const bool single = c.Out().type == tflite_model::TensorType::UINT8;
  Node made{.op = Op::kConv,
            .inputs = {x, w_id},
            .attributes = ConvAttributes{window, in[1] / w[1], single}};
  TESSERA_TRY(c.AddBias(made));
  TESSERA_TRY(c.Bound(options.fused_activation_function(), made));
  return c.Finish(std::move(made), Through(window, in, w[0]));
}

Status FromConv2D(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::Conv2DOptions>());
  return Contract(c, *options, false);
}

Status FromDepthwise(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::DepthwiseConv2DOptions>());
  TESSERA_ASSIGN(const TensorId x, c.Spatial());
  TESSERA_ASSIGN(const auto* w, c.In(1));
  const int64_t multiplier = options->depth_multiplier(), channels = c.tensor(x).shape[1];
  // 0 means that the multiplier follows from the shapes.
  if (multiplier != 0 && w->shape.size() == 4 && w->shape[3] != multiplier * channels) {
    return c.Invalid("depth multiplier {} of {} channels, weights {} have shape {}", multiplier,
                     channels, w->Place(), ShapeText(w->shape));
  }
  return Contract(c, *options, true);
}

void MakeExample(Example& example) {
  const int64_t channels = example.first().shape[1];
  example.node.inputs.push_back(example.Weights({channels, channels, 3, 3}));
  example.node.attributes =
      ConvAttributes{.window = {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}}};
}

constexpr OnnxRow kOnnx[] = {{"Conv", FromOnnx, 2}};
constexpr TfliteRow kTflite[] = {{"CONV_2D", 2, 3, FromConv2D},
                                 {"DEPTHWISE_CONV_2D", 2, 3, FromDepthwise}};

}  // namespace

constinit const OpDef kConvDef = {
    .name = "conv",
    .meaning = "2-D convolution, NCHW x OIHW, groups; the sum, plus bias",
    .category = Category::kComplex,
    .least = 2,
    .most = 3,
    .types = kWideTypes,
    .shape = ShapeOf,
    .attributes = Fits<ConvAttributes>,
    .text = TextOf,
    .macs = MacsOf,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::conv_op
