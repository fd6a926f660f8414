// SPDX-License-Identifier: Apache-2.0
//
// Product of rows with a matrix of weights. ONNX Gemm, MatMul; TFLite FULLY_CONNECTED.
#include "compiler/ops/compose.h"
#include "compiler/ops/matmul.h"

namespace tessera::ops::dense_op {
namespace {

Result<Shape> ShapeOf(const NodeCheck& node) {
  TESSERA_TRY(node.Weights(2));
  const Shape &in = node.In(0).shape, &w = node.In(1).shape;
  if (in.size() != 2 || in[1] != w[1])
    return node.Bad("weights {} and operand {} do not agree", ShapeText(w), ShapeText(in));
  return Shape{in[0], w[0]};
}

int64_t MacsOf(const Graph& graph, const Node& node) {
  return graph.tensor(node.output).count() * graph.tensor(node.inputs[1]).shape[1];
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  // TFLite's fully connected layers with one weight scale multiply the scales in float32.
  const bool single =
      node.round == isa::Round::kTflite && graph.tensor(node.inputs[1]).quant->scale.size() == 1;
  return quantize::SetSums(graph, node, single, requant);
}

void Body(RegionBuilder& b, const Node& node) {
  const GraphTensor& out = b.graph().tensor(node.output);
  const te::Tensor x = b.Value(node.inputs[0]), w = b.Value(node.inputs[1]);
  const Axis k = te::ReduceAxis("ci", w.shape()[1]);
  // For int32 results subtract the zero point here; otherwise the bias contains its contribution.
  const int32_t zero = out.dtype == DType::kInt32 ? b.graph().tensor(node.inputs[0]).zero() : 0;
  const te::Tensor sum =
      te::Compute(b.Name(out.name + ".sum"), out.shape, {"n", "c"}, [&](const Indices& i) {
        const Expr value = x(i[0], k.var);
        return te::Sum(
            te::Product(b, node, zero == 0 ? value : Wide(value) - I32(zero), w(i[1], k.var)), {k});
      });
  b.SetValue(node.output, te::Epilogue(b, node, sum));
}

float Factor(const OnnxNode& node, const char* name) {
  const auto it = node.attributes.find(name);
  return it == node.attributes.end() ? 1.0f : it->second.f.value_or(1.0f);
}

// A Gemm that is not a dense layer: alpha * A * B + beta * C, without the parts that do nothing.
Status FromWholeGemm(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId a, c.Plain(node, 0));
  TESSERA_ASSIGN(TensorId b, c.Plain(node, 1));
  Composer make(c, node);
  if (make.shape(a).size() != 2 || make.shape(b).size() != 2)
    return Fail(Code::kInvalidArgument, "{}: operands of shapes {} and {}, two axes are needed",
                node.Place(), ShapeText(make.shape(a)), ShapeText(make.shape(b)));
  if (node.IntOr("transA", 0) != 0) {
    TESSERA_ASSIGN(a, make.Transpose(a, {1, 0}));
  }
  if (node.IntOr("transB", 0) != 0) {
    TESSERA_ASSIGN(b, make.Transpose(b, {1, 0}));
  }
  if (make.shape(a)[1] != make.shape(b)[0])
    return Fail(Code::kInvalidArgument, "{}: operands of shapes {} and {} make no product",
                node.Place(), ShapeText(make.shape(a)), ShapeText(make.shape(b)));
  TESSERA_ASSIGN(TensorId x,
                 make({.op = Op::kMatMul, .inputs = {a, b}}, {make.shape(a)[0], make.shape(b)[1]}));
  if (const float alpha = Factor(node, "alpha"); alpha != 1) {
    TESSERA_ASSIGN(const TensorId by, make.Number(x, alpha));
    TESSERA_ASSIGN(x, make(Op::kMul, x, by));
  }
  if (!QdqConverter::Has(node, 2)) return make.Finish(x);
  TESSERA_ASSIGN(TensorId bias, c.Plain(node, 2));
  if (const float beta = Factor(node, "beta"); beta != 1) {
    TESSERA_ASSIGN(const TensorId by, make.Number(bias, beta));
    TESSERA_ASSIGN(bias, make(Op::kMul, bias, by));
  }
  TESSERA_ASSIGN(x, make(Op::kAdd, x, bias));
  return make.Finish(x);
}

// Whether operand 2 is absent or a constant with one value per column.
bool HasDenseBias(const QdqConverter& c, const OnnxNode& node, int64_t columns) {
  if (!QdqConverter::Has(node, 2)) return true;
  const auto bias = c.ConstantShape(node, 2);
  if (!bias || bias->empty() || bias->back() != columns) return false;
  return std::ranges::count(*bias, 1) + 1 >= std::ssize(*bias);
}

Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  const bool gemm = node.op_type == "Gemm";
  const bool transposed = gemm && node.IntOr("transB", 0) != 0;
  const auto constant = c.ConstantShape(node, 1);
  const bool layer =
      constant && constant->size() == 2 && HasDenseBias(c, node, (*constant)[transposed ? 0 : 1]) &&
      Factor(node, "alpha") == 1 && (Factor(node, "beta") == 1 || !QdqConverter::Has(node, 2)) &&
      node.IntOr("transA", 0) == 0;
  if (!layer && gemm) return FromWholeGemm(c, node);
  if (!layer) return ProductFromOnnx(c, node);
  TESSERA_ASSIGN(TensorId x, c.Operand(node, 0));
  const Shape in = c.tensor(x).shape;
  if (in.size() < 2 || c.tensor(x).constant() || (c.real() && !IsFloat(c.tensor(x).dtype)))
    return gemm ? FromWholeGemm(c, node) : ProductFromOnnx(c, node);
  TESSERA_ASSIGN(TensorId w_id, c.Weights(node, 2));
  const int axis = c.ScaleAxis(w_id);
  if (axis >= 0 && axis != (transposed ? 0 : 1)) {
    return Fail(Code::kUnsupported, "{}: weights quantised along their input axis", node.Place());
  }
  if (!transposed) {  // [I, O] -> [O, I]
    TESSERA_ASSIGN(w_id, c.SwapAxes(node, w_id));
  }
  const GraphTensor w = c.tensor(w_id);
  if (w.shape[1] != in.back()) {
    return Fail(Code::kInvalidArgument, "{}: input {} and weights {} do not agree", node.Place(),
                ShapeText(in), ShapeText(w.shape));
  }
  const Shape rows{c.tensor(x).count() / in.back(), in.back()};
  if (in != rows) {
    const std::string name = node.outputs[0] + ".rows";
    TESSERA_ASSIGN(x, c.Emit({.op = Op::kReshape, .name = name, .inputs = {x}}, node,
                             c.tensor(x).quant, rows, name));
  }
  Node made{.op = Op::kDense, .inputs = {x, w_id}};
  const Shape shape{rows[0], w.shape[0]};
  if (gemm && QdqConverter::Has(node, 2)) {
    TESSERA_ASSIGN(const TensorId bias, c.Bias(node, 2, c.tensor(x), w));
    made.inputs.push_back(bias);
  }
  if (in.size() == 2) return c.EmitInto(std::move(made), node, shape);
  Shape whole = in;
  whole.back() = w.shape[0];
  return c.EmitReshaped(std::move(made), node, shape, whole);
}

Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::FullyConnectedOptions>());
  TESSERA_ASSIGN(TensorId x, c.Activation(0));
  if (options->weights_format() != 0) {
    return c.Unsupported("weights format {}; weights in row-major order (0) are supported",
                         static_cast<int>(options->weights_format()));
  }
  TESSERA_ASSIGN(const TensorId w_id, c.Weights(2, 0));
  TESSERA_ASSIGN(const auto* from, c.In(0));
  const int64_t depth = c.tensor(w_id).shape[1], units = c.tensor(w_id).shape[0];
  const int64_t count = c.tensor(x).count();
  const Shape flat{count / depth, depth};
  if (count % depth != 0 || (options->keep_num_dims() && from->shape.back() != depth)) {
    return c.Invalid("input {} of shape {} does not divide into rows of {}", from->Place(),
                     ShapeText(from->shape), depth);
  }
  if (c.tensor(x).shape != flat) {
    TESSERA_ASSIGN(x, c.ToFileOrder(x));
    const auto quant = c.tensor(x).quant;
    TESSERA_ASSIGN(x, c.Emit({.op = Op::kReshape, .inputs = {x}}, ".rows", quant, flat));
  }
  Node made{.op = Op::kDense, .inputs = {x, w_id}};
  if (c.options.tflite == TfliteKernels::kLitert2_3) made.round = isa::Round::kHalfUp;
  TESSERA_TRY(c.AddBias(made));
  TESSERA_TRY(c.Bound(options->fused_activation_function(), made));
  const Shape rows{flat[0], units};
  if (!options->keep_num_dims() || from->shape.size() == 2) return c.Finish(std::move(made), rows);
  Shape shape = from->shape;
  shape.back() = units;
  TESSERA_TRY(c.ShapeIs(shape));
  TESSERA_ASSIGN(const auto quant, c.ResultQuant());
  TESSERA_ASSIGN(const TensorId sums, c.Emit(std::move(made), ".sums", quant, rows));
  return c.FinishFromFileOrder(sums);
}

void MakeExample(Example& example) {
  const int64_t width = example.first().shape.back();
  example.node.inputs.push_back(example.Weights({width, width}));
}

constexpr TypePair kTypes[] = {{DType::kInt8, DType::kInt8},
                               {DType::kFloat32, DType::kFloat32},
                               {DType::kFloat16, DType::kFloat16},
                               {DType::kInt16, DType::kInt16},
                               {DType::kInt8, DType::kInt32}};
constexpr OnnxRow kOnnx[] = {{"Gemm", FromOnnx, 2}, {"MatMul", FromOnnx, 2}};
constexpr TfliteRow kTflite[] = {{"FULLY_CONNECTED", 2, 3, FromTflite}};

}  // namespace

constinit const OpDef kDenseDef = {
    .name = "dense",
    .meaning = "[N, I] times transpose of [O, I]; the sum, plus bias; int32 is the sum as it is",
    .category = Category::kComplex,
    .least = 2,
    .most = 3,
    .types = kTypes,
    .shape = ShapeOf,
    .macs = MacsOf,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::dense_op
