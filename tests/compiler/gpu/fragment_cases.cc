// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/graph/fuse.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/gpu.h"
#include "compiler/target/cuda.h"
#include "tests/compiler/gpu/gpu_cases.h"
#include "tests/compiler/gpu/random_gpu.h"

namespace tessera::test {
namespace {

using ir::Expr;
using Index = std::vector<Expr>;

struct Layer {
  graph::Shape x;
  int64_t outs;
  graph::Window window;
  int64_t groups = 1;
  bool fragments = true;
  bool residual = false;  // adds another input
};
const Layer kLayers[] = {
    {{1, 64, 8, 8}, 16, {.kernel = {1, 1}}},
    {{1, 11, 9, 10}, 13, {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}}},
    {{1, 40, 9, 11},
     35,
     {.kernel = {3, 2}, .stride = {2, 1}, .dilation = {1, 2}, .pad_before = {0, 1}}},
    {{1, 3, 17, 15},
     8,
     {.kernel = {7, 7}, .stride = {2, 2}, .pad_before = {3, 3}, .pad_after = {2, 3}}},
    {{2, 5, 7, 7}, 66, {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}}},
    {{3, 32, 1, 9}, 48, {.kernel = {1, 3}, .stride = {1, 2}}},
    {{1, 32, 20, 1}, 17, {.kernel = {3, 1}}},
    {{1, 96, 1, 1}, 24, {.kernel = {1, 1}}},  // a dense layer
    // Depthwise channels, and groups of channels: their sum is not a matrix product.
    {{1, 12, 6, 6}, 12, {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}}, 12, false},
    {{1, 8, 6, 6}, 16, {.kernel = {3, 3}}, 2, false},
    {{1, 16, 8, 8},
     24,
     {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}},
     1,
     true,
     true},
};

bool HasWarps(const GpuCase& c) {
  return std::ranges::any_of(c.func.kernels, [](const lower::GpuKernel& k) { return k.warps; });
}

void AddLayer(const Layer& layer, DType dtype, const Asked& asked, Rng& rng, GpuCases* cases) {
  graph::Graph g = ConvGraph(dtype, layer.x, layer.outs, layer.window, layer.groups, rng);
  if (layer.residual) g = WithResidual(std::move(g));
  ASSERT_TRUE(graph::Verify(g).has_value());
  ASSERT_TRUE(quantize::AttachRequant(g).has_value());
  const std::string name = fmt::format("{} channels to {} of {}, {} picks", layer.x[1], layer.outs,
                                       Text(dtype), asked.any_picks ? "any" : "own");
  for (const graph::Region& region : graph::Fuse(g))
    AddRegion(name, te::BuildRegion(g, region), asked, rng, cases);
  EXPECT_EQ(HasWarps(cases->back()), layer.fragments) << name;
  EXPECT_EQ(cases->back().func.kernels.size(), 1u) << name;
}

// The stage behind the sum.
enum class Behind : uint8_t { kNothing, kElementwise, kTransposed };

// |batch| products [rows, depth] x [depth, columns] of inputs; |turned|: the second is [columns,
// depth].
void AddProduct(const std::vector<int64_t>& extents, DType dtype, bool turned, Behind behind,
                Rng& rng, GpuCases* cases) {
  const int64_t batch = extents[0], rows = extents[1], depth = extents[2], columns = extents[3];
  const DType wide = IsFloat(dtype) ? DType::kFloat32 : DType::kInt32;
  const te::Tensor a = te::Placeholder("a", dtype, {batch, rows, depth});
  const te::Tensor b = te::Placeholder(
      "b", dtype, turned ? std::vector{batch, columns, depth} : std::vector{batch, depth, columns});
  const te::Axis k = te::ReduceAxis("k", depth);
  const te::Tensor sum =
      te::Compute("sum", {batch, rows, columns}, {"b", "i", "j"}, [&](const Index& i) {
        const Expr second = turned ? b(i[0], i[2], k.var) : b(i[0], k.var, i[2]);
        return te::Sum(ir::Cast(wide, a(i[0], i[1], k.var)) * ir::Cast(wide, second), {k});
      });
  te::Tensor out = sum;
  if (behind == Behind::kElementwise) {
    out = te::Compute("out", {batch, rows, columns}, {"b", "i", "j"},
                      [&](const Index& i) { return sum(i) + ir::Const(wide, 3); });
  } else if (behind == Behind::kTransposed) {
    out = te::Compute("out", {columns, rows, batch}, {"j", "i", "b"},
                      [&](const Index& i) { return sum(i[2], i[1], i[0]) + ir::Const(wide, 3); });
  }
  te::Values values;
  for (const te::Tensor& t : {a, b}) values[t.get()] = SmallNumbers(t, rng);
  const std::string name =
      fmt::format("{} products {}x{}x{} of {}", batch, rows, depth, columns, Text(dtype));
  AddCase(name, out, RandomGpuPicks(out, rng, target::Cuda()), std::move(values), cases);
  EXPECT_TRUE(HasWarps(cases->back())) << name;
}

}  // namespace

GpuCases GeneratedFragments() {
  GpuCases cases;
  Rng rng(29);
  for (const DType dtype : {DType::kInt8, DType::kFloat16}) {
    for (const Layer& layer : kLayers) {
      for (const bool any_picks : {false, true}) {
        if (IsFloat(dtype) && any_picks != (layer.outs % 2 == 0)) continue;  // one of the two
        const Asked asked{.target = target::Cuda(),
                          .any_picks = any_picks,
                          .constants_known = !any_picks || rng.OneIn(2)};
        AddLayer(layer, dtype, asked, rng, &cases);
      }
    }
    AddProduct({1, 19, 50, 21}, dtype, false, Behind::kElementwise, rng, &cases);
    AddProduct({3, 17, 40, 9}, dtype, true, Behind::kNothing, rng, &cases);
    AddProduct({2, 32, 64, 40}, dtype, false, Behind::kTransposed, rng, &cases);
  }
  return cases;
}

}  // namespace tessera::test
