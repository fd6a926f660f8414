// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/random_te.h"

#include <fmt/format.h>

#include <map>

#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/schedule/params.h"
#include "compiler/te/unsigned.h"

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
Tensor Window(Rng& rng) {
  const int64_t channels = rng.Range(1, 9), height = rng.Range(4, 9), width = rng.Range(4, 9);
  Tensor x = te::Placeholder("x", DType::kInt8, {channels, height, width});
  const int64_t kernel = rng.Range(1, 3), stride = rng.Range(1, 3), dilation = rng.Range(1, 2);
  const int64_t pad = rng.Range(0, 2);
  Tensor padded = pad > 0 ? Pad(x, pad, rng.Range(0, pad), rng.Range(-128, 127)) : x;
  const int64_t reach = (kernel - 1) * dilation + 1;
  const int64_t oh = (padded.shape()[1] - reach) / stride + 1,
                ow = (padded.shape()[2] - reach) / stride + 1;
  if (padded.shape()[1] < reach || padded.shape()[2] < reach) return Window(rng);
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
    case 1:  // no weights
      return te::Compute("sum", {channels, oh, ow}, {"c", "y", "x"}, [&](const Index& i) {
        const Expr v = Wide(padded(i[0], at(i[1], ky), at(i[2], kx)));
        return kernel % 2 ? te::MaxOf(v, {ky, kx}) : te::MinOf(v, {ky, kx});
      });
    default: {  // over groups of channels
      const int64_t groups = channels % 2 == 0 ? rng.Range(1, 2) : 1;
      const int64_t group_in = channels / groups, group_out = rng.Range(1, 9),
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

Tensor Product(Rng& rng) {
  const int64_t m = rng.Range(1, 9), n = rng.Range(1, 20), k = rng.Range(1, 20);
  const Tensor a = te::Placeholder("x", DType::kInt8, {m, k}),
               b = te::Placeholder("w", DType::kInt8, {n, k});
  const Axis ci = te::ReduceAxis("k", k);
  return te::Compute("sum", {m, n}, {"m", "n"}, [&](const Index& i) {
    return te::Sum(Wide(a(i[0], ci.var)) * Wide(b(i[1], ci.var)), {ci});
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

// Elementwise with regrouped indices.
Tensor Regroup(Rng& rng) {
  const int64_t a = rng.Range(1, 6), b = rng.Range(1, 6), c = rng.Range(1, 6);
  const Tensor x = te::Placeholder("x", DType::kInt8, {a, b * c});
  const Tensor y = te::Compute("y", {a * b, c}, {"p", "q"}, [&](const Index& i) {
    return Wide(x(ir::FloorDiv(i[0], b), ir::FloorMod(i[0], b) * Expr(c) + i[1]));
  });
  return te::Compute("sum", {c, a, b}, {"c", "y", "x"}, [&](const Index& i) {
    return y(i[1] * Expr(b) + i[2], i[0]) * I32(rng.Range(-5, 5));
  });
}

}  // namespace

Tensor RandomExpression(Rng& rng) {
  Tensor sum;
  switch (rng.Range(0, 3)) {
    case 0:
      sum = Product(rng);
      break;
    case 1:
      sum = Regroup(rng);
      break;
    default:
      sum = Window(rng);
      break;
  }
  const bool sums = !sum->reduce_axes.empty() && sum->body->reduce() == ir::ReduceOp::kSum;
  Rng own = rng;  // what else a seed draws does not depend on this
  if (sums && own.OneIn(2)) sum = FromSomething(sum, own);
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

schedule::Schedule RandomSchedule(const Tensor& output, int steps, Rng& rng) {
  Result<schedule::Schedule> made = schedule::Schedule::Create({output});
  TESSERA_CHECK(made.has_value());
  schedule::Schedule s = *made;
  int fresh = 0;
  for (int n = 0; n < steps; ++n) {
    std::vector<const schedule::Stage*> computes;
    for (const schedule::Stage& st : s.stages()) {
      if (!st.placeholder && st.attach != schedule::Attach::kInline && !st.leaves.empty())
        computes.push_back(&st);
    }
    auto any_stage = [&] {
      return computes[rng.Range(0, static_cast<int64_t>(computes.size()) - 1)];
    };
    const schedule::Stage* st = any_stage();
    auto any_leaf = [&](const schedule::Stage* of) {
      return of->leaves[rng.Range(0, static_cast<int64_t>(of->leaves.size()) - 1)].name;
    };
    const int id = fresh++;
    std::string line;
    switch (rng.Range(0, 30)) {
      case 0:
        line =
            fmt::format("split {} {} {} o{} i{}", st->name, any_leaf(st), rng.Range(1, 6), id, id);
        if (rng.OneIn(4)) line += " overlap";
        if (rng.OneIn(8) && !st->reduce_axes.empty()) {
          const auto& source =
              s.stages()[rng.Range(0, static_cast<int64_t>(s.stages().size()) - 1)];
          line = fmt::format("align {} {} {} {}", st->name, st->reduce_axes[0].name(), source.name,
                             rng.Range(1, 4));
        }
        break;
      case 1: {  // any divisor
        const std::string leaf = any_leaf(st);
        line = fmt::format("decide d{} factors {} {} 1\nsplit {} {} $d{} o{} i{}", id, st->name,
                           leaf, st->name, leaf, id, id, id);
        break;
      }
      case 2: {
        const int64_t at = rng.Range(0, static_cast<int64_t>(st->leaves.size()) - 1);
        if (at + 1 >= static_cast<int64_t>(st->leaves.size())) continue;
        line = fmt::format("fuse {} {} {} f{}", st->name, st->leaves[at].name,
                           st->leaves[at + 1].name, id);
        break;
      }
      case 3:
      case 4:
        line = fmt::format("reorder {} {} {}", st->name, any_leaf(st), any_leaf(st));
        break;
      case 5:
      case 6: {
        const auto* to = any_stage();
        line = fmt::format("compute_at {} {} {}", st->name, to->name, any_leaf(to));
        break;
      }
      case 13:
      case 14: {
        const auto* behind = any_stage();
        line = fmt::format("reverse_compute_at {} {} {}", st->name, behind->name, any_leaf(behind));
        if (behind->attach == schedule::Attach::kAt) {  // the two in one place
          line = fmt::format("compute_at {} {} {}\n{}", st->name, behind->at_stage, behind->at_axis,
                             line);
        }
        break;
      }
      case 15: {
        const auto* behind = any_stage();
        line = fmt::format("in_place {} {}", behind->name, st->name);
        break;
      }
      case 16:
        line = fmt::format("rfactor {} {} part{}", st->name, any_leaf(st), id);
        break;
      case 17:
        line = fmt::format("storage_align {} {} {} {}", st->name, rng.Range(0, 2), rng.Range(1, 7),
                           rng.Range(0, 3));
        break;
      case 18: {
        const auto& source = s.stages()[rng.Range(0, static_cast<int64_t>(s.stages().size()) - 1)];
        const char* kFills[] = {"", " 0", " 5"};
        const char* kKept[] = {"", "", "", " keep 0", " keep 1", " keep 0,1"};
        line = fmt::format("reindex {} {} re{}{}{}", source.name, st->name, id,
                           kKept[rng.Range(0, 5)], kFills[id % 3]);
        break;
      }
      case 19: {
        const auto *to = any_stage(), *other = any_stage();
        line = fmt::format("compute_at {} {} {} before {}", st->name, to->name, any_leaf(to),
                           other->name);
        break;
      }
      case 20: {  // in place of what is made for it
        line = fmt::format("cache_write {0} global own{1}\nin_place own{1} {0}", st->name, id);
        break;
      }
      case 21: {
        const char* kWays[] = {"0", "1", "0.0", "0.1", "1.0", "0.0.0", "0.0.1"};
        line = fmt::format("lift {} {} local part{}", st->name, kWays[rng.Range(0, 6)], id);
        if (rng.OneIn(2) && !st->axes.empty()) line += " " + st->axes.back().name();
        if (rng.OneIn(4)) {
          line = fmt::format("rewrite {} {} {}", st->name, rng.OneIn(2) ? "." : kWays[id % 7],
                             rng.OneIn(2) ? "negated" : "plus_zero");
        }
        break;
      }
      case 22: {
        line = fmt::format("stack both{} {}", id, st->name);
        for (const auto& source : s.stages())
          line += st->Reads(source.name) && rng.OneIn(2) ? " " + source.name : "";
        break;
      }
      case 23:
        line = fmt::format("prepare {}", st->name);
        break;
      case 24:
        line = fmt::format("parallel {} {}", st->name, any_leaf(st));
        break;
      case 25:
      case 26:
        line = fmt::format("vthread {} {}", st->name, any_leaf(st));
        break;
      case 27:
        line = fmt::format("double_buffer {}", st->name);
        break;
      case 29:
        line = fmt::format("decide p{0} places {1} root\ncompute_at {1} $p{0}", id, st->name);
        break;
      case 30: {
        if (st->leaves.size() < 2) continue;
        line = fmt::format("decide r{} orders {}", id, st->name);
        for (size_t k = 0; k < std::min(st->leaves.size(), schedule::kMostOrdered); ++k)
          line += " " + st->leaves[k].name;
        line += fmt::format("\nreorder {} $r{}", st->name, id);
        break;
      }
      case 28: {
        const auto& source = s.stages()[rng.Range(0, static_cast<int64_t>(s.stages().size()) - 1)];
        line = fmt::format("prefetch {} {} {} {}", source.name, st->name, any_leaf(st),
                           rng.Range(1, 3));
        const schedule::Stage* outer = s.OuterOf(*st);
        if (rng.OneIn(2)) {
          const schedule::Stage* of = outer != nullptr && rng.OneIn(2) ? outer : st;
          line += fmt::format(" of {} {}", of->name, any_leaf(of));
        }
        break;
      }
      case 7:
        line = fmt::format("inline {}", st->name);
        break;
      case 8: {
        const auto& source = s.stages()[rng.Range(0, static_cast<int64_t>(s.stages().size()) - 1)];
        line = fmt::format("cache_read {} local copy{} {}", source.name, id, st->name);
        break;
      }
      case 9:
        line = fmt::format("cache_write {} reg tmp{}", st->name, id);
        if (st->dtype == DType::kInt8 && rng.OneIn(2)) line += " i32";
        break;
      case 10:
        line = fmt::format("vectorize {} {}", st->name, any_leaf(st));
        break;
      case 11:
        line = fmt::format("unroll {} {}", st->name, any_leaf(st));
        break;
      default: {
        const auto& t = s.stages()[rng.Range(0, static_cast<int64_t>(s.stages().size()) - 1)];
        std::string layout;
        const int64_t block = rng.Range(2, 5),
                      dim = rng.Range(0, static_cast<int64_t>(t.shape.size()) - 1);
        layout = ir::LayoutText(
            ir::BlockedLayout(static_cast<int>(t.shape.size()), static_cast<int>(dim), block));
        std::erase(layout, ' ');
        line = fmt::format("layout {} {} {}", t.name, layout, rng.Range(-3, 3));
        break;
      }
    }
    (void)s.Apply(line).has_value();  // what is illegal is refused and changes nothing
  }
  return s;
}

te::Tensor UnsignedOutput(const te::Tensor& output, te::Values* values) {
  const std::optional<te::UnsignedForm> form = te::ToUnsigned(output, 8);
  if (!form) return output;
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
  TESSERA_CHECK(schedule::Prepare(schedule, &known).has_value());
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
