// SPDX-License-Identifier: Apache-2.0
//
// What is tested: accelerator schedules as recorded traces: through text and back they give the
// same program; another pick gives another program with the same integers; what does not fit is
// refused by step and name. Space: every class of shape on `default` and `tiny`; random picks,
// seeded. Not tested here: what the generator prefers (quality_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/schedule/schedule.h"
#include "compiler/target/accelerator.h"
#include "tests/compiler/accel/shapes.h"

namespace tessera::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// |c| again, its regions by the schedules |traces|.
Result<ProgramAlone> Again(Compiled& c, const isa::Config& config,
                           const std::vector<schedule::Trace>& traces) {
  for (size_t r = 0; r < c.regions.size(); ++r) c.regions[r].schedule = traces[r];
  return CompileAlone(c.activations, c.regions, config);
}

// Another value for one of the decisions of |trace|, which is of |region|.
void PickAnother(const network::AccelRegion& region, const isa::Config& config, Rng& rng,
                 schedule::Trace* trace) {
  std::vector<size_t> decisions;
  for (size_t k = 0; k < trace->size(); ++k) {
    const auto* step = std::get_if<schedule::DecideStep>(&(*trace)[k]);
    const bool tile = step != nullptr &&
                      (step->name == "rows" || step->name == "columns" || step->name == "inputs" ||
                       step->name == "channels" || step->name == "input_tile");
    if (tile) decisions.push_back(k);
  }
  if (decisions.empty()) return;
  const size_t at = decisions[static_cast<size_t>(rng.Range(0, std::ssize(decisions) - 1))];
  auto& step = std::get<schedule::DecideStep>((*trace)[at]);
  std::vector<schedule::Choice> values;
  if (step.domain.kind == schedule::DomainKind::kList) {
    values.assign(step.domain.values.begin(), step.domain.values.end());
  } else {
    const schedule::Trace before(trace->begin(), trace->begin() + static_cast<std::ptrdiff_t>(at));
    const auto schedule =
        schedule::Schedule::Replay({region.output}, before, target::Accelerator(config));
    ASSERT_TRUE(schedule) << schedule.error().message;
    const auto domain = schedule->ValuesOf(step);
    ASSERT_TRUE(domain) << domain.error().message;
    values = *domain;
  }
  step.value = values[static_cast<size_t>(rng.Range(0, std::ssize(values) - 1))];
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

TEST_P(TraceTest, AnotherPickGivesTheSameIntegers) {
  const isa::Config config = NamedConfig(GetParam());
  int others = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Rng rng(seed);
    Net net(seed);
    net.Output(
        ShapeCases()[static_cast<size_t>(rng.Range(0, std::ssize(ShapeCases()) - 1))].build(net));
    auto compiled = Compile(net.graph(), config);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    Values values = RandomInputs(net.graph(), net.rng());
    Evaluate(*compiled, values);
    std::vector<schedule::Trace> traces = compiled->program.traces;
    for (size_t r = 0; r < traces.size(); ++r)
      PickAnother(compiled->regions[r], config, rng, &traces[r]);
    auto other = Again(*compiled, config, traces);
    if (!other) {  // a pick that does not fit says so
      EXPECT_EQ(other.error().code, Code::kOutOfRange) << other.error().message;
      continue;
    }
    others += !(other->image == compiled->program.image);
    compiled->program = std::move(*other);
    EXPECT_EQ(RunAndCompare(*compiled, config, values), "");
  }
  EXPECT_GE(others, 10) << "the picks hardly ever changed the program";
}

INSTANTIATE_TEST_SUITE_P(Machines, TraceTest, ::testing::Values("default", "tiny"));

// Of the steps that a network's layers have: t2 stays on chip between the two.
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
  // ... when |from| in the text of the first region's schedule is |to|.
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
  EXPECT_THAT(message({in_memory->traces[0], stays[1]}),
              HasSubstr("t4: its schedule has t2 in inp, the network has it in global"));
  EXPECT_THAT(message({stays[0], in_memory->traces[1]}),
              HasSubstr("t2: its schedule says that the result stays on chip, but a region whose "
                        "schedule says each step reads it from device memory"));
}

// What the host packs is a network's input, element by element.
TEST(TraceErrors, OnlyInputsArePackedByTheHost) {
  const isa::Config config = NamedConfig("default");
  Net net(2);
  net.Output(net.Rescale(net.Rescale(net.Input({1, 16, 8, 8}))));
  auto compiled = Compile(net.graph(), config);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const auto plan =
      network::PlanProgram(compiled->activations, compiled->regions, config, {.residency = false});
  ASSERT_TRUE(plan) << plan.error().message;
  // ... with |steps| behind those of region |r|, whose copy in OUT reads what it wants prepared.
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

// Taps of rows, of columns or of both as channels, whatever the axes are called: what reindex calls
// a kept dimension may be an axis' name.
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
    network::AccelRegion region{.op = "case", .result = 1};
    region.output = te::Compute("y", sum.shape(), names, [&](const auto& i) {
      const ir::Expr y = ir::Requant(sum(i), number(1 << 30), number(-3), isa::Round::kEven);
      return ir::Cast(DType::kInt8, ir::ClampAdd(y, number(0), number(-128), number(127)));
    });
    region.activations[x.get()] = 0;
    region.constants[w.get()].resize(16 * 3 * 3 * 3);
    const auto analyzed =
        schedule::accel::AnalyzeRegion(region.output, network::ConstantsOf(region));
    ASSERT_TRUE(analyzed) << analyzed.error().message;
    const std::vector<int64_t> kShapes[] = {{1, 10, 9, 9}, {1, 12, 7, 9}, {1, 10, 7, 27}};
    for (int axes = 1; axes <= 3; ++axes) {
      SCOPED_TRACE(axes);
      const auto moved = schedule::accel::Im2colOf(*analyzed, axes);
      ASSERT_TRUE(moved.has_value());
      const auto plan = schedule::accel::MakePlan(*moved, config);
      ASSERT_TRUE(plan) << plan.error().message;
      const auto made = network::ScheduleByPlan(region, *moved, *plan, {}, {}, config);
      ASSERT_TRUE(made) << made.error().message;
      int prepared = 0;
      for (const network::RegionBuffer& b : made->lowered.buffers) {
        if (!b.packing.prepared) continue;
        ++prepared;
        EXPECT_EQ(b.packing.prepared.shape(), kShapes[axes - 1]);
      }
      EXPECT_EQ(prepared, 1);
    }
  }
}

}  // namespace
}  // namespace tessera::test
