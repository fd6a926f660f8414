// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/random_te.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/schedule/params.h"
#include "compiler/te/product_form.h"

namespace tessera::test {
namespace {

using ir::Expr;
using te::Axis;
using te::Tensor;
using Index = std::vector<Expr>;

Expr Wide(Expr e) { return ir::Cast(DType::kInt32, e); }
Expr I32(int64_t v) { return ir::Imm(DType::kInt32, v); }

Tensor Pad(const Tensor& x, int64_t before, int64_t after, int64_t value) {
  std::vector<int64_t> shape = x.shape();
  shape[1] += before + after;
  shape[2] += before + after;
  return te::Compute("pad", shape, {"c", "y", "x"}, [&](const Index& i) {
    const Expr y = i[1] - Expr(before), w = i[2] - Expr(before);
    const Expr in = ir::And(ir::And(ir::Le(0, y), ir::Lt(y, x.shape()[1])),
                            ir::And(ir::Le(0, w), ir::Lt(w, x.shape()[2])));
    return ir::Select(in, x(i[0], y, w), ir::Imm(x.dtype(), value));
  });
}

// Window reductions: full, grouped, channelwise, or without weights.
Tensor Window(Rng& rng, const ExpressionSize& size) {
  const int64_t channels = size.Extent(1, 9, rng), height = size.Extent(4, 9, rng),
                width = size.Extent(4, 9, rng);
  Tensor x = te::Placeholder("x", DType::kInt8, {channels, height, width});
  const int64_t kernel = size.Extent(1, 3, rng), stride = rng.Range(1, 3),
                dilation = rng.Range(1, 2);
  const int64_t pad = rng.Range(0, 2);
  Tensor padded =
      pad > 0 ? Pad(x, pad, rng.Range(0, pad), rng.OneIn(2) ? 0 : rng.Range(-128, 127)) : x;
  const int64_t reach = (kernel - 1) * dilation + 1;
  const int64_t oh = (padded.shape()[1] - reach) / stride + 1,
                ow = (padded.shape()[2] - reach) / stride + 1;
  if (padded.shape()[1] < reach || padded.shape()[2] < reach) return Window(rng, size);
  const Axis ky = te::ReduceAxis("ky", kernel), kx = te::ReduceAxis("kx", kernel);
  auto at = [&](Expr o, const Axis& k) { return o * Expr(stride) + k.var * Expr(dilation); };
  switch (rng.Range(0, 3)) {
    case 0: {  // channelwise
      const Tensor w = te::Placeholder("w", DType::kInt8, {channels, kernel, kernel});
      return te::Compute("sum", {channels, oh, ow}, {"c", "y", "x"}, [&](const Index& i) {
        return te::Sum(
            Wide(padded(i[0], at(i[1], ky), at(i[2], kx))) * Wide(w(i[0], ky.var, kx.var)),
            {ky, kx});
      });
    }
    case 1: {  // no weights
      Rng own = rng;
      const bool multiplies = own.OneIn(3);
      return te::Compute("sum", {channels, oh, ow}, {"c", "y", "x"}, [&](const Index& i) {
        const Expr v = Wide(padded(i[0], at(i[1], ky), at(i[2], kx)));
        if (multiplies) return te::ProductOf(v, {ky, kx});
        return kernel % 2 ? te::MaxOf(v, {ky, kx}) : te::MinOf(v, {ky, kx});
      });
    }
    default: {  // over groups of channels
      const int64_t groups = channels % 2 == 0 ? rng.Range(1, 2) : 1;
      const int64_t group_in = channels / groups, group_out = size.Extent(1, 9, rng),
                    out = group_out * groups;
      const Tensor w = te::Placeholder("w", DType::kInt8, {out, group_in, kernel, kernel});
      const Axis ci = te::ReduceAxis("ci", group_in);
      return te::Compute("sum", {out, oh, ow}, {"c", "y", "x"}, [&](const Index& i) {
        const Expr from =
            groups == 1 ? ci.var : ir::FloorDiv(i[0], group_out) * Expr(group_in) + ci.var;
        return te::Sum(
            Wide(padded(from, at(i[1], ky), at(i[2], kx))) * Wide(w(i[0], ci.var, ky.var, kx.var)),
            {ci, ky, kx});
      });
    }
  }
}

Tensor Product(Rng& rng, const ExpressionSize& size) {
  const int64_t m = size.Extent(1, 9, rng), n = size.Extent(1, 20, rng),
                k = size.Extent(1, 20, rng);
  const Tensor a = te::Placeholder("x", DType::kInt8, {m, k}),
               b = te::Placeholder("w", DType::kInt8, {n, k});
  const Axis ci = te::ReduceAxis("k", k);
  Rng own = rng;
  const int64_t zero = own.OneIn(2) ? own.Range(-127, 127) : 0;
  return te::Compute("sum", {m, n}, {"m", "n"}, [&](const Index& i) {
    const Expr x = Wide(a(i[0], ci.var));
    return te::Sum((zero == 0 ? x : x - I32(zero)) * Wide(b(i[1], ci.var)), {ci});
  });
}

// |sum| from a value of each element, from what a stage makes of it, or from what it sums.
Tensor FromSomething(const Tensor& sum, Rng& rng) {
  const Tensor from = te::Placeholder("from", DType::kInt32, sum.shape()), x = te::Inputs(sum)[0],
               twice = te::Compute("twice", sum.shape(), {},
                                   [&](const Index&i) { return from(i) * I32(2); });
  Index i, at;
  for (const Axis& a : sum->axes) i.push_back(a.var);
  for (const int64_t n : x.shape()) at.push_back(ir::FloorMod(i.back(), n));
  const Expr starts[] = {from(i), twice(i) - I32(7), Wide(x(at))};
  auto node = std::make_shared<te::TensorNode>(*sum.get());
  node->body = te::Sum(sum->body->args[0], sum->reduce_axes, starts[rng.Range(0, 2)]);
  return Tensor(std::move(node));
}

// A function of floats of |x|'s elements, made int8 again.
Tensor OfReals(const Tensor& x, Rng& rng) {
  std::vector<ir::ScalarIntrinInfo> functions;
  for (const ir::ScalarIntrinInfo& f : ir::ScalarIntrins()) {
    if (f.function) functions.push_back(f);
  }
  const ir::ScalarIntrinInfo& f =
      functions[static_cast<size_t>(rng.Range(0, std::ssize(functions) - 1))];
  std::vector<std::string> names;
  for (const Axis& a : x->axes) names.push_back(a.name());
  return te::Compute("real", x.shape(), names, [&](const Index& i) {
    const Expr v = ir::Cast(DType::kFloat32, x(i)) * ir::ImmF32(0.125f);
    std::vector<Expr> operands{v};
    if (f.operands == 2) operands.push_back(v * ir::ImmF32(-0.3f) + ir::ImmF32(2));
    return ir::Cast(DType::kInt8, ir::Call(f.name, operands, v.type()) * ir::ImmF32(16));
  });
}

// Elementwise with regrouped indices.
Tensor Regroup(Rng& rng, const ExpressionSize& size) {
  const int64_t a = size.Extent(1, 6, rng), b = size.Extent(1, 6, rng), c = size.Extent(1, 6, rng);
  const Tensor x = te::Placeholder("x", DType::kInt8, {a, b * c});
  const Tensor y = te::Compute("y", {a * b, c}, {"p", "q"}, [&](const Index& i) {
    return Wide(x(ir::FloorDiv(i[0], b), ir::FloorMod(i[0], b) * Expr(c) + i[1]));
  });
  return te::Compute("sum", {c, a, b}, {"c", "y", "x"}, [&](const Index& i) {
    return y(i[1] * Expr(b) + i[2], i[0]) * I32(rng.Range(-5, 5));
  });
}

// A 3x3 window of floats, for `winograd`. The values are small integers, so sums have no rounding.
Tensor RealWindow(Rng& rng, const ExpressionSize& size) {
  const int64_t ci = size.Extent(1, 3, rng), co = size.Extent(1, 3, rng);
  const int64_t h = size.Extent(1, 6, rng), w = size.Extent(1, 6, rng);
  const auto small = [](const char* name, std::vector<int64_t> shape) {
    const Tensor from = te::Placeholder(name, DType::kInt8, shape);
    return te::Compute(std::string(name) + ".real", shape, {}, [&](const Index& i) {
      return ir::Cast(DType::kFloat32, ir::Bin(ir::BinOp::kAnd, from(i), ir::Imm(DType::kInt8, 7)));
    });
  };
  const Tensor x = small("x", {ci, h + 2, w + 2}), k = small("w", {co, ci, 3, 3});
  const te::Axis c = te::ReduceAxis("ci", ci), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  const Tensor sum = te::Compute("reals", {co, h, w}, {"c", "y", "x"}, [&](const Index& i) {
    return te::Sum(x(c.var, i[1] + ky.var, i[2] + kx.var) * k(i[0], c.var, ky.var, kx.var),
                   {c, ky, kx});
  });
  return te::Compute("sum", {co, h, w}, {"c", "y", "x"},
                     [&](const Index& i) { return ir::Cast(DType::kInt32, sum(i)); });
}

}  // namespace

int64_t ExpressionSize::Extent(int64_t least, int64_t most, Rng& rng) const {
  return std::min(rng.Range(least, most), most_extent);
}

Tensor RandomExpression(Rng& rng, const ExpressionSize& size) {
  Tensor sum;
  switch (rng.Range(0, 3)) {
    case 0:
      sum = Product(rng, size);
      break;
    case 1:
      sum = Regroup(rng, size);
      break;
    default:
      sum = Window(rng, size);
      break;
  }
  const bool sums = !sum->reduce_axes.empty() && sum->body->reduce() == ir::ReduceOp::kSum;
  Rng own = rng;  // what else a seed draws does not depend on this
  if (sums && own.OneIn(2)) sum = FromSomething(sum, own);
  if (own.OneIn(6)) sum = RealWindow(own, size);
  if (!size.epilogue) return sum;
  const int64_t channels = sum.shape()[0];
  const Tensor bias = te::Placeholder("bias", DType::kInt32, {channels});
  const Tensor scale = te::Placeholder("scale", DType::kInt32, {channels});
  const auto rounding = static_cast<isa::Round>(rng.Range(0, 2));
  const int64_t shift = rng.Range(-20, 0);
  std::vector<std::string> names;
  for (const Axis& a : sum->axes) names.push_back(a.name());
  Tensor out = te::Compute("scaled", sum.shape(), names, [&](const Index& i) {
    const Expr multiplier = ir::Bin(ir::BinOp::kAnd, scale(i[0]), I32(INT32_MAX));
    const Expr y = ir::Requant(sum(i) + bias(i[0]), multiplier, I32(shift), rounding);
    return ir::Cast(DType::kInt8, ir::ClampAdd(y, I32(3), I32(-128), I32(127)));
  });
  if (rng.OneIn(2)) {
    const Tensor other = te::Placeholder("other", DType::kInt8, sum.shape());
    out = te::Compute("added", sum.shape(), names, [&](const Index& i) {
      return ir::Cast(DType::kInt8, ir::Clamp(Wide(out(i)) + Wide(other(i)), I32(-128), I32(127)));
    });
  }
  if (own.OneIn(3)) out = OfReals(out, own);
  if (rng.OneIn(2)) {  // two readers of one stage, one of them shifted
    const bool back = rng.OneIn(2);
    out = te::Compute("mixed", sum.shape(), names, [&](const Index& i) {
      Index other = i;
      if (!back) {
        other.back() = ir::Min(i.back() + 1, sum.shape().back() - 1);
        return ir::Max(out(i), out(other));
      }
      other.back() = i.back() - 1;
      return ir::Max(out(i),
                     ir::Select(ir::Le(1, i.back()), out(other), ir::Imm(DType::kInt8, -9)));
    });
  }
  return out;
}

te::Values RandomInputs(const Tensor& output, Rng& rng) {
  te::Values values;
  for (const Tensor& t : te::TopologicalOrder({output})) {
    if (!t->placeholder) continue;
    int64_t count = 1;
    for (int64_t n : t.shape()) count *= n;
    ir::Array a(t.dtype(), count);
    for (int64_t i = 0; i < count; ++i) a.SetInt(i, static_cast<int64_t>(rng.Next()));
    values[t.get()] = std::move(a);
  }
  return values;
}

te::Tensor ProductOutput(const te::Tensor& output, te::Values* values, DType factor) {
  std::optional<te::ProductForm> form = te::ToProducts(output, factor);
  if (!form && factor == DType::kUint8) form = te::ToProducts(output, factor, true);
  if (!form) return output;
  if (!form->correction) return form->output;
  const std::vector<int32_t> correction =
      te::CorrectionOf(*form, values->at(form->weights.get()).bytes());
  ir::Array array(DType::kInt32, static_cast<int64_t>(correction.size()));
  for (size_t c = 0; c < correction.size(); ++c)
    array.SetInt(static_cast<int64_t>(c), correction[c]);
  (*values)[form->correction.get()] = array;
  return form->output;
}

std::vector<ir::Array> Arguments(const ir::Func& func, const schedule::Schedule& schedule,
                                 const te::Values& values) {
  std::map<std::string, std::vector<uint8_t>> known;
  for (const auto& [tensor, value] : values) {
    if (tensor->placeholder) known[tensor->name] = value.bytes();
  }
  const Status prepared = schedule::Prepare(schedule, &known);
  TESSERA_CHECK(prepared.has_value(), "{}\n{}", prepared.error().message,
                schedule::Print(schedule.trace()));
  std::vector<ir::Array> arrays;
  for (const ir::Buffer& b : func.params) {
    const ir::Buffer buffer = schedule::ParamBuffer(schedule, b->name);
    const auto value = known.find(b->name);
    arrays.push_back(value == known.end()
                         ? ir::Array(b->dtype, ir::SizeInElements(*buffer), 0x77)
                         : ir::Array(b->dtype, ir::PackLayout(*buffer, value->second)));
  }
  return arrays;
}

std::vector<uint8_t> Logical(const ir::Func& func, const schedule::Schedule& schedule, size_t p,
                             const std::vector<ir::Array>& arguments) {
  return ir::UnpackLayout(*schedule::ParamBuffer(schedule, func.params[p]->name),
                          arguments[p].bytes());
}

}  // namespace tessera::test
