// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "compiler/ir/intrin.h"
#include "compiler/target/cuda.h"
#include "tests/compiler/gpu/gpu_cases.h"

namespace tessera::test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

// The differences between the int8 and the f16 product.
struct Narrow {
  DType dtype, sum;
  const char *product, *store;
  int64_t depth;  // of a fragment
};
constexpr Narrow kInt8{DType::kInt8, DType::kInt32, target::kMmaS8, target::kMmaStoreI32, 32};
constexpr Narrow kHalf{DType::kFloat16, DType::kFloat32, target::kMmaF16, target::kMmaStoreF32, 16};

// |sum| converted back to the operands' type.
Expr Narrowed(const Narrow& n, const Expr& sum) {
  if (IsFloat(n.dtype)) return ir::Cast(n.dtype, sum);
  return ir::Cast(n.dtype, ir::Clamp(sum, ir::Imm(n.sum, -100), ir::Imm(n.sum, 100)));
}

void Add(const std::string& name, const te::Tensor& y, const std::string& steps, GpuCases* cases) {
  Result<schedule::Schedule> s = schedule::Schedule::Create({y}, target::Cuda());
  ASSERT_TRUE(s.has_value()) << s.error().message;
  const Status applied = s->Apply(steps);
  ASSERT_TRUE(applied.has_value()) << name << ": " << applied.error().message;
  te::Values values;
  Rng rng(5);
  for (const te::Tensor& t : te::TopologicalOrder({y})) {
    if (t->placeholder) values[t.get()] = SmallNumbers(t, rng);
  }
  AddCase(name, y, *s, std::move(values), cases);
}

// Groups of 4 warps make 32 x 16 of a 64 x 48 product over 128, in chunks of two fragments.
void AddProduct(const Narrow& n, GpuCases* cases) {
  const te::Tensor x = te::Placeholder("x", n.dtype, {64, 128});
  const te::Tensor w = te::Placeholder("w", n.dtype, {48, 128});
  const te::Axis k = te::ReduceAxis("k", 128);
  const te::Tensor sum = te::Compute("sum", {64, 48}, {"i", "j"}, [&](const Index& i) {
    return te::Sum(ir::Cast(n.sum, x(i[0], k.var)) * ir::Cast(n.sum, w(i[1], k.var)), {k});
  });
  const te::Tensor y =
      te::Compute("y", {64, 48}, {"i", "j"}, [&](const Index& i) { return Narrowed(n, sum(i)); });
  std::string steps =
      "cache_write sum acc sum.f\nset_scope sum shared\n"
      "tile y i j 32 16 i.g j.g i.b j.b\nbind y i.g grid.y\nbind y j.g grid.x\n"
      "fuse y i.b j.b e\nsplit y e 32 e.r e.x\nsplit y e.r 2 e.q e.y\nsplit y e.q 2 e.o e.z\n"
      "bind y e.x thread.x\nbind y e.y thread.y\nbind y e.z thread.z\n"
      "compute_at sum y j.g\nsplit sum i 32 i.g i.b\nsplit sum i.b 16 i.w i.e\n"
      "split sum j 8 j.w j.e\nreorder sum i.g i.w j.w i.e j.e\n"
      "bind sum i.w thread.y\nbind sum j.w thread.z\n"
      "layout sum 0/16,1/8,0%16,1%8\n"
      "compute_at sum.f sum i.g\nsplit sum.f i 16 i.w i.e\nsplit sum.f j 8 j.w j.e\n"
      "layout sum.f 0/16,1/8,0%16,1%8\n";
  steps += fmt::format(
      "tensorize sum i.e {0}\nsplit sum.f k {2} k.o k.c\nsplit sum.f k.c {1} k.m k.i\n"
      "reorder sum.f k.o i.w j.w k.m i.e j.e k.i\n"
      "bind sum.f i.w thread.y\nbind sum.f j.w thread.z\nunroll sum.f k.m\n"
      "tensorize sum.f i.e {3}\n",
      n.store, n.depth, 2 * n.depth, n.product);
  for (const char* operand : {"x", "w"}) {
    steps += fmt::format(
        "cache_read {0} shared {0}.s sum.f\ncompute_at {0}.s sum.f k.o\n"
        "layout {0}.s 0/8,1/{1},0%8,1%{1}\nfuse {0}.s i0 i1 f\nsplit {0}.s f 32 f.r f.x\n"
        "split {0}.s f.r 2 f.q f.y\nsplit {0}.s f.q 2 f.o f.z\n"
        "bind {0}.s f.x thread.x\nbind {0}.s f.y thread.y\nbind {0}.s f.z thread.z\n",
        operand, n.depth);
  }
  // A tile of x has 16 rows.
  const std::string eight = fmt::format("layout x.s 0/8,1/{0},0%8", n.depth);
  steps.replace(steps.find(eight), eight.size(),
                fmt::format("layout x.s 0/16,1/{0},0%16", n.depth));
  Add(fmt::format("product of {}", Text(n.dtype)), y, steps, cases);
}

// 3 x 3 over 4 x 32 points with pads, 64 channels to 16: a group computes two rows of 16 points, a
// warp one row and 8 channels. A fragment's rows are neighbouring points, along which the window
// moves.
void AddConvolution(const Narrow& n, GpuCases* cases) {
  constexpr int64_t kIn = 64, kOut = 16, kHeight = 4, kWidth = 32;
  const te::Tensor x = te::Placeholder("x", n.dtype, {kIn, kHeight, kWidth});
  const te::Tensor w = te::Placeholder("w", n.dtype, {kOut, kIn, 3, 3});
  const te::Tensor p =
      te::Compute("p", {kIn, kHeight + 2, kWidth + 2}, {"c", "y", "x"}, [&](const Index& i) {
        const Expr inside = ir::And(ir::And(ir::Le(1, i[1]), ir::Lt(i[1], kHeight + 1)),
                                    ir::And(ir::Le(1, i[2]), ir::Lt(i[2], kWidth + 1)));
        return ir::Select(inside, x(i[0], i[1] - 1, i[2] - 1),
                          ir::Cast(n.dtype, ir::Imm(DType::kInt32, 0)));
      });
  const te::Axis ci = te::ReduceAxis("ci", kIn), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  const te::Tensor sum =
      te::Compute("sum", {kOut, kHeight, kWidth}, {"co", "y", "x"}, [&](const Index& i) {
        return te::Sum(ir::Cast(n.sum, p(ci.var, i[1] + ky.var, i[2] + kx.var)) *
                           ir::Cast(n.sum, w(i[0], ci.var, ky.var, kx.var)),
                       {ci, ky, kx});
      });
  const te::Tensor out = te::Compute("out", {kOut, kHeight, kWidth}, {"co", "y", "x"},
                                     [&](const Index& i) { return Narrowed(n, sum(i)); });
  std::string steps =
      "cache_write sum acc sum.f\nset_scope sum shared\n"
      "tile out y x 2 16 y.g x.g y.b x.b\nreorder out y.g x.g co y.b x.b\n"
      "bind out y.g grid.y\nbind out x.g grid.x\n"
      "fuse out co y.b e.cy\nfuse out e.cy x.b e\nsplit out e 32 e.r e.x\n"
      "split out e.r 2 e.q e.y\nsplit out e.q 2 e.o e.z\n"
      "bind out e.x thread.x\nbind out e.y thread.y\nbind out e.z thread.z\n"
      "compute_at sum out x.g\nsplit sum co 8 co.w co.e\nsplit sum x 16 x.g x.e\n"
      "reorder sum x.g y co.w x.e co.e\nbind sum y thread.y\nbind sum co.w thread.z\n"
      "layout sum 1,2/16,0/8,2%16,0%8\n"
      "compute_at sum.f sum x.g\nsplit sum.f co 8 co.w co.e\n"
      "layout sum.f 1,2/16,0/8,2%16,0%8\n";
  steps += fmt::format(
      "tensorize sum x.e {0}\nsplit sum.f ci {1} ci.o ci.i\n"
      "reorder sum.f ci.o y co.w ky kx x co.e ci.i\n"
      "bind sum.f y thread.y\nbind sum.f co.w thread.z\ntensorize sum.f x {2}\n"
      "set_scope p shared\ncompute_at p sum.f ci.o\nlayout p 1,2,0\n"
      "cache_read w shared w.s sum.f\ncompute_at w.s sum.f ci.o\nlayout w.s 2,3,0,1\n"
      "fuse p c y f.cy\nfuse p f.cy x f\n"
      "fuse w.s i0 i1 f.0\nfuse w.s f.0 i2 f.1\nfuse w.s f.1 i3 f\n",
      n.store, n.depth, n.product);
  for (const char* stage : {"p", "w.s"}) {
    steps += fmt::format(
        "split {0} f 32 f.r f.x\nsplit {0} f.r 2 f.q f.y\nsplit {0} f.q 2 f.o f.z\n"
        "bind {0} f.x thread.x\nbind {0} f.y thread.y\nbind {0} f.z thread.z\n",
        stage);
  }
  Add(fmt::format("convolution of {}", Text(n.dtype)), out, steps, cases);
}

}  // namespace

ir::Array SmallNumbers(const te::Tensor& t, Rng& rng) {
  int64_t count = 1;
  for (const int64_t n : t.shape()) count *= n;
  ir::Array a(t.dtype(), count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t v = rng.Range(-9, 9);
    IsFloat(t.dtype()) ? a.SetFloat(i, static_cast<float>(v)) : a.SetInt(i, v);
  }
  return a;
}

GpuCases FragmentCases() {
  GpuCases cases;
  for (const Narrow& n : {kInt8, kHalf}) {
    AddProduct(n, &cases);
    AddConvolution(n, &cases);
  }
  return cases;
}

}  // namespace tessera::test
