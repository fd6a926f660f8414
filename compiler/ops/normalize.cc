// SPDX-License-Identifier: Apache-2.0
//
// Normalisations and related operators, built from several of the graph by the formulas of ONNX's
// specification; and TFLite's L2_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION.
#include <cmath>

#include "compiler/ops/composed.h"
#include "compiler/ops/reduce.h"

namespace tessera::ops {
namespace {

float Real(const OnnxNode& node, const char* name, float otherwise) {
  const auto it = node.attributes.find(name);
  return it == node.attributes.end() ? otherwise : it->second.f.value_or(otherwise);
}

// [C] reshaped to [1, C, 1, ...] for a tensor of |rank| axes.
Result<TensorId> PerChannel(Composer& make, TensorId x, size_t rank) {
  Shape shape(rank, 1);
  if (rank > 1) shape[1] = make.tensor(x).count();
  return make.Reshape(x, shape);
}

// (x - mean) / sqrt(variance + epsilon) along |axes|.
Result<TensorId> Centred(Composer& make, TensorId x, const std::vector<int>& axes, float epsilon,
                         TensorId* mean = nullptr, TensorId* inverse = nullptr) {
  TESSERA_ASSIGN(const TensorId middle, ReducedAlong(make, Op::kReduceMean, x, axes));
  TESSERA_ASSIGN(const TensorId off, make(Op::kSub, x, middle));
  TESSERA_ASSIGN(TensorId spread, make(Op::kMul, off, off));
  TESSERA_ASSIGN(spread, ReducedAlong(make, Op::kReduceMean, spread, axes));
  TESSERA_ASSIGN(const TensorId least, make.Number(x, epsilon));
  TESSERA_ASSIGN(spread, make(Op::kAdd, spread, least));
  TESSERA_ASSIGN(spread, make(Op::kSqrt, spread));
  TESSERA_ASSIGN(spread, make(Op::kReciprocal, spread));
  if (mean) *mean = middle;
  if (inverse) *inverse = spread;
  return make(Op::kMul, off, spread);
}

// scale * x + offset; both broadcast.
Result<TensorId> Scaled(Composer& make, TensorId x, TensorId scale,
                        std::optional<TensorId> offset) {
  TESSERA_ASSIGN(x, make(Op::kMul, x, scale));
  return offset ? make(Op::kAdd, x, *offset) : x;
}

// With training statistics: a constant factor and offset per channel.
Status FromBatch(QdqConverter& c, const OnnxNode& node) {
  if (node.IntOr("training_mode", 0) != 0 || (node.outputs.size() > 1 && !node.outputs[1].empty()))
    return Fail(Code::kUnsupported,
                "{}: it trains (training_mode or more than one output); export the model for "
                "inference",
                node.Place());
  TensorId operand[5];
  for (size_t k = 0; k < 5; ++k) {
    TESSERA_ASSIGN(operand[k], c.Plain(node, k));
  }
  Composer make(c, node);
  const size_t rank = make.shape(operand[0]).size();
  TESSERA_ASSIGN(const TensorId epsilon, make.Number(operand[4], Real(node, "epsilon", 1e-5f)));
  TESSERA_ASSIGN(TensorId factor, make(Op::kAdd, operand[4], epsilon));
  TESSERA_ASSIGN(factor, make(Op::kSqrt, factor));
  TESSERA_ASSIGN(factor, make(Op::kDiv, operand[1], factor));
  TESSERA_ASSIGN(TensorId offset, make(Op::kMul, operand[3], factor));
  TESSERA_ASSIGN(offset, make(Op::kSub, operand[2], offset));
  TESSERA_ASSIGN(factor, PerChannel(make, factor, rank));
  TESSERA_ASSIGN(offset, PerChannel(make, offset, rank));
  TESSERA_ASSIGN(const TensorId made, Scaled(make, operand[0], factor, offset));
  return make.Finish(made);
}

std::vector<int> AxesFrom(size_t first, size_t rank) {
  std::vector<int> axes;
  for (size_t d = first; d < rank; ++d) axes.push_back(static_cast<int>(d));
  return axes;
}

Status FromInstance(QdqConverter& c, const OnnxNode& node) {
  TensorId operand[3];
  for (size_t k = 0; k < 3; ++k) {
    TESSERA_ASSIGN(operand[k], c.Plain(node, k));
  }
  Composer make(c, node);
  const size_t rank = make.shape(operand[0]).size();
  if (rank < 3)
    return Fail(Code::kInvalidArgument, "{}: shape {} has no image", node.Place(),
                ShapeText(make.shape(operand[0])));
  TESSERA_ASSIGN(TensorId x,
                 Centred(make, operand[0], AxesFrom(2, rank), Real(node, "epsilon", 1e-5f)));
  TESSERA_ASSIGN(const TensorId scale, PerChannel(make, operand[1], rank));
  TESSERA_ASSIGN(const TensorId offset, PerChannel(make, operand[2], rank));
  TESSERA_ASSIGN(x, Scaled(make, x, scale, offset));
  return make.Finish(x);
}

// Opset 18 scales per group, opset 21 per channel: the operands' counts tell which.
Status FromGroup(QdqConverter& c, const OnnxNode& node) {
  TensorId operand[3];
  for (size_t k = 0; k < 3; ++k) {
    TESSERA_ASSIGN(operand[k], c.Plain(node, k));
  }
  Composer make(c, node);
  const Shape in = make.shape(operand[0]);
  const int64_t groups = node.IntOr("num_groups", 0);
  if (in.size() < 2 || groups < 1 || in[1] % groups != 0)
    return Fail(Code::kInvalidArgument, "{}: {} groups of shape {}", node.Place(), groups,
                ShapeText(in));
  int64_t rest = 1;
  for (size_t d = 2; d < in.size(); ++d) rest *= in[d];
  TESSERA_ASSIGN(TensorId x, make.Reshape(operand[0], {in[0], groups, in[1] / groups * rest}));
  TESSERA_ASSIGN(x, Centred(make, x, {2}, Real(node, "epsilon", 1e-5f)));
  TensorId by[2];
  for (size_t k = 0; k < 2; ++k) {
    const bool each = make.tensor(operand[k + 1]).count() == groups && groups != in[1];
    by[k] = operand[k + 1];
    if (each) {  // repeats a group's number for each of its channels
      TESSERA_ASSIGN(by[k], make.Reshape(by[k], {groups, 1}));
      TESSERA_ASSIGN(by[k], make({.op = Op::kRepeat, .inputs = {by[k]}}, {groups, in[1] / groups}));
    }
    TESSERA_ASSIGN(by[k], make.Reshape(by[k], {1, in[1], 1}));
  }
  TESSERA_ASSIGN(x, make.Reshape(x, {in[0], in[1], rest}));
  TESSERA_ASSIGN(x, Scaled(make, x, by[0], by[1]));
  TESSERA_ASSIGN(x, make.Reshape(x, in));
  return make.Finish(x);
}

Status FromLayer(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId given, c.Plain(node, 0));
  TESSERA_ASSIGN(const TensorId scale, c.Plain(node, 1));
  std::optional<TensorId> offset;
  if (QdqConverter::Has(node, 2)) {
    TESSERA_ASSIGN(offset, c.Plain(node, 2));
  }
  Composer make(c, node);
  const Shape in = make.shape(given);
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", -1), in));
  TensorId mean = -1, inverse = -1;
  TESSERA_ASSIGN(TensorId x, Centred(make, given, AxesFrom(axis, in.size()),
                                     Real(node, "epsilon", 1e-5f), &mean, &inverse));
  TESSERA_ASSIGN(x, Scaled(make, x, scale, offset));
  TESSERA_TRY(make.Finish(mean, 1));
  TESSERA_TRY(make.Finish(inverse, 2));
  return make.Finish(x);
}

// x over its root mean square.
Status FromRms(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Plain(node, 0));
  TESSERA_ASSIGN(const TensorId scale, c.Plain(node, 1));
  Composer make(c, node);
  const Shape in = make.shape(x);
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", -1), in));
  TESSERA_ASSIGN(TensorId root, make(Op::kMul, x, x));
  TESSERA_ASSIGN(root, ReducedAlong(make, Op::kReduceMean, root, AxesFrom(axis, in.size())));
  TESSERA_ASSIGN(const TensorId least, make.Number(x, Real(node, "epsilon", 1e-5f)));
  TESSERA_ASSIGN(root, make(Op::kAdd, root, least));
  TESSERA_ASSIGN(root, make(Op::kSqrt, root));
  TESSERA_ASSIGN(root, make(Op::kDiv, x, root));
  TESSERA_ASSIGN(root, Scaled(make, root, scale, std::nullopt));
  return make.Finish(root);
}

Status FromMeanVariance(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId given, c.Plain(node, 0));
  std::vector<int> axes{0, 2, 3};
  if (const auto own = node.Ints("axes"); !own.empty()) axes.assign(own.begin(), own.end());
  for (const int axis : axes) TESSERA_TRY(AxisOf(node, axis, c.tensor(given).shape));
  Composer make(c, node);
  TESSERA_ASSIGN(const TensorId x, Centred(make, given, axes, 1e-9f));
  return make.Finish(x);
}

// x minus the logarithm of the sum of exponentials; the greatest value is subtracted first.
Status FromLogSoftmax(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Plain(node, 0));
  Composer make(c, node);
  const Shape in = make.shape(x);
  const bool rows = c.opset() < 13;  // all axes from the given one on form one row
  TESSERA_ASSIGN(const size_t axis, AxisOf(node, node.IntOr("axis", rows ? 1 : -1), in));
  const std::vector<int> axes =
      rows ? AxesFrom(axis, in.size()) : std::vector<int>{static_cast<int>(axis)};
  TESSERA_ASSIGN(TensorId most, ReducedAlong(make, Op::kReduceMax, x, axes));
  TESSERA_ASSIGN(x, make(Op::kSub, x, most));
  TESSERA_ASSIGN(TensorId sum, make(Op::kExp, x));
  TESSERA_ASSIGN(sum, ReducedAlong(make, Op::kReduceSum, sum, axes));
  TESSERA_ASSIGN(sum, make(Op::kLog, sum));
  TESSERA_ASSIGN(x, make(Op::kSub, x, sum));
  return make.Finish(x);
}

// The parameters of a local response normalisation.
struct LocalResponse {
  int64_t size = 1;
  float alpha = 0, beta = 0, bias = 0;
};

// x / (bias + alpha * sum of squares of the |size| elements around it along |axis|)^beta.
Result<TensorId> LocalResponseOf(Composer& make, TensorId x, size_t axis, const LocalResponse& by) {
  const Shape in = make.shape(x);
  if (by.size < 1 || by.size > 2 * in[axis])
    return make.Bad(Code::kInvalidArgument, "size {} of shape {}", by.size, ShapeText(in));
  TESSERA_ASSIGN(const TensorId square, make(Op::kMul, x, x));
  graph::PadAttributes around{.pads = std::vector<std::array<int64_t, 2>>(in.size())};
  around.pads[axis] = {(by.size - 1) / 2, by.size / 2};
  Shape wide = in;
  wide[axis] += by.size - 1;
  TESSERA_ASSIGN(const TensorId padded,
                 make({.op = Op::kPad, .inputs = {square}, .attributes = around}, wide));
  TensorId sum = -1;
  for (int64_t k = 0; k < by.size; ++k) {
    TESSERA_ASSIGN(const TensorId part, make.Part(padded, axis, k, in[axis]));
    if (k == 0) {
      sum = part;
      continue;
    }
    TESSERA_ASSIGN(sum, make(Op::kAdd, sum, part));
  }
  TESSERA_ASSIGN(const TensorId alpha, make.Number(x, by.alpha));
  TESSERA_ASSIGN(const TensorId bias, make.Number(x, by.bias));
  TESSERA_ASSIGN(const TensorId beta, make.Number(x, by.beta));
  TESSERA_ASSIGN(sum, make(Op::kMul, sum, alpha));
  TESSERA_ASSIGN(sum, make(Op::kAdd, sum, bias));
  TESSERA_ASSIGN(sum, make(Op::kPow, sum, beta));
  return make(Op::kDiv, x, sum);
}

// Along the channels; of an even size the greater half lies behind.
Status FromLocalResponse(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(const TensorId x, c.Plain(node, 0));
  Composer make(c, node);
  const LocalResponse by{.size = node.IntOr("size", 0),
                         .alpha = Real(node, "alpha", 1e-4f) /
                                  static_cast<float>(std::max<int64_t>(node.IntOr("size", 0), 1)),
                         .beta = Real(node, "beta", 0.75f),
                         .bias = Real(node, "bias", 1.0f)};
  if (make.shape(x).size() < 2)
    return make.Bad(Code::kInvalidArgument, "shape {} has no channels", ShapeText(make.shape(x)));
  TESSERA_ASSIGN(const TensorId made, LocalResponseOf(make, x, 1, by));
  return make.Finish(made);
}

// Input 0 as floats in file order: channels are the last axis.
Result<TensorId> FileFloats(Converter& c) {
  if (!c.real() || !tflite_model::FloatType(c.Out().type))
    return c.Unsupported("its result {} is {}; floats are supported", c.Out().Place(),
                         tflite_model::TypeText(c.Out().type));
  TESSERA_TRY(c.Activation(0));
  TESSERA_ASSIGN(const TensorId x, c.InFileOrder(0));
  if (c.tensor(x).shape.empty()) return c.Invalid("its input has no axes");
  return x;
}

Status FromTfliteLocalResponse(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::LocalResponseNormalizationOptions>());
  TESSERA_ASSIGN(TensorId x, FileFloats(c));
  Composer make(c);
  // A radius beyond all channels adds nothing.
  const int64_t reach = std::clamp<int64_t>(options->radius(), 0, make.shape(x).back() - 1);
  const LocalResponse by{.size = 2 * reach + 1,
                         .alpha = options->alpha(),
                         .beta = options->beta(),
                         .bias = options->bias()};
  TESSERA_ASSIGN(x, LocalResponseOf(make, x, make.shape(x).size() - 1, by));
  return make.Finish(x);
}

// x over the root of the sum of squares along the last axis; the sum is at least 1e-6.
Status FromTfliteL2(Converter& c) {
  const auto* options = c.op().table->builtin_options_as<tflite_file::L2NormOptions>();
  if (options && options->fused_activation_function() != tflite_file::ActivationFunctionType::NONE)
    return c.Unsupported("a fused activation");
  TESSERA_ASSIGN(TensorId x, FileFloats(c));
  Composer make(c);
  const int axis = static_cast<int>(make.shape(x).size()) - 1;
  TESSERA_ASSIGN(TensorId root, make(Op::kSquare, x));
  TESSERA_ASSIGN(root, ReducedAlong(make, Op::kReduceSum, root, {axis}));
  TESSERA_ASSIGN(root, make(Op::kSqrt, root));
  TESSERA_ASSIGN(const TensorId least, make.Number(x, 1e-6f));
  TESSERA_ASSIGN(root, make(Op::kMax, root, least));
  TESSERA_ASSIGN(x, make(Op::kDiv, x, root));
  return make.Finish(x);
}

constexpr OnnxRow kNormalizationRows[] = {
    {"BatchNormalization", FromBatch, 1, kNever},
    {"InstanceNormalization", FromInstance, 1, kNever},
    {"GroupNormalization", FromGroup, 1, kNever},
    {"LayerNormalization", FromLayer, 1, kNever},
    {"RMSNormalization", FromRms, 1, kNever},
    {"MeanVarianceNormalization", FromMeanVariance, 1, kNever},
    {"LogSoftmax", FromLogSoftmax, 1, kNever},
    {"LRN", FromLocalResponse, 1, kNever}};
constexpr TfliteRow kTfliteNormalizations[] = {
    {"L2_NORMALIZATION", 1, 1, FromTfliteL2},
    {"LOCAL_RESPONSE_NORMALIZATION", 1, 1, FromTfliteLocalResponse}};

}  // namespace

std::span<const OnnxRow> NormalizationRows() { return kNormalizationRows; }
std::span<const TfliteRow> TfliteNormalizationRows() { return kTfliteNormalizations; }

}  // namespace tessera::ops
