// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/accel/random_region.h"

#include <cstring>

#include "compiler/ir/intrin.h"
#include "compiler/network/layers.h"

namespace tessera::test {
namespace {

using ir::BinOp;
using ir::Expr;
using Index = std::vector<Expr>;

Expr Number(int64_t v) { return ir::Imm(DType::kInt32, v); }
Expr Wide(const Expr& e) { return ir::Cast(DType::kInt32, e); }

class Maker {
 public:
  Maker(RandomAnchor anchor, int64_t images, Rng& rng) : anchor_(anchor), rng_(rng) {
    // Some regions are vectors, without a batch.
    vectors_ = (anchor == RandomAnchor::kNone || anchor == RandomAnchor::kProduct) && rng.OneIn(6);
    shape_[0] = vectors_ || rng.OneIn(2) ? 1 : rng.Range(1, images);
  }

  Compiled Run() {
    const te::Tensor reduced = anchor_ == RandomAnchor::kNone ? te::Tensor() : Reduction();
    if (anchor_ == RandomAnchor::kNone)
      shape_ = {shape_[0], rng_.Range(1, 40), rng_.Range(1, 9), rng_.Range(1, 9)};
    if (vectors_) shape_[2] = shape_[3] = 1;
    te::Tensor y = reduced;
    const bool alone = reduced && reduced.dtype() == DType::kInt8 && rng_.OneIn(2);
    if (!alone) {
      y = te::Compute("y", Shape(), Names(), [&](const Index& i) {
        index_ = i;
        return Narrow(reduced);
      });
    }
    Compiled c;
    region_.name = "random";
    region_.output = y;
    region_.output_id = static_cast<int>(activations_.size());
    c.activations = activations_;
    c.activations.push_back({y.name(), y.shape(), network::Activation::Kind::kOutput});
    c.te.push_back(region_);
    c.regions.push_back(network::BindRegion(region_));
    return c;
  }

 private:
  std::vector<int64_t> Shape() const {
    if (vectors_) return {shape_[1]};
    if (rank_ == 2) return {shape_[0], shape_[1]};
    if (rank_ == 3) return {shape_[0], shape_[1], shape_[3]};
    return {shape_.begin(), shape_.end()};
  }
  std::vector<std::string> Names() const {
    if (vectors_) return {"c"};
    if (rank_ == 2) return {"n", "c"};
    if (rank_ == 3) return {"n", "c", "x"};
    return {"n", "c", "y", "x"};
  }
  const Expr& Channel() const { return index_[vectors_ ? 0 : 1]; }

  te::Tensor Activation(std::vector<int64_t> shape) {
    const int id = static_cast<int>(activations_.size());
    const te::Tensor t = te::Placeholder(fmt::format("a{}", id), DType::kInt8, shape);
    activations_.push_back({t.name(), shape, network::Activation::Kind::kInput});
    region_.bindings.push_back({t, id, {}});
    return t;
  }
  te::Tensor Constant(DType dtype, std::vector<int64_t> shape, int64_t least, int64_t most) {
    const te::Tensor t = te::Placeholder(fmt::format("k{}", region_.bindings.size()), dtype, shape);
    ir::Array values(dtype, Count(shape));
    for (int64_t k = 0; k < values.size(); ++k) values.SetInt(k, rng_.Range(least, most));
    region_.bindings.push_back({t, -1, values.bytes()});
    return t;
  }
  static int64_t Count(const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t n : shape) count *= n;
    return count;
  }

  te::Tensor Reduction() {
    if (vectors_) return MatrixTimesVector();
    if (anchor_ == RandomAnchor::kActivations) return Activations();
    int64_t taps[2], stride[2], dilation[2], before[2], in[2];
    for (size_t d = 0; d < 2; ++d) {
      taps[d] = rng_.OneIn(3) ? 1 : rng_.Range(1, rng_.OneIn(4) ? 8 : 5);
      stride[d] = rng_.Range(1, 3);
      dilation[d] = rng_.Range(1, 2);
      const int64_t span = (taps[d] - 1) * dilation[d] + 1;
      before[d] = rng_.OneIn(2) ? 0 : rng_.Range(0, span - 1);
      const int64_t after = rng_.OneIn(2) ? 0 : rng_.Range(0, span - 1);
      in[d] = std::max<int64_t>(rng_.Range(1, 12), span - before[d] - after);
      shape_[2 + d] = (in[d] + before[d] + after - span) / stride[d] + 1;
    }
    // Input channel = c / group_out * group_in + ci.
    int64_t groups = 1, group_in = rng_.Range(1, 40), group_out = rng_.Range(1, 40);
    if (anchor_ == RandomAnchor::kGroups) {
      groups = rng_.Range(2, 9);
      group_in = rng_.Range(1, 12), group_out = rng_.Range(1, 12);
    } else if (anchor_ != RandomAnchor::kProduct) {
      groups = rng_.Range(2, 40);
      group_in = group_out = 1;
    }
    shape_[1] = groups * group_out;
    const te::Tensor x = Activation({shape_[0], groups * group_in, in[0], in[1]});
    const std::vector<int64_t> padded{
        shape_[0], groups * group_in, (shape_[2] - 1) * stride[0] + (taps[0] - 1) * dilation[0] + 1,
        (shape_[3] - 1) * stride[1] + (taps[1] - 1) * dilation[1] + 1};
    const bool pads =
        before[0] + before[1] > 0 || padded[2] > in[0] || padded[3] > in[1] || rng_.OneIn(4);
    const int64_t value = rng_.Range(-128, 127);
    te::Tensor source = x;
    if (pads) {
      source = te::Compute("pad", padded, {"n", "c", "y", "x"}, [&](const Index& i) {
        const Expr at[2] = {i[2] - Expr(before[0]), i[3] - Expr(before[1])};
        const auto within = [&](size_t d) {
          return ir::And(ir::Le(Expr(0), at[d]), ir::Lt(at[d], Expr(in[d])));
        };
        const Expr inside = ir::And(within(0), within(1));
        return ir::Select(inside, x(i[0], i[1], at[0], at[1]), ir::Imm(DType::kInt8, value));
      });
    }
    const te::Axis ci = te::ReduceAxis("ci", group_in), ky = te::ReduceAxis("ky", taps[0]),
                   kx = te::ReduceAxis("kx", taps[1]);
    const bool weighted = anchor_ != RandomAnchor::kSum && anchor_ != RandomAnchor::kExtreme;
    const bool across = weighted && anchor_ != RandomAnchor::kChannelwise;
    te::Tensor w;
    if (weighted) {
      std::vector<int64_t> shape{shape_[1], taps[0], taps[1]};
      if (across) shape.insert(shape.begin() + 1, group_in);
      w = Constant(DType::kInt8, shape, -127, 127);
    }
    const bool narrow = anchor_ == RandomAnchor::kExtreme && rng_.OneIn(2);
    const bool most = rng_.OneIn(2);
    const int64_t zero = rng_.Range(-20, 20);
    return te::Compute("sum", Shape(), {"n", "c", "y", "x"}, [&](const Index& i) {
      Expr channel = groups == 1 ? ci.var : i[1];
      if (groups > 1 && across)
        channel = ir::FloorDiv(i[1], Expr(group_out)) * Expr(group_in) + ci.var;
      Expr element = source(i[0], channel, i[2] * Expr(stride[0]) + ky.var * Expr(dilation[0]),
                            i[3] * Expr(stride[1]) + kx.var * Expr(dilation[1]));
      if (across)
        return te::Sum(Wide(element) * Wide(w(i[1], ci.var, ky.var, kx.var)), {ci, ky, kx});
      if (weighted) return te::Sum(Wide(element) * Wide(w(i[1], ky.var, kx.var)), {ky, kx});
      if (!narrow) element = Wide(element) - Number(zero);
      if (anchor_ == RandomAnchor::kSum) return te::Sum(element, {ky, kx});
      return most ? te::MaxOf(element, {ky, kx}) : te::MinOf(element, {ky, kx});
    });
  }

  // Matrices, a matrix for each image, or one for all images: of images, the first operand has the
  // axes of weights.
  te::Tensor Activations() {
    const int64_t depth = rng_.Range(1, 60), columns = rng_.Range(1, 40);
    rank_ = rng_.OneIn(2) ? 2 : 3;
    shape_ = rank_ == 2 ? std::array<int64_t, 4>{rng_.Range(1, 20), columns, 1, 1}
                        : std::array<int64_t, 4>{shape_[0], rng_.Range(1, 40), 1, columns};
    const bool shared = rank_ == 3 && rng_.OneIn(4);
    const int64_t rows = rank_ == 2 ? shape_[0] : shape_[1];
    std::vector<int64_t> first{rows, depth}, second{depth, columns};
    if (rank_ == 3) {
      if (!shared) first.insert(first.begin(), shape_[0]);
      second.insert(second.begin(), shape_[0]);
    }
    const te::Tensor a = Activation(first), b = Activation(second);
    const te::Axis k = te::ReduceAxis("k", depth);
    const auto factor = [&](const Expr& element) {
      const int64_t zero = rng_.OneIn(3) ? 0 : rng_.OneIn(3) ? -128 : rng_.Range(-127, 127);
      return zero == 0 ? Wide(element) : Wide(element) - Number(zero);
    };
    return te::Compute("sum", Shape(), Names(), [&](const Index& i) {
      Index of_a{i[i.size() - 2], k.var}, of_b{k.var, i.back()};
      if (rank_ == 3) {
        if (!shared) of_a.insert(of_a.begin(), i[0]);
        of_b.insert(of_b.begin(), i[0]);
      }
      const Expr x = factor(a(of_a));
      return te::Sum(x * factor(b(of_b)), {k});
    });
  }

  te::Tensor MatrixTimesVector() {
    const int64_t inputs = rng_.Range(1, 80);
    shape_ = {1, rng_.Range(1, 80), 1, 1};
    const te::Tensor x = Activation({inputs}),
                     w = Constant(DType::kInt8, {shape_[1], inputs}, -127, 127);
    const te::Axis ci = te::ReduceAxis("ci", inputs);
    return te::Compute("sum", Shape(), Names(), [&](const Index& i) {
      return te::Sum(Wide(x(ci.var)) * Wide(w(i[0], ci.var)), {ci});
    });
  }

  // An int8 value of other activations, centred and shifted.
  Expr Shifted(const Expr& int8, int64_t least, int64_t most) {
    const Expr centred = Wide(int8) - Number(rng_.Range(-20, 20));
    const int64_t shift = rng_.Range(least, most);
    return shift == 0 ? centred : ir::Bin(BinOp::kShl, centred, Number(shift));
  }
  Expr Other() {
    if (other_ == 0 || rng_.OneIn(3)) {
      other_ = 1;
      std::vector<int64_t> shape = Shape();
      at_ = index_;
      for (size_t d = 2; d < shape.size() && rng_.OneIn(4); ++d) RepeatAlong(d, &shape);
      last_ = Activation(shape);
    }
    return last_(at_);
  }
  // Makes the other activation |shape| smaller along |d|, so that the result reads each of its
  // elements several times in a row.
  void RepeatAlong(size_t d, std::vector<int64_t>* shape) {
    int64_t& extent = (*shape)[d];
    const int64_t times = rng_.Range(2, std::max<int64_t>(extent, 2));
    if (extent % times != 0) return;
    at_[d] = times == extent ? Expr(0) : ir::Bin(BinOp::kDiv, index_[d], Expr(times));
    extent /= times;
  }
  Expr Param(int64_t least, int64_t most) {
    if (!per_channel_) return Number(rng_.Range(least, most));
    return Constant(DType::kInt32, {shape_[1]}, least, most)(Channel());
  }
  Expr Rescaled(const Expr& value, int64_t shift) {
    per_channel_ = rng_.OneIn(2);
    const auto round = static_cast<isa::Round>(rng_.Range(0, 1));
    const Expr multiplier = Param(1 << 30, 0x7fffffff);
    return ir::Requant(value, multiplier, Param(shift - 2, shift), round);
  }
  // An int32 value in ACC.
  Expr Value(const te::Tensor& reduced, int64_t depth) {
    if (depth == 0 && reduced) {
      if (reduced.dtype() == DType::kInt8) return Shifted(reduced(index_), 8, 18);
      return reduced(index_);
    }
    if (depth == 0) return Shifted(Other(), 0, 18);
    const Expr a = Value(reduced, depth - 1);
    switch (rng_.Range(0, 6)) {
      case 0:
        return a + Shifted(Other(), 0, 18);
      case 1:
        return a - Shifted(Other(), 0, 18);
      case 2:
        return Shifted(Other(), 0, 18) - a;
      case 3:
        return ir::Bin(rng_.OneIn(2) ? BinOp::kMin : BinOp::kMax, a,
                       rng_.OneIn(2) ? Number(rng_.Range(-5000, 5000)) : Shifted(Other(), 0, 9));
      case 4:
        return a * (rng_.OneIn(2) ? Number(rng_.Range(-9, 9)) : Shifted(Other(), 0, 0));
      case 5:
        return ir::Bin(BinOp::kShr, a, Number(rng_.Range(0, 9)));
      default:
        return Rescaled(a + Param(-2000, 2000), -1);
    }
  }
  Expr Narrow(const te::Tensor& reduced) {
    if (!reduced && rng_.OneIn(8)) return Other();
    Expr value = Value(reduced, rng_.Range(0, 2));
    const int64_t kind = rng_.Range(0, 3);
    if (kind == 0) value = Rescaled(value, -8);
    if (kind == 1) value = Rescaled(value + Param(-2000, 2000), -8);
    if (kind == 2) value = Rescaled(value + Shifted(Other(), 0, 18), -12);
    const int64_t lo = rng_.OneIn(2) ? -128 : rng_.Range(-128, 0);
    return ir::Cast(DType::kInt8, ir::ClampAdd(value, Number(rng_.Range(-20, 20)), Number(lo),
                                               Number(rng_.Range(0, 127))));
  }

  RandomAnchor anchor_;
  Rng& rng_;
  std::array<int64_t, 4> shape_{1, 1, 1, 1};
  std::vector<network::Activation> activations_;
  te::RegionTe region_;
  Index index_;  // of the result
  Index at_;     // of the last other activation
  int other_ = 0;
  te::Tensor last_;
  bool per_channel_ = false;
  bool vectors_ = false;
  size_t rank_ = 4;
};

}  // namespace

Compiled RandomRegion(RandomAnchor anchor, int64_t images, Rng& rng) {
  return Maker(anchor, images, rng).Run();
}

}  // namespace tessera::test
