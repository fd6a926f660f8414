// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "compiler/region/body.h"

namespace tessera::te {

Expr I32(int64_t value) { return ir::Imm(DType::kInt32, value); }
Expr Wide(Expr e) {
  if (e.dtype() == DType::kInt64) return e;
  return ir::Cast(IsFloat(e.dtype()) ? DType::kFloat32 : DType::kInt32, e);
}

bool IsReal(const RegionBuilder& b, const graph::Node& node) {
  return !b.graph().tensor(node.output).quant;
}

// max and min return their second operand if either is a NaN.
Expr Real(const RegionBuilder& b, const graph::Node& node, Expr value) {
  const auto bound = [&](float x) {
    return IsFloat(value.dtype()) ? ir::ImmF32(x) : ir::Imm(value.dtype(), static_cast<int64_t>(x));
  };
  if (std::isfinite(node.least)) value = ir::Max(bound(node.least), value);
  if (std::isfinite(node.most)) value = ir::Min(bound(node.most), value);
  return ir::Cast(b.graph().tensor(node.output).dtype, value);
}

std::vector<std::string> AxisNames(size_t rank) {
  if (rank == 4) return {"n", "c", "y", "x"};
  if (rank == 2) return {"n", "c"};
  return {};
}

Expr DivBy(Expr e, int64_t k) { return k == 1 ? e : ir::FloorDiv(e, Expr(k)); }

Tensor PadSpatial(const std::string& name, const Tensor& x, const graph::Window& w, Expr fill) {
  std::vector<int64_t> shape = x.shape();
  const size_t y_axis = shape.size() - 2;
  const int64_t height = shape[y_axis], width = shape[y_axis + 1];
  const auto [top, left] = w.pad_before;
  const auto [bottom, right] = w.pad_after;
  if (top == 0 && left == 0 && bottom == 0 && right == 0) return x;
  shape[y_axis] += top + bottom;
  shape[y_axis + 1] += left + right;
  return Compute(name, shape, {"n", "c", "y", "x"}, [&](const std::vector<Expr>& i) {
    std::vector<Expr> from = i;
    from[y_axis] = i[y_axis] - Expr(top);
    from[y_axis + 1] = i[y_axis + 1] - Expr(left);
    const auto inside = [](Expr at, int64_t extent) {
      return ir::And(ir::Le(Expr(0), at), ir::Lt(at, Expr(extent)));
    };
    return ir::Select(ir::And(inside(from[y_axis], height), inside(from[y_axis + 1], width)),
                      x(from), fill);
  });
}

Expr Tap(const graph::Window& w, int d, Expr at, const Axis& tap) {
  const Expr base = w.stride[d] == 1 ? at : at * Expr(w.stride[d]);
  return w.kernel[d] == 1 ? base
                          : base + (w.dilation[d] == 1 ? tap.var : tap.var * Expr(w.dilation[d]));
}

Expr Narrow(const RegionBuilder& b, const graph::Node& node, Expr y) {
  const graph::Requant& q = *node.requant;
  return ir::Cast(b.graph().tensor(node.output).dtype,
                  ir::ClampAdd(y, I32(q.out_zero), I32(q.lo), I32(q.hi)));
}

Expr Product(const RegionBuilder& b, const graph::Node& node, Expr x, Expr w) {
  const Expr product = Wide(x) * Wide(w);
  return graph::SumType(b.graph(), node) == DType::kInt64 ? ir::Cast(DType::kInt64, product)
                                                          : product;
}

namespace {

// Sums of int64, rescaled and rounded half up. Multipliers are cut to 16 bits; if the node rounds
// kHalfUp, as LiteRT's fully connected layers do, the whole multiplier is used, as two halves of 16
// bits so that products stay in int64. Source: TFLite's MultiplyByQuantizedMultiplier of int64.
Tensor WideEpilogue(RegionBuilder& b, const graph::Node& node, const Tensor& sum) {
  const std::string& name = b.graph().tensor(node.output).name;
  const graph::Requant& q = *node.requant;
  const auto channels = static_cast<size_t>(sum.shape()[1]);
  const bool whole = q.round == isa::Round::kHalfUp;
  std::vector<int64_t> multipliers, lows, halves, shifts;
  for (size_t c = 0; c < channels; ++c) {
    const size_t at = q.multiplier.size() == 1 ? 0 : c;
    const int64_t multiplier = q.multiplier[at];
    const int64_t cut = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
    multipliers.push_back(whole ? multiplier >> 16 : cut);
    lows.push_back(multiplier & 0xFFFF);
    shifts.push_back(15 - q.shift[at]);
    halves.push_back(int64_t{1} << (shifts.back() - 1));
  }
  const auto constant = [&](const char* suffix, const std::vector<int64_t>& values) {
    return b.Constant(name + suffix, DType::kInt64, {std::ssize(values)}, values);
  };
  const Tensor multiplier = constant(".multiplier", multipliers), half = constant(".half", halves),
               shift = constant(".shift", shifts);
  const Tensor low = whole ? constant(".low", lows) : Tensor();
  const Tensor bias = b.Value(node.inputs[2]);
  return Compute(
      b.Name(name), sum.shape(), AxisNames(sum.shape().size()), [&](const std::vector<Expr>& i) {
        const Expr all = sum(i) + bias(i[1]);
        Expr scaled = all * multiplier(i[1]) + half(i[1]);
        if (whole)
          scaled = scaled + ir::Bin(ir::BinOp::kShr, all * low(i[1]), ir::Imm(DType::kInt64, 16));
        scaled = ir::Bin(ir::BinOp::kShr, scaled, shift(i[1]));
        return Narrow(b, node, ir::Cast(DType::kInt32, scaled));
      });
}

}  // namespace

Tensor Epilogue(RegionBuilder& b, const graph::Node& node, const Tensor& sum, int64_t count) {
  const std::string& name = b.graph().tensor(node.output).name;
  if (IsReal(b, node)) {
    const Tensor bias = node.inputs.size() > 2 ? b.Value(node.inputs[2]) : Tensor();
    return Compute(b.Name(name), sum.shape(), AxisNames(sum.shape().size()),
                   [&](const std::vector<Expr>& i) {
                     Expr value = sum(i);
                     if (count != 1)
                       value = ir::Bin(ir::BinOp::kDiv, value, ir::Const(DType::kFloat32, count));
                     return Real(b, node, bias ? value + Wide(bias(i[1])) : value);
                   });
  }
  if (sum.dtype() == DType::kInt64) return WideEpilogue(b, node, sum);
  const graph::Requant& q = *node.requant;
  if (q.multiplier.size() == 1 && q.bias.size() == 1) {
    return Compute(
        b.Name(name), sum.shape(), AxisNames(sum.shape().size()), [&](const std::vector<Expr>& i) {
          return Narrow(
              b, node,
              ir::Requant(sum(i) + I32(q.bias[0]), I32(q.multiplier[0]), I32(q.shift[0]), q.round));
        });
  }
  const std::vector<int64_t> channels{sum.shape()[1]};
  const std::vector<int32_t> shifts(q.shift.begin(), q.shift.end());
  const Tensor bias = b.Constant(name + ".bias", DType::kInt32, channels, q.bias);
  const Tensor multiplier = b.Constant(name + ".multiplier", DType::kInt32, channels, q.multiplier);
  const Tensor shift = b.Constant(name + ".shift", DType::kInt32, channels, shifts);
  return Compute(
      b.Name(name), sum.shape(), AxisNames(sum.shape().size()), [&](const std::vector<Expr>& i) {
        return Narrow(b, node,
                      ir::Requant(sum(i) + bias(i[1]), multiplier(i[1]), shift(i[1]), q.round));
      });
}

void Elements(RegionBuilder& b, const graph::Node& node,
              const std::function<Expr(const std::vector<Expr>&)>& value) {
  const graph::GraphTensor& out = b.graph().tensor(node.output);
  b.SetValue(node.output, Compute(b.Name(out.name), out.shape, AxisNames(out.shape.size()), value));
}

}  // namespace tessera::te
