// SPDX-License-Identifier: Apache-2.0
//
// The quantised epilogue, and the elementwise operators that consist of little else.
#include <vector>

#include "base/check.h"
#include "compiler/te/ops/body.h"

namespace tessera::te {
namespace {

ir::Rounding RoundingOf(isa::Round round) {
  switch (round) {
    case isa::Round::kTflite:
      return ir::Rounding::kTflite;
    case isa::Round::kEven:
      return ir::Rounding::kEven;
    case isa::Round::kHalfUp:
      return ir::Rounding::kHalfUp;
  }
  TESSERA_CHECK(false);
}

Expr I32(int64_t value) { return ir::Imm(DType::kInt32, value); }
Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }

std::vector<std::string> AxisNames(size_t rank) {
  if (rank == 4) return {"n", "c", "y", "x"};
  if (rank == 2) return {"n", "c"};
  return {};
}

// Half away from zero: as half to even, but for ties that went towards zero. The difference is
// exact.
Expr RoundAway(Expr x) {
  const Expr even = ir::RoundEven(x), zero = ir::ImmF32(0);
  const Expr rest = x - even;
  const Expr up = ir::And(ir::Eq(rest, ir::ImmF32(0.5)), ir::Lt(zero, x));
  const Expr down = ir::And(ir::Eq(rest, ir::ImmF32(-0.5)), ir::Lt(x, zero));
  return ir::Select(up, even + ir::ImmF32(1), ir::Select(down, even - ir::ImmF32(1), even));
}

Expr Narrow(const graph::Requant& q, Expr y) {
  return ir::Cast(DType::kInt8, ir::ClampAdd(y, I32(q.out_zero), I32(q.lo), I32(q.hi)));
}

// rescale((q - zero) << left, multiplier, shift) of one operand of an addition, or the plain shift
// when the multiplier is a half: the operand with the larger scale.
Expr Aligned(const graph::AddInput& in, Expr value) {
  const Expr centred = Wide(value) - I32(in.zero);
  if (in.multiplier == 1 << 30 && in.shift == 0)
    return ir::Bin(ir::BinOp::kShl, centred, I32(in.left - 1));
  return ir::Requant(ir::Bin(ir::BinOp::kShl, centred, I32(in.left)), I32(in.multiplier),
                     I32(in.shift), ir::Rounding::kTflite);
}

}  // namespace

Tensor Requantize(RegionBuilder& b, const graph::Node& node, const Tensor& sum) {
  const graph::Requant& q = *node.requant;
  const std::string& name = b.graph().tensor(node.output).name;
  const ir::Rounding round = RoundingOf(q.round);
  if (q.multiplier.size() == 1 && q.bias.size() == 1) {
    return Compute(b.Name(name), sum.shape(), AxisNames(sum.shape().size()),
                   [&](const std::vector<Expr>& i) {
                     return Narrow(q, ir::Requant(sum(i) + I32(q.bias[0]), I32(q.multiplier[0]),
                                                  I32(q.shift[0]), round));
                   });
  }
  const std::vector<int64_t> channels{sum.shape()[1]};
  const std::vector<int32_t> shifts(q.shift.begin(), q.shift.end());
  const Tensor bias = b.Constant(name + ".bias", DType::kInt32, channels, q.bias);
  const Tensor multiplier = b.Constant(name + ".multiplier", DType::kInt32, channels, q.multiplier);
  const Tensor shift = b.Constant(name + ".shift", DType::kInt32, channels, shifts);
  return Compute(
      b.Name(name), sum.shape(), AxisNames(sum.shape().size()), [&](const std::vector<Expr>& i) {
        return Narrow(q, ir::Requant(sum(i) + bias(i[1]), multiplier(i[1]), shift(i[1]), round));
      });
}

namespace {

void SumBody(RegionBuilder& b, const graph::Node& node, ir::BinOp op) {
  const Tensor a = b.Value(node.inputs[0]), c = b.Value(node.inputs[1]);
  const graph::Requant& q = *node.requant;
  b.SetValue(node.output, Compute(b.Name(b.graph().tensor(node.output).name), a.shape(),
                                  AxisNames(a.shape().size()), [&](const std::vector<Expr>& i) {
                                    const Expr sum = ir::Bin(op, Aligned(node.add_inputs[0], a(i)),
                                                             Aligned(node.add_inputs[1], c(i)));
                                    return Narrow(
                                        q, ir::Requant(sum, I32(q.multiplier[0]), I32(q.shift[0]),
                                                       RoundingOf(q.round)));
                                  }));
}

}  // namespace

void AddBody(RegionBuilder& b, const graph::Node& node) { SumBody(b, node, ir::BinOp::kAdd); }
void SubBody(RegionBuilder& b, const graph::Node& node) { SumBody(b, node, ir::BinOp::kSub); }

void MulBody(RegionBuilder& b, const graph::Node& node) {
  const Tensor a = b.Value(node.inputs[0]), c = b.Value(node.inputs[1]);
  const graph::Requant& q = *node.requant;
  const int32_t za = b.graph().tensor(node.inputs[0]).quant->zero[0];
  const int32_t zc = b.graph().tensor(node.inputs[1]).quant->zero[0];
  b.SetValue(node.output,
             Compute(b.Name(b.graph().tensor(node.output).name), a.shape(),
                     AxisNames(a.shape().size()), [&](const std::vector<Expr>& i) {
                       const Expr product = (Wide(a(i)) - I32(za)) * (Wide(c(i)) - I32(zc));
                       return Narrow(q, ir::Requant(product, I32(q.multiplier[0]), I32(q.shift[0]),
                                                    RoundingOf(q.round)));
                     }));
}

void RescaleBody(RegionBuilder& b, const graph::Node& node) {
  const Tensor x = b.Value(node.inputs[0]);
  const graph::Requant& q = *node.requant;
  b.SetValue(node.output,
             Compute(b.Name(b.graph().tensor(node.output).name), x.shape(),
                     AxisNames(x.shape().size()), [&](const std::vector<Expr>& i) {
                       return Narrow(q,
                                     ir::Requant(Wide(x(i)) + I32(q.bias[0]), I32(q.multiplier[0]),
                                                 I32(q.shift[0]), RoundingOf(q.round)));
                     }));
}

void QuantizeBody(RegionBuilder& b, const graph::Node& node) {
  const Tensor x = b.Value(node.inputs[0]);
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  const float scale = static_cast<float>(out.quant->scale[0]);
  b.SetValue(node.output,
             Compute(b.Name(out.name), out.shape, AxisNames(out.shape.size()),
                     [&](const std::vector<Expr>& i) {
                       const Expr q = ir::Bin(ir::BinOp::kDiv, x(i), ir::ImmF32(scale));
                       const Expr whole =
                           node.round == isa::Round::kTflite ? RoundAway(q) : ir::RoundEven(q);
                       // Saturated in float first: the cast of a far value would not keep its sign
                       // with the zero point added.
                       const Expr bounded = ir::Clamp(whole, ir::ImmF32(-512), ir::ImmF32(512));
                       return ir::Cast(DType::kInt8,
                                       ir::ClampAdd(ir::Cast(DType::kInt32, bounded),
                                                    I32(out.quant->zero[0]), I32(-128), I32(127)));
                     }));
}

void DequantizeBody(RegionBuilder& b, const graph::Node& node) {
  const Tensor x = b.Value(node.inputs[0]);
  const graph::Quant& quant = *b.graph().tensor(node.inputs[0]).quant;
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  b.SetValue(node.output, Compute(b.Name(out.name), out.shape, AxisNames(out.shape.size()),
                                  [&](const std::vector<Expr>& i) {
                                    return ir::Cast(DType::kFloat32,
                                                    Wide(x(i)) - I32(quant.zero[0])) *
                                           ir::ImmF32(static_cast<float>(quant.scale[0]));
                                  }));
}

}  // namespace tessera::te
