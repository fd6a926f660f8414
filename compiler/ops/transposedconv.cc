// SPDX-License-Identifier: Apache-2.0
//
// Transposed convolution: each element of the image adds a window of weights to the result.
// Computed as a convolution with flipped weights over a spread image, whose elements are |stride|
// apart with the zero point in between. ONNX ConvTranspose; TFLite TRANSPOSE_CONV.
#include "compiler/ops/window.h"

namespace tessera::ops::transposedconv_op {
namespace {

using graph::TransposedConvAttributes;

constexpr int64_t kMost = 1 << 16;  // of an extent

int64_t Span(const Window& w, size_t d) { return (w.kernel[d] - 1) * w.dilation[d] + 1; }

Result<Shape> ShapeOf(const NodeCheck& node) {
  TESSERA_TRY(node.Weights(4));
  TESSERA_TRY(node.Image());
  const auto& [window, out, _] = node.node.As<TransposedConvAttributes>();
  const Shape &in = node.In(0).shape, &w = node.In(1).shape;
  for (size_t d = 0; d < 2; ++d) {
    if (window.kernel[d] < 1 || window.stride[d] < 1 || window.dilation[d] < 1 ||
        window.pad_before[d] < 0 || window.pad_before[d] >= Span(window, d) || out[d] < 1)
      return node.Bad(
          "kernel, stride, dilation or result below 1, or a pad as large as the window");
  }
  if (w[1] < 1 || in[1] % w[1] != 0 || w[0] % (in[1] / w[1]) != 0 || w[2] != window.kernel[0] ||
      w[3] != window.kernel[1])
    return node.Bad("weights {}, operand {} do not agree", ShapeText(w), ShapeText(in));
  return Shape{in[0], w[0], out[0], out[1]};
}

std::string TextOf(const Node& node) {
  return WindowText(node.As<TransposedConvAttributes>().window);
}

int64_t MacsOf(const Graph& graph, const Node& node) {
  const GraphTensor &x = graph.tensor(node.inputs[0]), &w = graph.tensor(node.inputs[1]);
  return x.count() / x.shape[1] * w.count();
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  return quantize::SetSums(graph, node, node.As<TransposedConvAttributes>().single, requant);
}

void Body(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const te::Tensor x = b.Value(node.inputs[0]), w = b.Value(node.inputs[1]);
  const Window& window = node.As<TransposedConvAttributes>().window;
  // Tap k of result y reads position y + k * dilation of the spread image. The spread image begins
  // so that the last tap of y = pad_before reads element 0.
  std::array<int64_t, 2> first{};
  Shape wide = x.shape();
  for (size_t d = 0; d < 2; ++d) {
    first[d] = Span(window, d) - 1 - window.pad_before[d];
    wide[2 + d] = out.shape[2 + d] + Span(window, d) - 1;
  }
  const Expr zero = ir::Const(x.dtype(), b.graph().tensor(node.inputs[0]).zero());
  const te::Tensor spread =
      te::Compute(b.Name(out.name + ".spread"), wide, te::AxisNames(4), [&](const Indices& i) {
        Indices from = i;
        Expr inside;
        const auto also = [&](Expr here) { inside = inside ? ir::And(inside, here) : here; };
        for (size_t d = 0; d < 2; ++d) {
          const Expr at = i[2 + d] - Expr(first[d]);
          const int64_t stride = window.stride[d];
          also(ir::Le(Expr(0), at));
          also(ir::Lt(at, Expr((x.shape()[2 + d] - 1) * stride + 1)));
          if (stride > 1) also(ir::Eq(ir::FloorMod(at, Expr(stride)), Expr(0)));
          from[2 + d] = te::DivBy(at, stride);
        }
        return ir::Select(inside, x(from), zero);
      });
  // The extents of the weights give the number of groups.
  const int64_t group_in = w.shape()[1], groups = x.shape()[1] / group_in;
  const int64_t group_out = w.shape()[0] / groups;
  const Axis channel = te::ReduceAxis("ci", group_in);
  const Axis ky = te::ReduceAxis("ky", window.kernel[0]);
  const Axis kx = te::ReduceAxis("kx", window.kernel[1]);
  Window taps = window;
  taps.stride = {1, 1};
  const te::Tensor sum =
      te::Compute(b.Name(out.name + ".sum"), out.shape, te::AxisNames(4), [&](const Indices& i) {
        const Expr from =
            groups == 1 ? channel.var : te::DivBy(i[1], group_out) * Expr(group_in) + channel.var;
        const Expr value =
            spread(i[0], from, te::Tap(taps, 0, i[2], ky), te::Tap(taps, 1, i[3], kx));
        const Expr weight = w(i[1], channel.var, Expr(window.kernel[0] - 1) - ky.var,
                              Expr(window.kernel[1] - 1) - kx.var);
        return te::Sum(te::Product(b, node, value, weight), {channel, ky, kx});
      });
  b.SetValue(node.output, te::Epilogue(b, node, sum));
}

// Weights [I, O / groups, H, W] rearranged to [O, I / groups, H, W].
Result<TensorId> InGroups(QdqConverter& c, const OnnxNode& node, TensorId weights, int64_t groups) {
  if (groups == 1) return c.SwapAxes(node, weights);
  GraphTensor made = c.tensor(weights);
  const Shape from = made.shape;
  const int64_t ins = from[0] / groups, outs = from[1];
  const int64_t each = from[2] * from[3] * SizeOf(made.dtype);
  made.shape = {groups * outs, ins, from[2], from[3]};
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t o = 0; o < outs; ++o) {
      for (int64_t i = 0; i < ins; ++i)
        std::copy_n(c.tensor(weights).data->begin() + ((g * ins + i) * outs + o) * each, each,
                    made.data->begin() + ((g * outs + o) * ins + i) * each);
    }
  }
  return c.AddConstant(node, std::move(made));
}

// Sets the pads of |made| that give the wanted extents: input times stride for auto_pad SAME, else
// attribute output_shape.
void PadTo(const OnnxNode& node, const std::string& mode, const Shape& in,
           std::vector<int64_t>& extra, TransposedConvAttributes& made) {
  std::vector<int64_t> wanted = node.Ints("output_shape");
  if (wanted.size() > 2) wanted.erase(wanted.begin(), wanted.end() - 2);
  if (wanted.size() == 1) wanted.insert(wanted.begin(), 1);
  for (size_t d = 0; d < 2; ++d) {
    const int64_t stride = made.window.stride[d];
    const int64_t out = wanted.size() == 2 ? wanted[d] : in[2 + d] * stride;
    int64_t cut = stride * (in[2 + d] - 1) + extra[d] + Span(made.window, d) - out;
    if (cut < 0) extra[d] -= cut;  // the result is larger than the windows cover
    cut = std::max<int64_t>(cut, 0);
    made.window.pad_before[d] = mode == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
    made.window.pad_after[d] = cut - made.window.pad_before[d];
  }
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId given_x, c.Operand(node, 0));
  const size_t rank = c.tensor(given_x).shape.size();
  TESSERA_ASSIGN(const TensorId x, c.Spatial4(node, given_x));
  TESSERA_ASSIGN(TensorId w_id, c.Weights(node, rank));
  if (rank == 3) {  // in a copy: the constant may have other uses
    GraphTensor wide = c.tensor(w_id);
    wide.shape.insert(wide.shape.begin() + 2, 1);
    TESSERA_ASSIGN(w_id, c.AddConstant(node, std::move(wide)));
  }
  const Shape in = c.tensor(x).shape, given = c.tensor(w_id).shape;
  if (given[0] != in[1]) {
    return Fail(Code::kInvalidArgument, "{}: weights {} and input {} do not agree", node.Place(),
                ShapeText(given), ShapeText(in));
  }
  const int64_t groups = node.IntOr("group", 1);
  if (groups < 1 || in[1] % groups != 0)
    return Fail(Code::kInvalidArgument, "{}: {} groups of {} channels", node.Place(), groups,
                in[1]);
  if (const int axis = c.ScaleAxis(w_id); axis >= 0 && (axis != 1 || groups > 1)) {
    return Fail(Code::kUnsupported,
                "{}: weights quantised along axis {}, {} groups; axis 1 of one group is supported, "
                "or one scale",
                node.Place(), axis, groups);
  }
  TESSERA_ASSIGN(w_id, InGroups(c, node, w_id, groups));
  TransposedConvAttributes made;
  // The window may exceed the input, so ReadWindow gets the largest extents.
  const std::vector<int64_t> kernel =
      rank == 3 ? std::vector<int64_t>{given[3]} : std::vector<int64_t>{given[2], given[3]};
  OnnxNode plain = node;
  plain.attributes.erase("auto_pad");
  TESSERA_ASSIGN(made.window, c.ReadWindow(plain, {in[0], in[1], kMost, kMost}, kernel));
  std::vector<int64_t> extra = node.Ints("output_padding");
  if (extra.size() == 1) extra.insert(extra.begin(), 0);
  if (extra.size() != 2) extra.assign(2, 0);
  for (size_t d = 0; d < 2; ++d) {
    const int64_t most = std::max(made.window.stride[d], made.window.dilation[d]) - 1;
    if (extra[d] >= 0 && extra[d] <= most) continue;
    return Fail(Code::kInvalidArgument,
                "{}: output_padding {} with stride {} and dilation {}; 0 to {} are accepted, a Pad "
                "behind the operator adds more",
                node.Place(), extra[d], made.window.stride[d], made.window.dilation[d], most);
  }
  const auto given_mode = node.attributes.find("auto_pad");
  const std::string mode =
      given_mode == node.attributes.end() ? "NOTSET" : given_mode->second.s.value_or("NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER")
    return Fail(Code::kInvalidArgument, "{}: auto_pad '{}'", node.Place(), mode);
  if (mode.starts_with("SAME") || !node.Ints("output_shape").empty())
    PadTo(node, mode, in, extra, made);
  for (size_t d = 0; d < 2; ++d) {
    made.out[d] = (in[2 + d] - 1) * made.window.stride[d] + Span(made.window, d) -
                  made.window.pad_before[d] - made.window.pad_after[d] + extra[d];
    if (made.window.pad_before[d] >= Span(made.window, d) || extra[d] < 0 ||
        extra[d] >= std::max(made.window.stride[d], made.window.dilation[d]) || made.out[d] < 1 ||
        made.out[d] > kMost) {
      return Fail(Code::kInvalidArgument,
                  "{}: pads {} and {} or output_padding {} leave a result of extent {}",
                  node.Place(), made.window.pad_before[d], made.window.pad_after[d], extra[d],
                  made.out[d]);
    }
  }
  const Shape shape{in[0], groups * given[1], made.out[0], made.out[1]};
  Node emit{.op = Op::kTransposedConv, .inputs = {x, w_id}, .attributes = made};
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    TESSERA_ASSIGN(const TensorId bias, c.Bias(node, 2, c.tensor(x), c.tensor(w_id)));
    emit.inputs.push_back(bias);
  }
  return c.EmitSpatial(std::move(emit), node, rank, shape);
}

// Inputs: the result's shape, weights, image, [bias].
Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::TransposeConvOptions>());
  TESSERA_ASSIGN(const std::vector<int64_t> wanted, c.Integers(0));
  TESSERA_ASSIGN(const TensorId x, c.Spatial(2));
  TESSERA_ASSIGN(const TensorId w_id, c.Weights(4, 0));
  const Shape in = c.tensor(x).shape, w = c.tensor(w_id).shape;
  if (w[1] != in[1]) {
    return c.Invalid("{} input channels, weights are for {}", in[1], w[1]);
  }
  if (wanted.size() != 4 || wanted[0] != in[0] || wanted[3] != w[0])
    return c.Invalid("a result of shape {} for {} images and {} channels", ShapeText(wanted), in[0],
                     w[0]);
  TransposedConvAttributes made;
  made.single = c.Out().type == tflite_model::TensorType::UINT8;
  made.window.kernel = {w[2], w[3]};
  made.window.stride = {options->stride_h(), options->stride_w()};
  const bool same = options->padding() == tflite_file::Padding::SAME;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t stride = made.window.stride[d], out = wanted[1 + d];
    if (stride < 1 || stride > kMost || out < 1 || out > kMost)
      return c.Invalid("a stride of {} or an extent of {}; 1 to {} are accepted", stride, out,
                       kMost);
    made.out[d] = out;
    // The extent that the forward convolution makes of |out|; it must be the input's.
    const int64_t back =
        same ? (out + stride - 1) / stride : (out - made.window.kernel[d] + stride) / stride;
    if (back != in[2 + d]) {
      return c.Invalid("a result of extent {} does not belong to one of {} in steps of {}", out,
                       in[2 + d], stride);
    }
    const int64_t cut = std::max<int64_t>(0, (in[2 + d] - 1) * stride + w[2 + d] - out);
    made.window.pad_before[d] = cut / 2;
    made.window.pad_after[d] = cut - cut / 2;
  }
  Node emit{.op = Op::kTransposedConv, .inputs = {x, w_id}, .attributes = made};
  TESSERA_TRY(c.AddBias(emit, 3));
  TESSERA_TRY(c.Bound(options->fused_activation_function(), emit));
  return c.Finish(std::move(emit), {in[0], w[0], made.out[0], made.out[1]});
}

void MakeExample(Example& example) {
  const Shape in = example.first().shape;  // a copy: adding the weights moves the graph's tensors
  if (in.size() != 4) return;
  // Often all phases have one tap, and their columns fit in a block together.
  const int64_t k = example.draw(2, 3), stride = example.draw(0, 2) > 0 ? k : 5 - k,
                outs = example.draw(0, 1) > 0 ? in[1] : example.draw(1, 8);
  example.node.inputs.push_back(example.Weights({outs, in[1], k, k}));
  example.node.attributes =
      TransposedConvAttributes{.window = {.kernel = {k, k}, .stride = {stride, stride}},
                               .out = {(in[2] - 1) * stride + k, (in[3] - 1) * stride + k}};
}

constexpr OnnxRow kOnnx[] = {{"ConvTranspose", FromOnnx, 2}};
constexpr TfliteRow kTflite[] = {{"TRANSPOSE_CONV", 3, 4, FromTflite}};

}  // namespace

constinit const OpDef kTransposedConvDef = {
    .name = "transposedconv",
    .meaning = "transposed 2-D convolution, NCHW x OIHW, groups; the sum, plus bias",
    .category = Category::kComplex,
    .least = 2,
    .most = 3,
    .types = kWideTypes,
    .shape = ShapeOf,
    .attributes = Fits<TransposedConvAttributes>,
    .text = TextOf,
    .macs = MacsOf,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::transposedconv_op
