// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/gpu/gpu_cases.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "compiler/graph/example.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/op_def.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/print.h"
#include "compiler/quantize/params.h"
#include "compiler/region/float_requant.h"
#include "compiler/region/region.h"
#include "compiler/schedule/gpu.h"
#include "tests/compiler/gpu/random_gpu.h"
#include "tests/compiler/lower/agree.h"

namespace tessera::test {
namespace {

using graph::Graph;
using graph::TensorId;

const graph::Quant kScale{{0.25}, {3}, -1}, kOther{{0.125}, {-5}, -1};

TensorId AddInput(Graph& g, const graph::Shape& shape, const graph::Quant& quant, DType dtype) {
  g.inputs.push_back(g.AddTensor({.name = fmt::format("x{}", g.tensors.size()),
                                  .dtype = dtype,
                                  .shape = shape,
                                  .quant = graph::QuantFor(dtype, quant)}));
  return g.inputs.back();
}

// |scaled|: int8, uint8 and int16 are quantised.
Result<Graph> GraphOf(graph::Op op, const graph::Shape& shape, const graph::TypePair& types,
                      bool scaled, Rng& rng) {
  Graph g{.name = "one"};
  const auto quant = [&](DType dtype, const graph::Quant& of) {
    return scaled ? graph::QuantFor(dtype, of) : std::nullopt;
  };
  const auto input = [&](const graph::Quant& of) {
    const TensorId id = AddInput(g, shape, of, types.from);
    g.tensor(id).quant = quant(types.from, of);
    return id;
  };
  const TensorId x = input(kScale);
  graph::Example example{
      .graph = g,
      .draw = [&](int64_t least, int64_t most) { return rng.Range(least, most); },
      .another = [&](bool same) { return input(same ? kScale : kOther); },
      .node = {.op = op, .name = "one", .inputs = {x}, .round = isa::Round::kTflite}};
  TESSERA_TRY(graph::Complete(example, {{0.5}, {0}, -1}));
  g.nodes.push_back(example.node);
  graph::GraphTensor& result = g.tensor(example.node.output);
  result.dtype = types.to;
  result.quant = quant(types.to, result.quant.value_or(kScale));
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
      const auto value = static_cast<int64_t>(rng.Next());
      a.SetInt(i, t.dtype() == DType::kBool ? value & 1 : value);
    }
  }
  return a;
}

// One thread stores a handful of elements at most.
void ExpectThreads(const std::string& name, const lower::KernelFunc& func) {
  for (const lower::GpuKernel& k : func.kernels) {
    int64_t stored = 0, threads = 1;
    for (size_t d = 0; d < 3; ++d) threads *= k.groups[d] * k.threads[d];
    for (size_t p = k.written; p < k.params.size(); ++p) stored += ir::SizeInElements(*k.params[p]);
    EXPECT_TRUE(threads > 1 || stored <= 64) << name << ": " << k.name << " of one thread";
  }
}

// An expression with one sum of the output's shape becomes one kernel.
void ExpectOneKernel(const std::string& name, const te::Tensor& out,
                     const lower::KernelFunc& func) {
  std::vector<te::Tensor> sums;
  for (const te::Tensor& t : te::TopologicalOrder({out})) {
    if (!t->placeholder && t->body->kind == ir::ExprKind::kReduce) sums.push_back(t);
  }
  if (sums.size() != 1 || sums[0].shape() != out.shape() || out.shape().empty()) return;
  EXPECT_EQ(func.kernels.size(), 1u) << name << "\n" << te::Print({out});
}

// |arrays|: one for each parameter of |func|; they are read and written. Each buffer begins at byte
// 64 of its memory.
Status RunOnDevice(KernelDevice& device, const lower::KernelFunc& func,
                   std::vector<ir::Array>& arrays) {
  std::map<const ir::BufferNode*, KernelDevice::MemoryPlace> places;
  const auto place = [&](const ir::Buffer& buffer, uint64_t bytes) -> Status {
    TESSERA_ASSIGN(const uint64_t memory, device.Allocate(bytes + 64));
    places[buffer.get()] = {memory, 64};
    return {};
  };
  for (size_t p = 0; p < arrays.size(); ++p) {
    TESSERA_TRY(place(func.loops.params[p], arrays[p].bytes().size()));
    TESSERA_TRY(device.Write(places.at(func.loops.params[p].get()), arrays[p].bytes()));
  }
  for (const ir::Buffer& b : func.temporaries)
    TESSERA_TRY(place(b, static_cast<uint64_t>(ir::SizeInBytes(*b))));
  for (const lower::GpuKernel& k : func.kernels) {
    std::vector<KernelDevice::MemoryPlace> buffers;
    for (const ir::Buffer& b : k.params) buffers.push_back(places.at(b.get()));
    std::array<uint32_t, 3> groups{}, threads{};
    for (size_t d = 0; d < 3; ++d) {
      groups[d] = static_cast<uint32_t>(k.groups[d]);
      threads[d] = static_cast<uint32_t>(k.threads[d]);
    }
    TESSERA_TRY(device.Launch(k.name, groups, threads, buffers));
  }
  for (size_t p = 0; p < arrays.size(); ++p)
    TESSERA_TRY(device.Read(places.at(func.loops.params[p].get()), arrays[p].bytes()));
  return {};
}

// Whether |got| equals |want|; a NaN of a GPU may have other bits.
bool SameButForNans(const std::vector<uint8_t>& got, const ir::Array& want) {
  if (!IsFloat(want.dtype())) return got == want.bytes();
  const ir::Array ours(want.dtype(), got);
  if (ours.size() != want.size()) return false;
  const auto size = static_cast<size_t>(SizeOf(want.dtype()));
  for (int64_t i = 0; i < want.size(); ++i) {
    const auto at = static_cast<size_t>(i) * size;
    if (std::memcmp(&got[at], &want.bytes()[at], size) == 0) continue;
    if (!std::isnan(ours.Float(i)) || !std::isnan(want.Float(i))) return false;
  }
  return true;
}

// "" if |program|'s kernels, which |device| has built, give the program's result.
std::string DeviceDifference(KernelDevice& device, const lower::KernelFunc& func,
                             const ScheduledProgram& program) {
  std::vector<ir::Array> arrays = Arguments(func.loops, program.schedule, program.values);
  const Status ran = RunOnDevice(device, func, arrays);
  if (!ran) return ran.error().message;
  const bool same = SameButForNans(Logical(func.loops, program.schedule, arrays.size() - 1, arrays),
                                   program.values.at(program.output.get()));
  return same ? "" : device.name() + " gives another result\n" + ir::Print(func.loops);
}

}  // namespace

Graph ConvGraph(DType dtype, const graph::Shape& x, int64_t out, const graph::Window& w,
                int64_t groups, Rng& rng) {
  Graph g{.name = "conv"};
  const TensorId input = AddInput(g, x, kScale, dtype);
  graph::Node node{.op = graph::Op::kConv, .name = "conv", .round = isa::Round::kTflite};
  node.attributes = graph::ConvAttributes{w, groups};
  const graph::Shape k{out, x[1] / groups, w.kernel[0], w.kernel[1]};
  const DType weight = IsFloat(dtype) ? dtype : DType::kInt8;
  graph::GraphTensor weights{.name = "w", .dtype = weight, .shape = k};
  if (!IsFloat(dtype)) weights.quant = graph::Quant{{0.01}, {0}, -1};
  ir::Array data(weight, out * k[1] * w.kernel[0] * w.kernel[1]);
  for (int64_t i = 0; i < data.size(); ++i) {
    if (IsFloat(dtype))
      data.SetFloat(i, static_cast<float>(rng.Unit() * 2 - 1));
    else
      data.SetInt(i, rng.Range(-127, 127));
  }
  weights.data = data.bytes();
  node.inputs = {input, g.AddTensor(weights)};
  if (dtype == DType::kInt16) {  // a bias of int64 makes int64 sums
    ir::Array bias(DType::kInt64, out);
    for (int64_t i = 0; i < out; ++i) bias.SetInt(i, rng.Range(-(1 << 30), 1 << 30));
    node.inputs.push_back(
        g.AddTensor({.name = "b", .dtype = DType::kInt64, .shape = {out}, .data = bias.bytes()}));
  }
  graph::GraphTensor y{.name = "y",
                       .dtype = dtype,
                       .shape = {x[0], out, w.OutExtent(0, x[2]), w.OutExtent(1, x[3])}};
  y.quant = graph::QuantFor(dtype, kOther);
  node.output = g.AddTensor(y);
  g.nodes = {node};
  g.outputs = {node.output};
  return g;
}

void AddRegion(const std::string& name, const te::RegionTe& region, const Asked& asked, Rng& rng,
               GpuCases* cases) {
  te::Values values;
  std::set<std::string> constants;
  for (const te::Binding& b : region.bindings) {
    const bool constant = b.activation < 0;
    if (constant && asked.constants_known) constants.insert(b.placeholder.name());
    const DType dtype = b.placeholder.dtype();
    const bool whole = dtype == DType::kFloat16 && !asked.target->intrinsics.empty();
    values[b.placeholder.get()] = whole      ? SmallNumbers(b.placeholder, rng)
                                  : constant ? ir::Array(dtype, b.constant)
                                             : RandomArray(b.placeholder, rng);
  }
  const auto sketches = schedule::GpuSketches(region.output, asked.target, constants);
  ASSERT_TRUE(sketches) << name << ": " << sketches.error().message;
  if (asked.sketch >= sketches->size()) return;
  Result<schedule::Schedule> s =
      asked.any_picks ? RandomGpuPicks(region.output, rng, asked.target, constants)
                      : schedule::Schedule::Replay({region.output}, (*sketches)[asked.sketch].trace,
                                                   asked.target);
  ASSERT_TRUE(s.has_value()) << name << ": " << s.error().message;
  AddCase(name, region.output, *s, std::move(values), cases);
  ExpectThreads(name, cases->back().func);
  ExpectOneKernel(name, region.output, cases->back().func);
}

void AddCase(const std::string& name, const te::Tensor& out, const schedule::Schedule& schedule,
             te::Values values, GpuCases* cases) {
  Result<lower::KernelFunc> f = lower::LowerKernels(schedule, fmt::format("f{}", cases->size()));
  ASSERT_TRUE(f.has_value()) << name << ": " << f.error().message << "\n"
                             << te::Print({out}) << schedule::Print(schedule.trace());
  ASSERT_TRUE(te::Evaluate({out}, &values).has_value()) << name;
  cases->push_back({name, out, schedule, std::move(*f), std::move(values), std::nullopt});
}

Graph WithResidual(Graph g) {
  const graph::GraphTensor y = g.tensor(g.outputs[0]);
  graph::Node node{.op = graph::Op::kAdd, .name = "add", .round = isa::Round::kTflite};
  node.inputs = {g.outputs[0], AddInput(g, y.shape, kScale, y.dtype)};
  graph::GraphTensor sum = y;
  sum.name = "sum";
  node.output = g.AddTensor(sum);
  g.nodes.push_back(node);
  g.outputs = {node.output};
  return g;
}

GpuCases EveryOperator(const Asked& asked) {
  GpuCases cases;
  const auto add = [&](const std::string& name, const Graph& g, Rng& rng, size_t sketch = 0) {
    Asked which = asked;
    which.sketch = sketch;
    for (const graph::Region& region : graph::Fuse(g))
      AddRegion(name, te::BuildRegion(g, region), which, rng, &cases);
  };
  for (size_t op = 0; op < graph::AllOps().size(); ++op) {
    const graph::OpDef& def = graph::DefOf(static_cast<graph::Op>(op));
    for (const graph::TypePair& types : def.types) {
      int made = 0;
      for (uint64_t seed = 0; seed < 8 && made < 2; ++seed) {
        Rng rng(seed + 100 * op);
        for (const graph::Shape& shape : {graph::Shape{1, 5, 8, 7}, graph::Shape{1, 16}}) {
          Result<Graph> g = GraphOf(static_cast<graph::Op>(op), shape, types, true, rng);
          if (!g) g = GraphOf(static_cast<graph::Op>(op), shape, types, false, rng);
          if (!g) continue;
          const std::string name =
              fmt::format("{} of {}, seed {}", def.name, Text(types.from), seed);
          add(name, *g, rng);
          for (size_t sketch = 1; sketch < 4 && made == 0; ++sketch) add(name, *g, rng, sketch);
          ++made;
          break;
        }
      }
      EXPECT_GT(made, 0) << def.name << " of " << Text(types.from);
    }
  }
  for (const DType dtype : {DType::kInt8, DType::kInt16, DType::kFloat32, DType::kFloat16}) {
    Rng rng(3);
    const graph::Window window{.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}};
    Graph g = WithResidual(ConvGraph(dtype, {1, 11, 9, 10}, 13, window, 1, rng));
    EXPECT_TRUE(graph::Verify(g).has_value());
    EXPECT_TRUE(quantize::AttachRequant(g).has_value());
    const std::string name = fmt::format("conv and add of {}", Text(dtype));
    const size_t before = cases.size();
    add(name, g, rng);
    // The region gives one kernel.
    EXPECT_EQ(cases.size(), before + 1) << name;
    EXPECT_EQ(cases.back().func.kernels.size(), 1u) << name;
  }
  return cases;
}

GpuCases BlockedConvolutions() {
  const graph::Window kWindows[] = {
      {.kernel = {1, 1}},
      {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}},
      {.kernel = {3, 2}, .stride = {2, 1}, .dilation = {1, 2}, .pad_before = {0, 1}},
  };
  GpuCases cases;
  Rng rng(11);
  for (const DType dtype : {DType::kInt8, DType::kFloat32, DType::kFloat16}) {
    for (const graph::Window& w : kWindows) {
      Graph g = ConvGraph(dtype, {1, 11, 9, 10}, 13, w, 1, rng);
      EXPECT_TRUE(graph::Verify(g).has_value());
      EXPECT_TRUE(quantize::AttachRequant(g).has_value());
      for (const graph::Region& region : graph::Fuse(g)) {
        // With both forms of requantisation, as hosts have them.
        const te::RegionTe built = te::WithFloatRequant(te::BuildRegion(g, region));
        const bool both = te::Print({built.output}).find("requant_clamp") != std::string::npos;
        EXPECT_EQ(both, dtype == DType::kInt8) << te::Print({built.output});
        AddRegion(std::string(Text(dtype)), built, {.any_picks = dtype != DType::kInt8}, rng,
                  &cases);
      }
      EXPECT_EQ(cases.back().func.kernels[0].shared.size(), 2u);  // in blocks
    }
  }
  return cases;
}

GpuCases EveryFunction() {
  constexpr int64_t kCount = 2048;
  GpuCases cases;
  for (const ir::ScalarIntrinInfo& f : ir::ScalarIntrins()) {
    if (!f.function) continue;
    std::vector<te::Tensor> x;
    te::Values values;
    for (int k = 0; k < f.operands; ++k) {
      x.push_back(te::Placeholder(fmt::format("x{}", k), DType::kFloat32, {kCount}));
      ir::Array& array = values[x.back().get()] = ir::Array(DType::kFloat32, kCount);
      for (int64_t i = 0; i < kCount; ++i) {
        const auto bits = static_cast<uint32_t>(i * 37 % kCount * (k + 1)) << 21;
        // A NaN of a GPU has other bits, so no input is a NaN.
        const float value = std::bit_cast<float>(bits | static_cast<uint32_t>(i * 997));
        array.SetFloat(i, std::isnan(value) ? static_cast<float>(i) * 0.01f : value);
      }
    }
    const te::Tensor out = te::Compute("y", {kCount}, {"i"}, [&](const std::vector<ir::Expr>& i) {
      std::vector<ir::Expr> operands;
      for (const te::Tensor& t : x) operands.push_back(t(i));
      return ir::Call(f.name, operands, operands[0].type());
    });
    const Result<schedule::Schedule> s = schedule::GpuSchedule({out});
    EXPECT_TRUE(s.has_value()) << s.error().message;
    AddCase(f.name, out, *s, values, &cases);
  }
  return cases;
}

GpuCases RandomCases(uint64_t seed, size_t count) {
  const ProgramSearch asked = FromEnvironment({.seed = seed * 1000, .programs = count});
  GpuCases cases;
  for (uint64_t own = asked.seed; cases.size() < asked.programs; ++own) {
    Rng rng(own);
    const te::Tensor out = RandomExpression(rng);
    const Result<schedule::Schedule> s =
        own % 4 == 0 ? schedule::GpuSchedule({out}) : RandomGpuSchedule(out, rng);
    EXPECT_TRUE(s.has_value()) << s.error().message;
    if (!lower::LowerKernels(*s, "f")) continue;  // kernels_test knows the reasons
    AddCase(fmt::format("seed {}", own), out, *s, RandomInputs(out, rng), &cases);
    cases.back().seed = own;
  }
  return cases;
}

std::vector<lower::GpuKernel> KernelsOf(const GpuCases& cases) {
  std::vector<lower::GpuKernel> kernels;
  for (const GpuCase& c : cases)
    kernels.insert(kernels.end(), c.func.kernels.begin(), c.func.kernels.end());
  return kernels;
}

void ExpectExact(const DeviceWith& device_with, const GpuCases& cases) {
  const auto device = device_with(KernelsOf(cases));
  ASSERT_TRUE(device.has_value()) << device.error().message;
  for (const GpuCase& c : cases) {
    const std::string why = DeviceDifference(**device, c.func, {c.schedule, c.out, c.values});
    if (why.empty()) continue;
    if (!c.seed) {
      ADD_FAILURE() << c.name << "\n"
                    << te::Print({c.out}) << schedule::Print(c.schedule.trace()) << why;
      continue;
    }
    const auto alone = [&](const ScheduledProgram& program) -> std::string {
      const Result<lower::KernelFunc> f = lower::LowerKernels(program.schedule, "f");
      if (!f) return "";
      const auto own = device_with(f->kernels);
      return own ? DeviceDifference(**own, *f, program) : own.error().message;
    };
    const ScheduledProgram program{c.schedule, c.out, c.values};
    ASSERT_NE(alone(program), "") << c.name << " differs only beside other kernels: " << why << "\n"
                                  << schedule::Print(c.schedule.trace());
    FAIL() << Smallest(*c.seed, program, alone);
  }
}

}  // namespace tessera::test
