// SPDX-License-Identifier: Apache-2.0
//
// What is tested: accelerator schedules as recorded traces: through text and back they give the
// same program; any value of a domain gives a program with the same integers; a refusal names the
// step and the name that does not fit. Space: every class of shape and a network on `default` and
// `tiny`. Not tested here: the generator's choices (quality_test), random regions with other steps
// (steps_random_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/check.h"
#include "base/file.h"
#include "compiler/graph/passes.h"
#include "compiler/import/import.h"
#include "compiler/network/layers.h"
#include "compiler/network/place.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/picks.h"
#include "compiler/target/accelerator.h"
#include "tests/compiler/accel/shapes.h"

namespace tessera::test::trace_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Compiles |c| again, with its regions scheduled by |traces|.
Result<ProgramAlone> Again(Compiled& c, const isa::Config& config,
                           const std::vector<schedule::Trace>& traces) {
  for (size_t r = 0; r < c.regions.size(); ++r) c.regions[r].schedule = traces[r];
  return CompileAlone(c.activations, c.regions, config);
}

// The accelerator's part of the network in |file|, which is one program.
Compiled NetworkOf(const std::string& file, const isa::Config& config) {
  using network::Activation;
  const auto bytes = ReadFile(file);
  TESSERA_CHECK(bytes.has_value(), "{}", file);
  graph::Graph graph = std::move(*ImportModel(*bytes, file, {}));
  TESSERA_CHECK(quantize::AttachRequant(graph).has_value());
  graph::Simplify(graph);
  const network::Layers layers(graph, config);
  const auto places = network::PlaceNodes(layers);
  Compiled c;
  std::set<graph::TensorId> made;
  for (const graph::Region& region : network::FusePlaced(layers, places, true)) {
    if (places[region.nodes[0]].device != network::kAccelerator) continue;
    made.insert(region.output);
    c.te.push_back(layers.Te(region));
    c.regions.push_back(network::BindRegion(c.te.back()));
    c.regions.back().op = region.name;
  }
  // The host reads the last region's result.
  for (graph::TensorId id = 0; id < std::ssize(graph.tensors); ++id) {
    const graph::GraphTensor& t = graph.tensors[static_cast<size_t>(id)];
    c.activations.push_back(
        {t.name, t.shape,
         made.contains(id) ? Activation::Kind::kInternal : Activation::Kind::kInput});
  }
  c.activations[static_cast<size_t>(c.regions.back().result)].kind = Activation::Kind::kOutput;
  c.program = *CompileAlone(c.activations, c.regions, config);
  return c;
}

// Random values of the inputs of |c|.
Values RandomInputs(const Compiled& c, Rng& rng) {
  Values values;
  for (const ActivationPlace& p : c.program.inputs) {
    std::vector<int8_t>& v = values[p.activation];
    if (!v.empty()) continue;
    int64_t count = 1;
    for (const int64_t n : c.activations[static_cast<size_t>(p.activation)].shape) count *= n;
    for (; count > 0; --count) v.push_back(static_cast<int8_t>(rng.Range(-128, 127)));
  }
  return values;
}

// Tries each decision of |c|'s schedules, one region at a time, with the least, the greatest and a
// quarter of the other values, and random values for the decisions behind it. Each must compile;
// one in |share| also runs.
void TryValues(const Compiled& c, const isa::Config& config, int64_t share, Rng& rng, int* others) {
  Values values = RandomInputs(c, rng);
  Evaluate(c, values);
  std::vector<schedule::Trace> traces = c.program.traces;
  int crowded = 0;
  for (size_t r = 0; r < traces.size(); ++r) {
    const te::Tensor& output = c.regions[r].output;
    for (size_t k = 0; k < traces[r].size(); ++k) {
      if (!std::holds_alternative<schedule::DecideStep>(traces[r][k])) continue;
      for (size_t v = 0, count = 1; v < count; ++v) {
        if (v > 0 && v + 1 < count && !rng.OneIn(4)) continue;
        const schedule::Picker any = schedule::AnyOf(rng);
        const auto pick = [&](size_t step, const auto& all) {
          if (step < k) return std::get<schedule::DecideStep>(traces[r][step]).value;
          if (step > k) return any(step, all);
          count = all.size();
          return all[v];
        };
        const auto picked =
            schedule::PickedBy(output, traces[r], target::Accelerator(config), pick);
        ASSERT_TRUE(picked.has_value()) << picked.error().message << "\n"
                                        << schedule::Print(traces[r]);
        Compiled other = c;
        std::vector<schedule::Trace> all = traces;
        all[r] = *picked;
        auto program = Again(other, config, all);
        // Domains do not count the instructions between a fill and the instruction that waits for
        // it.
        if (!program &&
            program.error().message.find(" under way, a counter holds ") != std::string::npos) {
          ++crowded;
          continue;
        }
        ASSERT_TRUE(program.has_value()) << program.error().message << "\n"
                                         << schedule::Print(*picked);
        *others += !(program->image == c.program.image);
        if (!rng.OneIn(share)) continue;
        other.program = std::move(*program);
        ASSERT_EQ(RunAndCompare(other, config, values), "") << schedule::Print(*picked);
      }
    }
  }
  EXPECT_LE(crowded, 2);
}

class TraceTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TraceTest, ReplayFromTextGivesTheSameProgram) {
  const isa::Config config = NamedConfig(GetParam());
  for (size_t i = 0; i < ShapeCases().size(); ++i) {
    SCOPED_TRACE(ShapeCases()[i].name);
    Net net(3000 + i);
    net.Output(ShapeCases()[i].build(net));
    auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    std::vector<schedule::Trace> traces;
    for (const schedule::Trace& t : compiled->program.traces)
      traces.push_back(schedule::ParseTrace(schedule::Print(t)).value());
    const auto again = Again(*compiled, config, traces);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_TRUE(again->image == compiled->program.image);
    EXPECT_TRUE(again->traces == compiled->program.traces);
  }
}

TEST_P(TraceTest, ValuesOfEveryDomainGiveTheSameIntegers) {
  const isa::Config config = NamedConfig(GetParam());
  int others = 0;
  for (size_t i = 0; i < ShapeCases().size(); ++i) {
    SCOPED_TRACE(ShapeCases()[i].name);
    Net net(i);
    net.Output(ShapeCases()[i].build(net));
    const auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    TryValues(*compiled, config, 4, net.rng(), &others);
  }
  EXPECT_GE(others, 200) << "the picks hardly ever changed the program";
}

// With activations that stay on chip between layers.
TEST_P(TraceTest, ValuesOfEveryDomainAreLegalInANetwork) {
  const isa::Config config = NamedConfig(GetParam());
  Rng rng(1);
  int others = 0;
  TryValues(NetworkOf("models/fashion/fashion_int8.onnx", config), config, 20, rng, &others);
  EXPECT_GE(others, 60) << "the picks hardly ever changed the program";
}

INSTANTIATE_TEST_SUITE_P(Machines, TraceTest, ::testing::Values("default", "tiny"));

// Errors in the steps of a network's layers: t2 stays on chip between the two layers.
TEST(TraceErrors, OfStepsNameThem) {
  const isa::Config config = NamedConfig("default");
  Net net(1);
  net.Output(net.Conv(net.Conv(net.Input({1, 16, 10, 10}), 64, Square(1)), 16, Square(3)));
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const std::vector<schedule::Trace> stays = compiled->program.traces;
  const auto in_memory =
      network::PlanProgram(compiled->activations, compiled->regions, config, {.residency = false});
  ASSERT_TRUE(in_memory) << in_memory.error().message;
  const auto message = [&](const std::vector<schedule::Trace>& traces) {
    const auto result = Again(*compiled, config, traces);
    return result ? std::string("accepted") : result.error().message;
  };
  // The message after |from| in the first region's schedule is replaced by |to|.
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string text = schedule::Print(stays[0]);
    const size_t at = text.find(from);
    if (at == std::string::npos) return "no '" + from + "' in " + text;
    const auto trace = schedule::ParseTrace(text.replace(at, from.size(), to));
    return trace ? message({*trace, stays[1]}) : trace.error().message;
  };
  EXPECT_EQ(message(stays), "accepted");
  EXPECT_EQ(message(in_memory->traces), "accepted");
  EXPECT_THAT(edited("decide rows tiles t2.sum y ", "decide rows tiles t2.sum y 9"),
              HasSubstr("is not in the domain of rows: 1 2 3 4 5 10"));
  EXPECT_THAT(edited("$rows", "$lines"), HasSubstr("no decision 'lines'"));
  EXPECT_THAT(edited("layout t2 0,1/16,1+2+1", "layout t2 0,1/16,2+2+1"),
              HasSubstr("between layers t2 has another layout (layout t2 "
                        "0,1/16,1+2+1,1+3+1,1%16 "));
  EXPECT_THAT(edited("layout t2 0,1/16,1+2+1", "layout t2 0,1/16,1+2"),
              HasSubstr("BEFORE+DIMENSION+AFTER is expected at column "));
  EXPECT_THAT(message({in_memory->traces[0], schedule::Trace{}}),
              HasSubstr(" is in global memory, where a program has its inputs and results alone; "
                        "set_scope "));
  EXPECT_THAT(message({in_memory->traces[0], stays[1]}),
              HasSubstr("t4: its schedule has t2 in inp, the network has it in global"));
  EXPECT_THAT(message({stays[0], in_memory->traces[1]}),
              HasSubstr("t2: its schedule says that the result stays on chip, but a region whose "
                        "schedule says each step reads it from device memory"));
}

// The host packs inputs of a network only, element by element.
TEST(TraceErrors, OnlyInputsArePackedByTheHost) {
  const isa::Config config = NamedConfig("default");
  Net net(2);
  net.Output(net.Rescale(net.Rescale(net.Input({1, 16, 8, 8}))));
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const auto plan =
      network::PlanProgram(compiled->activations, compiled->regions, config, {.residency = false});
  ASSERT_TRUE(plan) << plan.error().message;
  // The message after |steps| are added to region |r|, whose copy in OUT reads the prepared tensor.
  const auto message = [&](size_t r, const std::string& steps) {
    std::vector<schedule::Trace> traces = plan->traces;
    const auto trace = schedule::ParseTrace(schedule::Print(traces[r]) + steps);
    if (!trace) return trace.error().message;
    traces[r] = *trace;
    const auto result = Again(*compiled, config, traces);
    return result ? std::string("accepted") : result.error().message;
  };
  const std::string first = te::Inputs(compiled->regions[0].output)[0].name(),
                    second = te::Inputs(compiled->regions[1].output)[0].name();
  const std::string kBlocks = "0,1/16,2,3,1%16\n";
  const auto copy = [&](const std::string& from, const std::string& reader) {
    return "cache_read " + from + " global copy " + reader + "\nprepare copy\nlayout copy " +
           kBlocks;
  };
  const std::string reader = first + ".o";
  EXPECT_EQ(message(0, copy(first, reader)), "accepted");
  EXPECT_THAT(message(0, "cache_read " + first + " global again " + reader + "\nprepare again\n" +
                             copy("again", reader)),
              HasSubstr("copy cannot be prepared: the host packs elements of one int8 activation"));
  EXPECT_THAT(message(1, copy(second, second + ".o")),
              HasSubstr("copy cannot be prepared: it reads " + second +
                        ", which is no constant, nor an input that the host packs"));
}

// Taps of rows, of columns or of both as channels, whatever the axes' names: the names that reindex
// gives kept dimensions may be names of axes.
TEST(TapsAsChannels, OfEachAxisWithAnyNames) {
  const isa::Config config = NamedConfig("default");
  const te::Tensor x = te::Placeholder("x", DType::kInt8, {1, 3, 12, 9}),
                   w = te::Placeholder("w", DType::kInt8, {16, 3, 3, 3});
  const te::Axis ci = te::ReduceAxis("ci", 3), ky = te::ReduceAxis("ky", 3),
                 kx = te::ReduceAxis("kx", 3);
  const auto number = [](int64_t v) { return ir::Imm(DType::kInt32, v); };
  for (const std::vector<std::string>& names : {std::vector<std::string>{}, {"n", "c", "y", "x"}}) {
    const te::Tensor sum = te::Compute("sum", {1, 16, 10, 7}, names, [&](const auto& i) {
      const auto wide = [](const ir::Expr& e) { return ir::Cast(DType::kInt32, e); };
      return te::Sum(wide(x(i[0], ci.var, i[2] + ky.var, i[3] + kx.var)) *
                         wide(w(i[1], ci.var, ky.var, kx.var)),
                     {ci, ky, kx});
    });
    lower::accel::AccelRegion region{.op = "case", .result = 1};
    region.output = te::Compute("y", sum.shape(), names, [&](const auto& i) {
      const ir::Expr y = ir::Requant(sum(i), number(1 << 30), number(-3), isa::Round::kEven);
      return ir::Cast(DType::kInt8, ir::ClampAdd(y, number(0), number(-128), number(127)));
    });
    region.activations[x.get()] = 0;
    region.constants[w.get()].resize(16 * 3 * 3 * 3);
    const lower::accel::Analysis analysis = lower::accel::AnalysisOf(region, config);
    const auto& analyzed = *analysis;
    ASSERT_TRUE(analyzed) << analyzed.error().message;
    const std::vector<int64_t> kShapes[] = {{1, 10, 9, 9}, {1, 12, 7, 9}, {1, 10, 7, 27}};
    for (int axes = 1; axes <= 3; ++axes) {
      SCOPED_TRACE(axes);
      const auto moved = schedule::accel::Im2colOf(*analyzed, axes);
      ASSERT_TRUE(moved.has_value());
      const auto plan = schedule::accel::MakePlan(*moved, config);
      ASSERT_TRUE(plan) << plan.error().message;
      const auto made = lower::accel::ScheduleByPlan(region, *moved, *plan, {}, {}, config);
      ASSERT_TRUE(made) << made.error().message;
      int prepared = 0;
      for (const lower::accel::RegionBuffer& b : made->lowered.buffers) {
        if (!b.packing.prepared) continue;
        ++prepared;
        EXPECT_EQ(b.packing.prepared.shape(), kShapes[axes - 1]);
      }
      EXPECT_EQ(prepared, 1);
    }
  }
}

}  // namespace
}  // namespace tessera::test::trace_test
