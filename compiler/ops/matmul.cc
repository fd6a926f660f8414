// SPDX-License-Identifier: Apache-2.0
//
// Products of two activation matrices with any number of leading axes. ONNX MatMul and Gemm; a
// product with constant weights of two axes is a dense layer, over rows if there are more axes.
// TFLite BATCH_MATMUL.
#include "compiler/ops/matmul.h"

#include <cmath>
#include <numeric>

#include "compiler/ops/binary.h"
#include "compiler/ops/compose.h"

namespace tessera::ops::matmul_op {
namespace {

// The shape of [..., M, K] times [..., K, N]; leading axes broadcast. |columns|: of [..., K, M].
std::optional<Shape> Product(Shape a, const Shape& b, bool columns = false) {
  if (columns && a.size() >= 2) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) return std::nullopt;
  auto made = RepeatedShape({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!made) return std::nullopt;
  made->push_back(a[a.size() - 2]);
  made->push_back(b.back());
  return made;
}

Result<Shape> ShapeOf(const NodeCheck& node) {
  if (node.In(0).dtype != node.In(1).dtype)
    return node.Bad("operands of {} and {}", Text(node.In(0).dtype), Text(node.In(1).dtype));
  const auto made =
      Product(node.In(0).shape, node.In(1).shape, node.node.As<graph::ProductAttributes>().columns);
  if (made) return *made;
  return node.Bad("operands of shapes {} and {}", ShapeText(node.In(0).shape),
                  ShapeText(node.In(1).shape));
}

// The extent of the summed axis.
int64_t DepthOf(const Graph& graph, const Node& node) {
  const Shape& b = graph.tensor(node.inputs[1]).shape;
  return b[b.size() - 2];
}

Status Check(const NodeCheck& node) {
  if (!node.node.As<graph::ProductAttributes>().moves) return {};
  if (node.In(0).quant != node.Out().quant)
    return node.Bad("{} and its result have different scales", node.In(0).name);
  if (node.In(0).dtype == DType::kInt8 && node.In(1).constant()) return {};
  return node.Bad("{} of {} is moved by {}, int8 is moved by a constant", node.In(0).name,
                  Text(node.In(0).dtype), node.In(1).name);
}

Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  if (node.As<graph::ProductAttributes>().moves) {
    requant.bias = {0}, requant.multiplier = {1 << 30}, requant.shift = {1};  // by 1
    requant.out_zero = 0;
    return {};
  }
  const double a = quantize::ScaleOf(graph, node, 0), b = quantize::ScaleOf(graph, node, 1);
  const double product = node.As<graph::ProductAttributes>().single
                             ? double{quantize::Single(a) * quantize::Single(b)}
                             : a * b;
  const double factor = product / quantize::ResultScale(graph, node);
  const int64_t depth = DepthOf(graph, node);
  if (graph.tensor(node.output).dtype != DType::kInt8)
    return Fail(Code::kUnsupported, "node {}: a product of {} with a scale, int8 is supported",
                node.name, Text(graph.tensor(node.output).dtype));
  if (depth > INT32_MAX / (255 * 255))
    return Fail(Code::kOutOfRange, "node {}: sums of {} products leave int32, at most {} fit",
                node.name, depth, INT32_MAX / (255 * 255));
  requant.bias = {0};
  return quantize::SetFactors(node, {factor}, {255 * 255 * depth}, requant);
}

int64_t MacsOf(const Graph& graph, const Node& node) {
  // Nothing is computed where elements move.
  if (node.As<graph::ProductAttributes>().moves) return 0;
  return graph.tensor(node.output).count() * DepthOf(graph, node);
}

void Body(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]), y = b.Value(node.inputs[1]);
  const GraphTensor& out = b.graph().tensor(node.output);
  const size_t rank = out.shape.size();
  const auto& attributes = node.As<graph::ProductAttributes>();
  const Axis k = te::ReduceAxis("k", DepthOf(b.graph(), node));
  const bool real = te::IsReal(b, node);
  const auto of = [&](const te::Tensor& t, const Indices& i, size_t operand) {
    // The result's index, with the summed axis in place of this operand's axis.
    const size_t own = t.shape().size(), before = rank - own;
    Indices from(i.begin() + static_cast<int64_t>(before), i.end());
    for (size_t d = 0; d + 2 < own; ++d) {
      if (t.shape()[d] != out.shape[before + d]) from[d] = Expr(0);
    }
    if (operand == 0 && attributes.columns) from[own - 1] = from[own - 2];
    from[operand == 0 && !attributes.columns ? own - 1 : own - 2] = k.var;
    const Expr value = Wide(t(from));
    const int32_t zero = b.graph().tensor(node.inputs[operand]).zero();
    return real || attributes.moves || zero == 0 ? value : value - I32(zero);
  };
  const te::Tensor sum =
      te::Compute(b.Name(out.name + ".sum"), out.shape, te::AxisNames(rank),
                  [&](const Indices& i) { return te::Sum(of(x, i, 0) * of(y, i, 1), {k}); });
  te::Elements(b, node, [&](const Indices& i) {
    if (real) return te::Real(b, node, sum(i));
    const Requant& q = *node.requant;
    return te::Narrow(b, node, ir::Requant(sum(i), I32(q.multiplier[0]), I32(q.shift[0]), q.round));
  });
}

// Inputs: two tensors; the options may transpose the last two axes of each. Leading axes broadcast.
Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::BatchMatMulOptions>());
  TensorId operand[2];
  for (size_t k = 0; k < 2; ++k) {
    TESSERA_TRY(c.Activation(k));
    TESSERA_ASSIGN(TensorId x, c.InFileOrder(k));
    Shape shape = c.tensor(x).shape;
    const size_t rank = shape.size();
    if (rank < 2) return c.Invalid("input {} has shape {}", k, ShapeText(shape));
    if (k == 0 ? options->adj_x() : options->adj_y()) {
      const auto quant = c.tensor(x).quant;
      std::vector<int> perm(rank);
      std::iota(perm.begin(), perm.end(), 0);
      std::swap(perm[rank - 1], perm[rank - 2]);
      std::swap(shape[rank - 1], shape[rank - 2]);
      TESSERA_ASSIGN(x, c.Emit({.op = Op::kTranspose,
                                .inputs = {x},
                                .attributes = graph::TransposeAttributes{std::move(perm)}},
                               fmt::format(".turned{}", k), quant, shape));
    }
    operand[k] = x;
  }
  const auto shape = Product(c.tensor(operand[0]).shape, c.tensor(operand[1]).shape);
  if (!shape)
    return c.Invalid("inputs of shapes {} and {} make no product",
                     ShapeText(c.tensor(operand[0]).shape), ShapeText(c.tensor(operand[1]).shape));
  Node made{.op = Op::kMatMul,
            .inputs = {operand[0], operand[1]},
            .attributes = graph::ProductAttributes{.single = true}};
  if (shape->size() != 4) return c.Finish(std::move(made), *shape);
  TESSERA_ASSIGN(const auto quant, c.ResultQuant());
  TESSERA_ASSIGN(const TensorId x, c.Emit(std::move(made), ".product", quant, *shape));
  return c.FinishAs(x, *shape);
}

constexpr TfliteRow kTflite[] = {{"BATCH_MATMUL", 2, 2, FromTflite}};

// Multiplies by the transpose of another tensor of the same shape.
void MakeExample(Example& example) {
  Shape turned = example.first().shape;
  const size_t rank = turned.size();
  if (rank < 2) return;
  std::vector<int> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[rank - 1], perm[rank - 2]);
  std::swap(turned[rank - 1], turned[rank - 2]);
  const TensorId other = example.another(false);
  GraphTensor made = example.graph.tensor(other);
  made.name = example.node.name + ".turned";
  made.shape = std::move(turned);
  made.order.clear();
  Node transpose{.op = Op::kTranspose,
                 .name = made.name,
                 .inputs = {other},
                 .attributes = graph::TransposeAttributes{perm}};
  const GraphTensor &x = example.first(), &y = made;
  if (x.quant && y.quant) {
    // For values over the full range, the sums fill about a third of the result's range.
    const double terms = std::sqrt(static_cast<double>(x.shape.back()));
    example.quant = Quant{{x.quant->scale[0] * y.quant->scale[0] * terms * 128},
                          {static_cast<int32_t>(example.draw(-20, 20))},
                          -1};
  }
  transpose.output = example.graph.AddTensor(std::move(made));
  example.node.inputs.push_back(transpose.output);
  example.graph.nodes.push_back(std::move(transpose));
}

}  // namespace

constinit const OpDef kMatMulDef = {
    .name = "matmul",
    .meaning = "products of matrices [M, K] and [K, N]; axes in front repeat",
    .category = Category::kComplex,
    .least = 2,
    .most = 2,
    .types = kNumberTypes,
    .shape = ShapeOf,
    .check = Check,
    .attributes = Fits<graph::ProductAttributes>,
    .macs = MacsOf,
    .requant = RequantOf,
    .body = Body,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::matmul_op

namespace tessera::ops {

Status ProductFromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId a, c.Operand(node, 0));
  TESSERA_ASSIGN(TensorId b, c.Operand(node, 1));
  const auto view = [&](TensorId x, Shape shape, const char* suffix) {
    return c.Emit({.op = Op::kReshape, .name = node.name + suffix, .inputs = {x}}, node,
                  c.tensor(x).quant, std::move(shape), node.outputs[0] + suffix, c.tensor(x).dtype);
  };
  // A vector on the left is a row, on the right a column; the result lacks that axis.
  const bool row = c.tensor(a).shape.size() == 1, column = c.tensor(b).shape.size() == 1;
  if (row) {
    TESSERA_ASSIGN(a, view(a, {1, c.tensor(a).shape[0]}, ".row"));
  }
  if (column) {
    TESSERA_ASSIGN(b, view(b, {c.tensor(b).shape[0], 1}, ".column"));
  }
  const auto shape = matmul_op::Product(c.tensor(a).shape, c.tensor(b).shape);
  if (!shape)
    return Fail(Code::kInvalidArgument, "{}: operands of shapes {} and {} make no product",
                node.Place(), ShapeText(c.tensor(a).shape), ShapeText(c.tensor(b).shape));
  if (!row && !column) return c.EmitInto({.op = Op::kMatMul, .inputs = {a, b}}, node, *shape);
  Shape dropped = *shape;
  if (column) dropped.pop_back();
  if (row) dropped.erase(dropped.end() - (column ? 1 : 2));
  return c.EmitReshaped({.op = Op::kMatMul, .inputs = {a, b}}, node, *shape, dropped);
}

}  // namespace tessera::ops
