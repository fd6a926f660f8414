// SPDX-License-Identifier: Apache-2.0
//
// What is tested: Evaluate of a layer and a trace. Accelerator: its cycles, units and traffic are
// those of device `cycle` on the program with the layer's constants and random inputs, for the
// generator's schedule and for random picks, on three configurations; four threads at once get the
// same. Host: the function of every sketch computes the definition, in every layout and with every
// value of every decision; floats by every algorithm within its stated error. GPU: the source has
// each kernel of every sketch. Memory does not grow over 60 evaluations. Not tested here: which
// traces are legal (compiler/schedule), what kernels compute (compiler/gpu,
// compiler_tune_gpu_test).
#include "compiler/driver/evaluate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "compiler/ir/layout.h"
#include "compiler/network/host_form.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/picks.h"
#include "compiler/schedule/rounding.h"
#include "compiler/target/accelerator.h"
#include "runtime/device/registry.h"
#include "runtime/host/cpu_level.h"
#include "sim/rig/timing.h"
#include "tests/compiler/accel/net.h"

namespace tessera::compiler::evaluate_test {
namespace {

// A convolution, one with an addition behind it, a depthwise one, a pool, and a convolution of one
// position.
test::Net MakeNet() {
  test::Net net(5);
  const graph::TensorId x = net.Input({1, 16, 12, 12});
  const graph::TensorId a = net.Conv(x, 32, test::Square(3));
  const graph::TensorId b = net.Conv(a, 32, test::Square(3));
  const graph::TensorId sum = net.Add(a, b);
  const graph::TensorId c = net.Conv(sum, 32, test::Square(3, 2), 32);
  const graph::TensorId pooled = net.MaxPool(c, test::Square(3, 2));
  net.Output(net.Conv(pooled, 10, {.kernel = {3, 3}}));
  return net;
}

const target::HostLevel* ThisLevel() {
  for (const std::string& name : CpuLevels()) {
    if (const target::HostLevel* level = target::FindHostLevel(name)) return level;
  }
  return nullptr;
}

// |compiled| with layer |index| alone, scheduled by |trace|, with the layer's constants.
test::Compiled Alone(const test::Compiled& compiled, const AccelLayer& layer,
                     const schedule::Trace& trace, size_t index) {
  lower::accel::AccelRegion region = compiled.regions[index];
  region.schedule = trace;
  test::Compiled alone{layer.activations, {region}, {compiled.te[index]}, {}};
  auto program = test::CompileAlone(alone.activations, alone.regions, layer.config);
  EXPECT_TRUE(program) << program.error().message;
  if (program) alone.program = std::move(*program);
  return alone;
}

class EvaluateAccel : public ::testing::TestWithParam<const char*> {};

TEST_P(EvaluateAccel, IsWhatDeviceCycleTakes) {
  const isa::Config config = test::NamedConfig(GetParam());
  test::Net net = MakeNet();
  const auto compiled = test::Compile(net.graph(), config);
  ASSERT_TRUE(compiled) << compiled.error().message;
  Rng rng(7);
  test::Values values = test::RandomInputs(net.graph(), rng);
  test::Evaluate(*compiled, values);
  int compared = 0, other = 0;
  for (size_t k = 0; k < compiled->regions.size(); ++k) {
    const AccelLayer layer = AccelLayerOf(net.graph(), compiled->te[k], config);
    const auto generated = lower::accel::StepsOf(layer.region, config);
    ASSERT_TRUE(generated) << generated.error().message;
    const auto first = Evaluate(layer, *generated);
    ASSERT_TRUE(first) << first.error().message;
    for (int draw = 0; draw < 3; ++draw) {
      schedule::Trace trace = *generated;
      if (draw > 0) {
        const auto picked = schedule::PickedBy(layer.region.output, trace,
                                               target::Accelerator(config), schedule::AnyOf(rng));
        ASSERT_TRUE(picked) << picked.error().message;
        trace = *picked;
      }
      SCOPED_TRACE(layer.region.op + "\n" + schedule::Print(trace));
      const auto got = Evaluate(layer, trace);
      ASSERT_TRUE(got) << got.error().message;
      const auto device = OpenDevice("cycle", config);
      ASSERT_TRUE(device) << device.error().message;
      RunReport report;
      ASSERT_EQ(test::RunAndCompareOn(**device, Alone(*compiled, layer, trace, k), values, &report),
                "");
      EXPECT_EQ(rig::ReportDifference(report, *got), "");
      ++compared;
      other += got->cycles != first->cycles;
    }
  }
  EXPECT_GE(compared, 8);
  EXPECT_GE(other, 2) << "picks change nothing";
}

INSTANTIATE_TEST_SUITE_P(Configurations, EvaluateAccel,
                         ::testing::Values("default", "tiny", "batch4"),
                         [](const auto& param) { return std::string(param.param); });

TEST(Evaluate, IsTheSameOnFourThreads) {
  const isa::Config config = test::NamedConfig("default");
  test::Net net = MakeNet();
  const auto compiled = test::Compile(net.graph(), config);
  ASSERT_TRUE(compiled) << compiled.error().message;
  const AccelLayer layer = AccelLayerOf(net.graph(), compiled->te[0], config);
  const auto trace = lower::accel::StepsOf(layer.region, config);
  ASSERT_TRUE(trace) << trace.error().message;
  std::array<uint64_t, 4> cycles{};
  std::vector<std::thread> threads;
  for (uint64_t& mine : cycles) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        const auto report = Evaluate(layer, *trace);
        mine = report && (k == 0 || mine == report->cycles) ? report->cycles : 0;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_GT(cycles[0], 0u);
  for (const uint64_t mine : cycles) EXPECT_EQ(mine, cycles[0]);
}

// Runs |candidate| on the activations in |values|; returns the bytes of its output, row-major.
std::vector<uint8_t> OutputOf(HostCandidate& candidate, const test::Values& values) {
  const HostFunc& made = candidate.made;
  for (size_t p = 0; p + 1 < made.bindings.size(); ++p) {
    if (made.bindings[p].activation < 0) continue;
    const std::vector<int8_t>& x = values.at(made.bindings[p].activation);
    const std::vector<uint8_t> packed =
        ir::PackLayout(*made.buffers[p], std::vector<uint8_t>(x.begin(), x.end()));
    std::ranges::copy(packed, candidate.memory[p].data());
  }
  candidate.Run();
  const size_t last = made.bindings.size() - 1;
  const uint8_t* bytes = candidate.memory[last].data();
  return ir::UnpackLayout(
      *made.buffers[last],
      std::vector<uint8_t>(bytes, bytes + ir::SizeInBytes(*made.buffers[last])));
}

// |trace| with value |v| of the decision at |step|. Decisions behind it keep their values if those
// are legal, otherwise take the least. Nothing if the decision has no value |v|.
std::optional<schedule::Trace> WithValue(const te::Tensor& output, const schedule::Trace& trace,
                                         std::shared_ptr<const target::Target> target, size_t step,
                                         size_t v) {
  bool there = true;
  const auto picked = schedule::PickedBy(
      output, trace, std::move(target), [&](size_t at, const std::vector<schedule::Choice>& all) {
        if (at == step) there = v < all.size();
        if (at == step) return all[std::min(v, all.size() - 1)];
        const schedule::Choice& own = std::get<schedule::DecideStep>(trace[at]).value;
        return std::ranges::count(all, own) > 0 ? own : all[0];
      });
  EXPECT_TRUE(picked) << picked.error().message;
  return picked && there ? std::optional(*picked) : std::nullopt;
}

TEST(Evaluate, GivesHostFunctionsOfTheDefinition) {
  test::Net net = MakeNet();
  // A layer that prefetches the next block's weights while it computes a block; one whose quads may
  // be channels or taps.
  net.Output(net.Conv(net.Input({1, 64, 6, 6}), 256, test::Square(3)));
  net.Output(
      net.Conv(net.Input({1, 3, 13, 13}), 16,
               {.kernel = {7, 7}, .stride = {2, 2}, .pad_before = {2, 2}, .pad_after = {3, 3}}));
  int others = 0;
  std::map<std::string, int> tried;  // by sketch
  const auto compiled = test::Compile(net.graph(), test::NamedConfig("default"));
  ASSERT_TRUE(compiled) << compiled.error().message;
  Rng rng(8);
  test::Values values = test::RandomInputs(net.graph(), rng);
  test::Evaluate(*compiled, values);
  for (const te::RegionTe& region : compiled->te) {
    for (const bool last : {false, true}) {
      HostLayer layer{region, {}, ThisLevel()};
      ASSERT_NE(layer.level, nullptr);
      for (const te::Binding& b : region.bindings) {
        if (last && b.activation >= 0 && b.placeholder.shape().size() == 4)
          layer.layouts[b.activation] = ChannelsLast();
      }
      const auto generated = MakeHostFunc(region, "f", layer.layouts, nullptr, layer.level);
      ASSERT_TRUE(generated) << generated.error().message;
      SCOPED_TRACE(region.name + "\n" + schedule::Print(generated->schedule));
      const std::vector<int8_t>& want = values.at(region.output_id);
      const auto expect = [&](const schedule::Trace& trace) {
        SCOPED_TRACE(schedule::Print(trace));
        auto candidate = Evaluate(layer, trace);
        ASSERT_TRUE(candidate) << candidate.error().message;
        EXPECT_EQ(OutputOf(*candidate, values), std::vector<uint8_t>(want.begin(), want.end()));
      };
      const auto sketches =
          HostSketchesOf(region, layer.layouts, layer.level, &generated->schedule);
      ASSERT_TRUE(sketches) << sketches.error().message;
      EXPECT_EQ((*sketches)[0].trace, generated->schedule);
      for (const schedule::Sketch& sketch : *sketches) {
        SCOPED_TRACE(sketch.name);
        expect(sketch.trace);
        ++tried[sketch.name];
        // Other decisions of transforms are in compiler_lower_tests: their code takes a second
        // each.
        const bool all = last && !sketch.name.starts_with("winograd_");
        for (size_t k = 0; all && k < sketch.trace.size(); ++k) {
          if (!std::holds_alternative<schedule::DecideStep>(sketch.trace[k])) continue;
          for (size_t v = 0;; ++v) {
            const auto trace =
                WithValue(sketch.output, sketch.trace, target::Host(*layer.level), k, v);
            if (!trace) break;
            expect(*trace);
            ++others;
          }
        }
      }
    }
  }
  EXPECT_GE(others, 20);
  // Processors multiply quads or pairs.
  for (const char* name : {"channel_", "tap_", "vectors", "pads_in_place"}) {
    int found = 0;
    for (const auto& [sketch, count] : tried) found += sketch.starts_with(name) ? count : 0;
    EXPECT_GE(found, 2) << name;
  }
}

schedule::Rounding RoundingOf(const schedule::Sketch& sketch) {
  const auto made =
      schedule::Schedule::Replay({sketch.output}, sketch.trace, target::Host(*ThisLevel()));
  EXPECT_TRUE(made) << made.error().message;
  return schedule::RoundingOf(*made);
}

// A convolution of floats, by every algorithm; `--floats fast` takes the one that costs least.
TEST(Evaluate, ComputesFloatsByEveryAlgorithm) {
  constexpr int64_t kChannels = 32, kSize = 12;
  const te::Tensor x = te::Placeholder("x", DType::kFloat32, {1, kChannels, kSize + 2, kSize + 2}),
                   w = te::Placeholder("w", DType::kFloat32, {kChannels, kChannels, 3, 3});
  const te::Axis c = te::ReduceAxis("ci", kChannels), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  const te::Tensor y = te::Compute(
      "y", {1, kChannels, kSize, kSize}, {"n", "c", "y", "x"}, [&](const std::vector<ir::Expr>& i) {
        return te::Sum(
            x(i[0], c.var, i[2] + ky.var, i[3] + kx.var) * w(i[1], c.var, ky.var, kx.var),
            {c, ky, kx});
      });
  Rng rng(3);
  const auto random = [&](const te::Tensor& t) {
    int64_t count = 1;
    for (const int64_t n : t.shape()) count *= n;
    std::vector<float> values(static_cast<size_t>(count));
    for (float& v : values) v = static_cast<float>(rng.Range(-1000, 1000)) / 1000;
    return values;
  };
  const std::vector<float> image = random(x), weights = random(w);
  std::vector<uint8_t> constant(weights.size() * sizeof(float));
  std::memcpy(constant.data(), weights.data(), constant.size());
  te::RegionTe region{.name = "conv", .output = y, .output_id = 1};
  region.bindings = {{x, 0, {}}, {w, -1, constant}};
  const HostLayer layer{region, {}, ThisLevel()};
  ASSERT_NE(layer.level, nullptr);
  const auto result = [&](const schedule::Trace& trace) {
    auto made = Evaluate(layer, trace);
    EXPECT_TRUE(made) << made.error().message;
    std::memcpy(made->memory[0].data(), image.data(), image.size() * sizeof(float));
    made->Run();
    std::vector<float> values(kChannels * kSize * kSize);
    const size_t last = made->made.bindings.size() - 1;
    std::memcpy(values.data(), made->memory[last].data(), values.size() * sizeof(float));
    return values;
  };
  const auto sketches = HostSketchesOf(region, {}, layer.level);
  ASSERT_TRUE(sketches) << sketches.error().message;
  const std::vector<float> want = result(sketches->front().trace);
  double greatest = 0;
  for (const float v : want) greatest = std::max(greatest, std::abs(double{v}));
  std::set<std::string> algorithms;
  for (const schedule::Sketch& sketch : *sketches) {
    const schedule::Rounding rounding = RoundingOf(sketch);
    algorithms.insert(rounding.algorithm);
    const std::vector<float> got = result(sketch.trace);
    for (size_t k = 0; k < want.size(); ++k)
      ASSERT_LE(std::abs(double{got[k]} - double{want[k]}), rounding.error * greatest)
          << sketch.name;
  }
  EXPECT_EQ(algorithms, (std::set<std::string>{"", "winograd_2", "winograd_4", "winograd_6"}));

  const auto exact = MakeHostFunc(region, "f", {}, nullptr, layer.level);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->schedule, sketches->front().trace);
  EXPECT_EQ(exact->rounding.algorithm, "");
  // Which algorithm is fastest depends on the level: with 64 bytes a register it is the direct one.
  const target::HostLevel* const level = target::FindHostLevel("x86-64-v3");
  const auto fast = MakeHostFunc(region, "f", {}, nullptr, level, {.floats = Floats::kFast});
  ASSERT_TRUE(fast);
  EXPECT_NE(fast->rounding.algorithm, "");
}

TEST(Evaluate, GivesTheSourceOfGpuKernels) {
  test::Net net = MakeNet();
  std::set<std::string> tried;
  const auto compiled = test::Compile(net.graph(), test::NamedConfig("default"));
  ASSERT_TRUE(compiled) << compiled.error().message;
  for (const auto kind : {artifact::DeviceKind::kOpenCl, artifact::DeviceKind::kCuda}) {
    for (const te::RegionTe& region : compiled->te) {
      const auto generated = MakeGpuFunc(region, "f", kind);
      ASSERT_TRUE(generated) << generated.error().message;
      const auto sketches = GpuSketchesOf(region, kind);
      ASSERT_TRUE(sketches) << sketches.error().message;
      EXPECT_EQ((*sketches)[0].trace, generated->schedule);
      for (const schedule::Sketch& sketch : *sketches) {
        const auto candidate = Evaluate(GpuLayer{region, kind}, sketch.trace);
        ASSERT_TRUE(candidate) << sketch.name << ": " << candidate.error().message;
        ASSERT_FALSE(candidate->made.func.kernels.empty());
        for (const lower::GpuKernel& kernel : candidate->made.func.kernels)
          EXPECT_NE(candidate->source.find(kernel.name + "("), std::string::npos) << kernel.name;
        tried.insert(sketch.name);
      }
    }
  }
  EXPECT_EQ(tried, (std::set<std::string>{"fragments", "tiles", "elements", "partial_sums"}));
}

TEST(Evaluate, RefusesAnotherLayersTrace) {
  const isa::Config config = test::NamedConfig("default");
  test::Net net = MakeNet();
  const auto compiled = test::Compile(net.graph(), config);
  ASSERT_TRUE(compiled) << compiled.error().message;
  const AccelLayer layer = AccelLayerOf(net.graph(), compiled->te[0], config);
  const AccelLayer other = AccelLayerOf(net.graph(), compiled->te.back(), config);
  const auto trace = lower::accel::StepsOf(other.region, config);
  ASSERT_TRUE(trace) << trace.error().message;
  const auto refused = Evaluate(layer, *trace);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("schedule step 1"), std::string::npos)
      << refused.error().message;
}

TEST(Evaluate, LeavesNothingBehind) {
  const isa::Config config = test::NamedConfig("tiny");
  test::Net net = MakeNet();
  const auto compiled = test::Compile(net.graph(), config);
  ASSERT_TRUE(compiled) << compiled.error().message;
  const AccelLayer accel = AccelLayerOf(net.graph(), compiled->te[0], config);
  const auto trace = lower::accel::StepsOf(accel.region, config);
  ASSERT_TRUE(trace) << trace.error().message;
  const HostLayer host{compiled->te[0], {}, ThisLevel()};
  const auto func = MakeHostFunc(host.region, "f", {}, nullptr, host.level);
  ASSERT_TRUE(func) << func.error().message;
  size_t before = 0;
  for (int k = 0; k < 80; ++k) {
    ASSERT_TRUE(Evaluate(accel, *trace));
    if (k % 4 == 0) {
      ASSERT_TRUE(Evaluate(host, func->schedule));
    }
    if (k == 19) before = mallinfo2().uordblks;  // objects that are made once exist by now
  }
  EXPECT_LE(mallinfo2().uordblks, before + (size_t{1} << 20));
}

}  // namespace
}  // namespace tessera::compiler::evaluate_test
