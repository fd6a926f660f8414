// SPDX-License-Identifier: Apache-2.0
//
// What is tested: every operator of the graph, in every pair of types that it takes, under the
// generator's schedule in OpenCL C on this machine's driver, against te::Evaluate, bit for bit.
// Space: two drawn examples of each, over images and rows; convolutions and matrix products large
// enough for blocks in shared memory, with strides, dilations, pads and extents that no block
// divides. Not here: networks (tests/tools).
#include <gtest/gtest.h>

#include "compiler/codegen/opencl/opencl.h"
#include "compiler/graph/example.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/op_def.h"
#include "compiler/ir/layout.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/gpu.h"
#include "compiler/te/ops/region.h"
#include "tests/compiler/gpu/run_opencl.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera {
namespace {

using graph::Graph;
using graph::TensorId;

const graph::Quant kScale{{0.25}, {3}, -1}, kOther{{0.125}, {-5}, -1};

struct OpCase {
  std::string name;
  te::RegionTe region;
  schedule::Schedule schedule;
  lower::KernelFunc func;
  te::Values values;
};

TensorId AddInput(Graph& g, const graph::Shape& shape, const graph::Quant& quant, DType dtype) {
  g.inputs.push_back(
      g.AddTensor({.name = "x" + std::to_string(g.tensors.size()),
                   .dtype = dtype,
                   .shape = shape,
                   .quant = dtype == DType::kInt8 ? std::optional(quant) : std::nullopt}));
  return g.inputs.back();
}

Result<Graph> GraphOf(graph::Op op, const graph::Shape& shape, const graph::TypePair& types,
                      Rng& rng) {
  Graph g{.name = "one"};
  const TensorId x = AddInput(g, shape, kScale, types.from);
  graph::Example example{
      .graph = g,
      .draw = [&](int64_t least, int64_t most) { return rng.Range(least, most); },
      .another = [&](bool same) { return AddInput(g, shape, same ? kScale : kOther, types.from); },
      .node = {.op = op, .name = "one", .inputs = {x}, .round = isa::Round::kTflite}};
  TESSERA_TRY(graph::Complete(example, {{0.5}, {0}, -1}));
  g.nodes.push_back(example.node);
  g.tensor(example.node.output).dtype = types.to;
  g.outputs = {example.node.output};
  TESSERA_TRY(graph::Verify(g));
  TESSERA_TRY(quantize::AttachRequant(g));
  return g;
}

ir::Array RandomArray(const te::Tensor& t, Rng& rng) {
  int64_t count = 1;
  for (const int64_t n : t.shape()) count *= n;
  ir::Array a(t.dtype(), count);
  for (int64_t i = 0; i < count; ++i) {
    if (IsFloat(t.dtype())) {
      a.SetFloat(i, static_cast<float>(rng.Unit() * 8 - 4));
    } else {
      a.SetInt(i, static_cast<int64_t>(rng.Next()));
    }
  }
  return a;
}

void AddRegion(const std::string& name, te::RegionTe region, Rng& rng, std::vector<OpCase>* cases) {
  OpCase c{.name = name, .region = std::move(region)};
  const te::Tensor& out = c.region.output;
  Result<schedule::Schedule> s = schedule::GpuSchedule({out});
  ASSERT_TRUE(s.has_value()) << name << ": " << s.error().message;
  c.schedule = std::move(*s);
  Result<lower::KernelFunc> f =
      lower::LowerKernels(c.schedule, "case_" + std::to_string(cases->size()));
  ASSERT_TRUE(f.has_value()) << name << ": " << f.error().message << "\n"
                             << te::Print({out}) << schedule::Print(c.schedule.trace());
  c.func = std::move(*f);
  for (const te::Binding& b : c.region.bindings) {
    c.values[b.placeholder.get()] = b.activation < 0 ? ir::Array(b.placeholder.dtype(), b.constant)
                                                     : RandomArray(b.placeholder, rng);
  }
  ASSERT_TRUE(te::Evaluate({out}, &c.values).has_value()) << name;
  cases->push_back(std::move(c));
}

void ExpectExact(std::vector<OpCase>& cases) {
  std::vector<lower::GpuKernel> kernels;
  for (const OpCase& c : cases)
    kernels.insert(kernels.end(), c.func.kernels.begin(), c.func.kernels.end());
  const auto device = OpenOpenClDevice();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  const Status built = (*device)->Build(codegen::OpenClSource(kernels));
  ASSERT_TRUE(built.has_value()) << built.error().message;
  for (OpCase& c : cases) {
    std::vector<ir::Array> arrays = test::Arguments(c.func.loops, c.schedule, c.values);
    const Status ran = test::RunOnDevice(**device, c.func, arrays);
    ASSERT_TRUE(ran.has_value()) << c.name << ": " << ran.error().message;
    EXPECT_EQ(arrays.back().bytes(), c.values.at(c.region.output.get()).bytes())
        << c.name << "\n"
        << te::Print({c.region.output}) << schedule::Print(c.schedule.trace());
  }
}

TEST(OpenClOps, EveryOperatorInEveryType) {
  std::vector<OpCase> cases;
  for (size_t op = 0; op < graph::AllOps().size(); ++op) {
    const graph::OpDef& def = graph::DefOf(static_cast<graph::Op>(op));
    for (const graph::TypePair& types : def.types) {
      int made = 0;
      for (uint64_t seed = 0; seed < 8 && made < 2; ++seed) {
        Rng rng(seed + 100 * op);
        for (const graph::Shape& shape : {graph::Shape{1, 5, 8, 7}, graph::Shape{1, 16}}) {
          const Result<Graph> g = GraphOf(static_cast<graph::Op>(op), shape, types, rng);
          if (!g) continue;
          const std::string name =
              fmt::format("{} of {}, seed {}", def.name, Text(types.from), seed);
          for (const graph::Region& region : graph::Fuse(*g))
            ASSERT_NO_FATAL_FAILURE(AddRegion(name, te::BuildRegion(*g, region), rng, &cases));
          ++made;
          break;
        }
      }
      EXPECT_GT(made, 0) << def.name << " of " << Text(types.from);
    }
  }
  ExpectExact(cases);
}

// A convolution of |dtype| with weights, by the graph.
Graph ConvGraph(DType dtype, const graph::Shape& x, int64_t out, const graph::Window& w, Rng& rng) {
  Graph g{.name = "conv"};
  const TensorId input = AddInput(g, x, kScale, dtype);
  graph::Node node{.op = graph::Op::kConv, .name = "conv", .round = isa::Round::kTflite};
  node.attributes = graph::ConvAttributes{w, 1};
  const graph::Shape k{out, x[1], w.kernel[0], w.kernel[1]};
  graph::GraphTensor weights{.name = "w", .dtype = dtype, .shape = k};
  if (dtype == DType::kInt8) weights.quant = graph::Quant{{0.01}, {0}, -1};
  ir::Array data(dtype, out * x[1] * w.kernel[0] * w.kernel[1]);
  for (int64_t i = 0; i < data.size(); ++i) {
    if (IsFloat(dtype))
      data.SetFloat(i, static_cast<float>(rng.Unit() * 2 - 1));
    else
      data.SetInt(i, rng.Range(-127, 127));
  }
  weights.data = data.bytes();
  node.inputs = {input, g.AddTensor(weights)};
  graph::GraphTensor y{.name = "y",
                       .dtype = dtype,
                       .shape = {x[0], out, w.OutExtent(0, x[2]), w.OutExtent(1, x[3])}};
  if (dtype == DType::kInt8) y.quant = kOther;
  node.output = g.AddTensor(y);
  g.nodes = {node};
  g.outputs = {node.output};
  return g;
}

TEST(OpenClOps, ConvolutionsInBlocks) {
  const graph::Window kWindows[] = {
      {.kernel = {1, 1}},
      {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}},
      {.kernel = {3, 2}, .stride = {2, 1}, .dilation = {1, 2}, .pad_before = {0, 1}},
  };
  std::vector<OpCase> cases;
  Rng rng(11);
  for (const DType dtype : {DType::kInt8, DType::kFloat32, DType::kFloat16}) {
    for (const graph::Window& w : kWindows) {
      Graph g = ConvGraph(dtype, {1, 11, 9, 10}, 13, w, rng);
      ASSERT_TRUE(graph::Verify(g).has_value());
      ASSERT_TRUE(quantize::AttachRequant(g).has_value());
      for (const graph::Region& region : graph::Fuse(g))
        ASSERT_NO_FATAL_FAILURE(
            AddRegion(std::string(Text(dtype)), te::BuildRegion(g, region), rng, &cases));
      ASSERT_EQ(cases.back().func.kernels[0].shared.size(), 2u);  // in blocks
    }
  }
  ExpectExact(cases);
}

}  // namespace
}  // namespace tessera
