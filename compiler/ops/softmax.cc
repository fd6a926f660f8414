// SPDX-License-Identifier: Apache-2.0
//
// Softmax on integers, as in TFLite's reference kernel: differences to the greatest value in Q5.26,
// exponentials in Q0.31, their sum in Q12.19, its reciprocal by Newton's method. Source: gemmlowp's
// fixed-point functions (fixedpoint.h); a Qm.n number is an int32 with n fraction bits. ONNX
// Softmax, on floats; TFLite SOFTMAX.
#include <cmath>

#include "compiler/ir/scalar_math.h"
#include "compiler/ops/unit.h"
#include "compiler/quantize/lines16.h"
#include "compiler/quantize/multiplier.h"

namespace tessera::ops::softmax_op {
namespace {

using graph::SoftmaxAttributes;

constexpr double kWideStep = 10.0 / UINT16_MAX;  // int16: exponentials cover exp(-10) to 1
constexpr int64_t kMostWide = 1 << 16;  // elements of an int16 row: their sum stays in int32

size_t AxisOfRows(const Node& node, const Shape& shape) {
  const int axis = node.As<SoftmaxAttributes>().axis;
  return axis < 0 ? shape.size() - 1 : static_cast<size_t>(axis);
}

Status Check(const NodeCheck& node) {
  if (node.In(0).shape.empty()) return node.Bad("an operand without axes");
  const size_t axis = AxisOfRows(node.node, node.In(0).shape);
  if (axis >= node.In(0).shape.size())
    return node.Bad("axis {} of {} axes", axis, node.In(0).shape.size());
  const int64_t length = node.In(0).shape[axis];
  // int8: the sum of exponentials has twelve integer bits.
  if (node.Out().dtype == DType::kInt8 && length >= 4096)
    return node.Bad("rows of {} elements, at most 4095", length);
  const double beta = node.node.As<SoftmaxAttributes>().beta;
  if (!(beta > 0) || beta > 1e6) return node.Bad("beta {} is not in (0, 1e6]", beta);
  if (!node.Out().quant) return {};
  const Quant& out = *node.Out().quant;
  if (node.Out().dtype == DType::kInt16) {
    if (length > kMostWide) return node.Bad("rows of {} elements, at most {}", length, kMostWide);
    return out.scale[0] == 1.0 / 32768 ? Status{}
                                       : node.Bad("its result {} has scale {}, must be 1/32768",
                                                  node.Out().name, out.scale[0]);
  }
  if (out.scale[0] != 1.0 / 256 || out.zero[0] != -128)
    return node.Bad("its result {} has scale {} and zero point {}, must be 1/256 and -128",
                    node.Out().name, out.scale[0], out.zero[0]);
  return {};
}

// Scales differences to the greatest value to Q5.26; differences below its range count as nothing.
Status RequantOf(const Graph& graph, const Node& node, Requant& requant) {
  const double beta = node.As<SoftmaxAttributes>().beta;
  const double scale = quantize::ScaleOf(graph, node, 0);
  if (graph.tensor(node.output).dtype == DType::kInt16) {
    const float in = quantize::Single(scale) * static_cast<float>(beta);
    requant.bias = {0};
    return quantize::SetFactors(node, {in / kWideStep}, {UINT16_MAX}, requant);
  }
  const double real = std::min(beta * scale * (1 << 26), 2147483647.0);
  const auto m = quantize::MultiplierOf(real);
  if (!m) return Within("node " + node.name, m.error());
  if (m->shift < 1) {
    return Fail(Code::kOutOfRange, "node {}: beta {} times scale {} is too small for softmax",
                node.name, beta, scale);
  }
  requant.multiplier = {m->multiplier};
  requant.shift = {m->shift};
  requant.bias = {-static_cast<int32_t>(std::floor(std::ldexp(31.0, 26 - m->shift)))};
  return {};
}

Expr Low(Expr e) { return ir::Cast(DType::kInt32, e); }
Expr I64(Expr e) { return e.dtype() == DType::kInt64 ? e : ir::Cast(DType::kInt64, e); }
Expr Shl(Expr a, Expr b) { return ir::Bin(ir::BinOp::kShl, a, b); }
Expr Shr(Expr a, Expr b) { return ir::Bin(ir::BinOp::kShr, a, b); }
Expr BitAnd(Expr a, Expr b) { return ir::Bin(ir::BinOp::kAnd, a, b); }
Expr OneIf(Expr condition) { return ir::Select(condition, I32(1), I32(0)); }

// The high half of 2 * a * b, rounded half up: a Qm number times a Qn number gives a Qm+n number.
Expr Times(Expr a, Expr b) {
  const Expr product = I64(a) * I64(b) + ir::Imm(DType::kInt64, int64_t{1} << 30);
  return Low(Shr(product, ir::Imm(DType::kInt64, 31)));
}

// a / 2^n, halves away from zero.
Expr Halve(Expr a, Expr n) {
  const Expr mask = Shl(I32(1), n) - I32(1);
  const Expr threshold = Shr(mask, I32(1)) + OneIf(ir::Lt(a, I32(0)));
  return Shr(a, n) + OneIf(ir::Lt(threshold, BitAnd(a, mask)));
}

// a * 2^n, saturated.
Expr Double(Expr a, int n) {
  const Expr wide = I64(a) * ir::Imm(DType::kInt64, int64_t{1} << n);
  return Low(ir::Clamp(wide, ir::Imm(DType::kInt64, INT32_MIN), ir::Imm(DType::kInt64, INT32_MAX)));
}

// exp(a) of a Q5.26 number a <= 0, as Q0.31: a polynomial on (-1/4, 0] times the exponentials of
// the binary digits above.
Expr Exponential(Expr a) {
  constexpr int kFraction = 26;
  const int64_t quarter = int64_t{1} << (kFraction - 2);
  const Expr low = BitAnd(a, I32(quarter - 1)) - I32(quarter);
  const Expr x = Double(low, 5) + I32(int64_t{1} << 28);  // around -1/8
  const Expr x2 = Times(x, x), x3 = Times(x2, x), x4 = Times(x2, x2);
  const Expr third = I32(715827883), eighth = I32(1895147668);  // 1/3, exp(-1/8)
  const Expr tail = Halve(Times(Halve(x4, I32(2)) + x3, third) + x2, I32(1));
  Expr result = eighth + Times(eighth, x + tail);
  const Expr rest = low - a;
  constexpr int64_t kPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                                 39332535,   720401,     242};  // exp(-2^k), k from -2
  for (int k = 0; k < 7; ++k) {
    // A factor of 2^31 keeps the value unchanged.
    const Expr digit = BitAnd(rest, I32(quarter << k));
    const Expr factor = ir::Select(ir::Eq(digit, I32(0)), ir::Imm(DType::kInt64, int64_t{1} << 31),
                                   ir::Imm(DType::kInt64, kPowers[k]));
    result = Times(result, factor);
  }
  return ir::Select(ir::Eq(a, I32(0)), I32(INT32_MAX), result);
}

// The number of zero bits above the highest one of x > 0.
Expr LeadingZeros(Expr x) {
  Expr zeros = I32(1);
  for (int k = 1; k < 31; ++k) zeros = zeros + OneIf(ir::Lt(x, I32(int64_t{1} << k)));
  return zeros;
}

// 1 / (1 + a) of a Q0.31 number a in [0, 1), as Q0.31.
Expr Reciprocal(Expr a) {
  const Expr half =
      Low(Shr(I64(a) + ir::Imm(DType::kInt64, int64_t{INT32_MAX} + 1), ir::Imm(DType::kInt64, 1)));
  Expr x = I32(1515870810) + Times(half, I32(-1010580540));  // 48/17 - 32/17 * half, Q2.29
  for (int round = 0; round < 3; ++round) {
    x = x + Double(Times(x, I32(int64_t{1} << 29) - Times(half, x)), 2);
  }
  return Double(x, 1);
}

// On floats: exp(beta * (x - max)) over the sum, in float32.
void RealBody(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const std::string& name = b.graph().tensor(node.output).name;
  const size_t axis = AxisOfRows(node, x.shape());
  const int64_t length = x.shape()[axis];
  const Axis k = te::ReduceAxis("k", length), l = te::ReduceAxis("l", length);
  Shape rows = x.shape();
  rows[axis] = 1;
  const auto at = [&](Indices i, Expr where) {
    i[axis] = where;
    return i;
  };
  const te::Tensor most = te::Compute(b.Name(name + ".max"), rows, {}, [&](const Indices& i) {
    return te::MaxOf(Wide(x(at(i, k.var))), {k});
  });
  const te::Tensor exponential =
      te::Compute(b.Name(name + ".exp"), x.shape(), {}, [&](const Indices& i) {
        const Expr difference = Wide(x(i)) - most(at(i, Expr(0)));
        return ir::Exp(difference *
                       ir::ImmF32(static_cast<float>(node.As<SoftmaxAttributes>().beta)));
      });
  const te::Tensor sum = te::Compute(b.Name(name + ".sum"), rows, {}, [&](const Indices& i) {
    return te::Sum(exponential(at(i, l.var)), {l});
  });
  b.SetValue(node.output, te::Compute(b.Name(name), x.shape(), {}, [&](const Indices& i) {
               return te::Real(b, node,
                               ir::Bin(ir::BinOp::kDiv, exponential(i), sum(at(i, Expr(0)))));
             }));
}

// On int16: exponentials of the differences to the greatest value and the reciprocal of their sum,
// both by piecewise lines (quantize/lines16.h), in Q0.15. Source: TFLite's SoftmaxInt16.
void WideBody(RegionBuilder& b, const Node& node) {
  const te::Tensor x = b.Value(node.inputs[0]);
  const std::string& name = b.graph().tensor(node.output).name;
  const Requant& q = *node.requant;  // scales a difference to steps of kWideStep
  const quantize::Lines512 power(-10, 0, [](double r) { return std::exp(r); });
  const quantize::Lines512 share(0, 1, [](double r) { return 1 / (1 + r); });
  std::vector<int16_t> powers, shares;  // by distance below the greatest; by fraction of the sum
  for (int32_t below = 0; below <= UINT16_MAX; ++below) {
    const int32_t steps =
        ir::RequantValue(-below, q.multiplier[0], q.shift[0], isa::Round::kTflite);
    const int32_t at = std::clamp(INT16_MAX + std::max(steps, -UINT16_MAX), INT16_MIN, INT16_MAX);
    powers.push_back(power(static_cast<int16_t>(at)));
    shares.push_back(share(static_cast<int16_t>(below + INT16_MIN)));
  }
  const te::Tensor exponentials = b.Constant(name + ".exps", DType::kInt16, {1 << 16}, powers);
  const te::Tensor reciprocals = b.Constant(name + ".shares", DType::kInt16, {1 << 16}, shares);
  const size_t axis = AxisOfRows(node, x.shape());
  Shape rows = x.shape();
  rows[axis] = 1;
  const auto along = [&](Indices i, Expr where) {
    i[axis] = where;
    return i;
  };
  const Axis k = te::ReduceAxis("k", x.shape()[axis]), l = te::ReduceAxis("l", x.shape()[axis]);
  const te::Tensor most = te::Compute(b.Name(name + ".max"), rows, {}, [&](const Indices& i) {
    return te::MaxOf(x(along(i, k.var)), {k});
  });
  const te::Tensor exponential =
      te::Compute(b.Name(name + ".exp"), x.shape(), {}, [&](const Indices& i) {
        const Expr below = Wide(most(along(i, Expr(0)))) - Wide(x(i));
        return Wide(exponentials(I64(below)));
      });
  const te::Tensor sum = te::Compute(b.Name(name + ".sum"), rows, {}, [&](const Indices& i) {
    return te::Sum(exponential(along(i, l.var)), {l});
  });
  const te::Tensor bits = te::Compute(b.Name(name + ".bits"), rows, {},
                                      [&](const Indices& i) { return LeadingZeros(sum(i)); });
  const te::Tensor scale = te::Compute(b.Name(name + ".scale"), rows, {}, [&](const Indices& i) {
    // The sum as a number in [1, 2) with 16 fraction bits, rounded half up.
    const Expr shifted =
        Shr(Shl(I64(sum(i)), I64(bits(i) - I32(1))) + ir::Imm(DType::kInt64, 1 << 13),
            ir::Imm(DType::kInt64, 14));
    const Expr above = ir::Clamp(shifted - ir::Imm(DType::kInt64, 1 << 16),
                                 ir::Imm(DType::kInt64, 0), ir::Imm(DType::kInt64, UINT16_MAX));
    return Wide(reciprocals(above));
  });
  te::Elements(b, node, [&](const Indices& i) {
    const Indices row = along(i, Expr(0));
    const Expr shift = I64(I32(31) - bits(row));
    const Expr half = Shl(ir::Imm(DType::kInt64, 1), shift - ir::Imm(DType::kInt64, 1));
    const Expr value = Shr(I64(exponential(i)) * I64(scale(row)) + half, shift);
    return te::Narrow(b, node, ir::Clamp(Low(value), I32(0), I32(INT16_MAX)));
  });
}

void Body(RegionBuilder& b, const Node& node) {
  if (te::IsReal(b, node)) return RealBody(b, node);
  if (b.graph().tensor(node.output).dtype == DType::kInt16) return WideBody(b, node);
  const te::Tensor x = b.Value(node.inputs[0]);
  const std::string& name = b.graph().tensor(node.output).name;
  const Requant& q =
      *node.requant;  // scales a difference to Q5.26; bias: the least one that counts
  const size_t axis = AxisOfRows(node, x.shape());
  std::vector<int64_t> rows = x.shape();
  rows[axis] = 1;
  const auto row_of = [&](Indices i) {
    i[axis] = Expr(0);
    return i;
  };
  const Axis k = te::ReduceAxis("k", x.shape()[axis]), l = te::ReduceAxis("l", x.shape()[axis]);
  const auto along = [&](Indices i, const Axis& reduce) {
    i[axis] = reduce.var;
    return i;
  };
  const te::Tensor most = te::Compute(b.Name(name + ".max"), rows, {}, [&](const Indices& i) {
    return te::MaxOf(x(along(i, k)), {k});
  });
  const auto difference = [&](const Indices& i) { return Wide(x(i)) - Wide(most(row_of(i))); };
  const te::Tensor exponential =
      te::Compute(b.Name(name + ".exp"), x.shape(), {}, [&](const Indices& i) {
        const Expr d = difference(i);
        const Expr scaled =
            Times(Shl(ir::Max(d, I32(q.bias[0])), I32(q.shift[0])), I32(q.multiplier[0]));
        return ir::Select(ir::Lt(d, I32(q.bias[0])), I32(0), Exponential(scaled));
      });
  const te::Tensor sum = te::Compute(b.Name(name + ".sum"), rows, {}, [&](const Indices& i) {
    return te::Sum(Halve(exponential(along(i, l)), I32(12)), {l});
  });
  const te::Tensor bits = te::Compute(b.Name(name + ".bits"), rows, {},
                                      [&](const Indices& i) { return LeadingZeros(sum(i)); });
  const te::Tensor scale = te::Compute(b.Name(name + ".scale"), rows, {}, [&](const Indices& i) {
    const Expr shifted = Shl(I64(sum(i)), I64(bits(i))) - ir::Imm(DType::kInt64, int64_t{1} << 31);
    return Reciprocal(Low(shifted));
  });
  b.SetValue(
      node.output, te::Compute(b.Name(name), x.shape(), {}, [&](const Indices& i) {
        // The sum has 12 integer bits minus its leading zeros; the result keeps 8 of the product's
        // 31 bits.
        const Expr shift = I32(12 + 31 - 8) - bits(row_of(i));
        // In rows so flat that every element is below half a step the shift leaves 0.
        const Expr product = Times(scale(row_of(i)), exponential(i));
        const Expr value =
            ir::Select(ir::Lt(shift, I32(31)), Halve(product, ir::Min(shift, I32(30))), I32(0));
        const Expr counted = ir::Le(I32(q.bias[0]), difference(i));
        return ir::Cast(
            DType::kInt8,
            ir::Select(counted, ir::ClampAdd(value, I32(-128), I32(-128), I32(127)), I32(-128)));
      }));
}

// Before opset 13 all axes from the given one on form one row; later versions use one axis.
Status FromOnnx(QdqConverter& c, const OnnxNode& node) {
  TESSERA_ASSIGN(TensorId x, c.Operand(node, 0));
  const Shape shape = c.tensor(x).shape;
  const int64_t rank = std::ssize(shape);
  const bool rows = c.opset() < 13;
  int64_t axis = node.IntOr("axis", rows ? 1 : -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) {
    return Fail(Code::kInvalidArgument, "{}: axis {} of shape {}", node.Place(),
                node.IntOr("axis", rows ? 1 : -1), ShapeText(shape));
  }
  Node made{.op = Op::kSoftmax, .inputs = {x}, .attributes = SoftmaxAttributes{}};
  if (axis == rank - 1) return c.EmitReal(std::move(made), node, shape);
  const std::string& name = node.outputs[0];
  Node in{.op = Op::kReshape, .name = name + ".in", .inputs = {x}}, out{.op = Op::kReshape};
  Shape flat{1, 1};
  if (rows) {
    for (int64_t d = 0; d < rank; ++d) flat[d < axis ? 0 : 1] *= shape[static_cast<size_t>(d)];
  } else {  // swaps the axis with the last one
    std::vector<int> perm(static_cast<size_t>(rank));
    for (size_t d = 0; d < perm.size(); ++d) perm[d] = static_cast<int>(d);
    std::swap(perm[static_cast<size_t>(axis)], perm.back());
    flat = shape;
    std::swap(flat[static_cast<size_t>(axis)], flat.back());
    in.op = out.op = Op::kTranspose;
    in.attributes = out.attributes = graph::TransposeAttributes{perm};
  }
  TESSERA_ASSIGN(x, c.Emit(std::move(in), node, std::nullopt, flat, name + ".in"));
  made.name = name + ".softmax";
  made.inputs = {x};
  TESSERA_ASSIGN(x, c.Emit(std::move(made), node, std::nullopt, flat, name + ".softmax"));
  out.inputs = {x};
  return c.EmitReal(std::move(out), node, shape);
}

// Along the last axis in file order: the channels of an image.
Status FromTflite(Converter& c) {
  TESSERA_ASSIGN(const auto* options, c.Options<tflite_file::SoftmaxOptions>());
  TESSERA_ASSIGN(TensorId x, c.Activation(0));
  TESSERA_TRY(c.ResultHas(1.0 / 256, -128));
  if (!std::isfinite(options->beta()) || options->beta() <= 0)
    return c.Unsupported("beta {}; a finite number above 0 is supported", options->beta());
  Node made{.op = Op::kSoftmax,
            .inputs = {x},
            .attributes = SoftmaxAttributes{.beta = static_cast<double>(options->beta())}};
  const Shape shape = c.tensor(x).shape;
  if (shape.size() != 4) return c.Finish(std::move(made), shape);
  TESSERA_TRY(c.ShapeIs(tflite_model::FileShape(shape)));
  const auto in = c.tensor(x).quant;
  TESSERA_ASSIGN(const auto quant, c.ResultQuant());
  const Shape rows{shape[0] * shape[2] * shape[3], shape[1]};
  TESSERA_ASSIGN(x, c.ToFileOrder(x));
  TESSERA_ASSIGN(x, c.Emit({.op = Op::kReshape, .inputs = {x}}, ".rows", in, rows));
  made.inputs = {x};
  TESSERA_ASSIGN(x, c.Emit(std::move(made), ".softmax", quant, rows));
  return c.FinishFromFileOrder(x);
}

void MakeExample(Example& example) { example.UnitScale(1.0 / 256, -128); }

constexpr OnnxRow kOnnx[] = {{"Softmax", FromOnnx, 1, kNever}};
constexpr TfliteRow kTflite[] = {{"SOFTMAX", 1, 1, FromTflite}};

}  // namespace

constinit const OpDef kSoftmaxDef = {
    .name = "softmax",
    .meaning = "along one axis; integers by TFLite's fixed-point exponential and reciprocal",
    .category = Category::kOpaque,
    .types = kWideTypes,
    .check = Check,
    .attributes = Fits<SoftmaxAttributes>,
    .requant = RequantOf,
    .body = Body,
    .onnx = kOnnx,
    .tflite = kTflite,
    .example = MakeExample,
};

}  // namespace tessera::ops::softmax_op
