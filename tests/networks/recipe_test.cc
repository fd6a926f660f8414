// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the text of a network is complete, every mistake in it is reported with its line,
// generated networks are well formed and their values neither saturate nor vanish, and the shrinker
// reaches the smallest network that shows an injected fault. Space: 500 generated networks; each
// kind of mistake once; faults of one step, of two in a row and of a value. Not tested here: what
// compiled networks compute (agree_test).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compiler/graph/op_def.h"
#include "tests/networks/agree.h"
#include "tests/networks/build.h"
#include "tests/networks/generate.h"
#include "tests/networks/shrink.h"

namespace tessera::networks::recipe_test {
namespace {

constexpr uint64_t kSeeds = 500;

TEST(RecipeText, IsReadBackAsItWas) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Recipe recipe = Generate(seed);
    const Result<Recipe> read = Parse("# a comment\n\n" + Print(recipe), "text");
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(*read == recipe) << Print(recipe) << Print(*read);
  }
}

TEST(RecipeText, SaysWhatIsMeant) {
  const Result<Recipe> r = Parse(
      "network seed 7\nt0 = input shape 1 3 12 9 zero 4\n"
      "t1 = conv t0 seed 19 outs 8 kernel 3 1 bounds -128 90\noutput t1\n",
      "text");
  ASSERT_TRUE(r) << r.error().message;
  EXPECT_EQ(r->seed, 7u);
  ASSERT_EQ(r->steps.size(), 2u);
  const Step& conv = r->steps[1];
  EXPECT_EQ(conv.kind, Kind::kConv);
  EXPECT_EQ(conv.from, std::vector<int>{0});
  EXPECT_EQ(conv[Field::kOuts][0], 8);
  EXPECT_EQ(conv[Field::kKernel][0], 3);
  EXPECT_EQ(conv[Field::kKernel][1], 1);
  EXPECT_EQ(conv[Field::kBounds][1], 90);
  EXPECT_EQ(conv[Field::kStride][1], 1);  // the text leaves it out
  const Result<graph::Graph> graph = BuildGraph(*r);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->tensor(graph->outputs[0]).shape, (std::vector<int64_t>{1, 8, 10, 9}));
  EXPECT_EQ(graph->tensor(graph->inputs[0]).quant->zero[0], 4);
  EXPECT_EQ(graph->nodes[0].hi, 90);
  EXPECT_EQ(graph->nodes[0].round, isa::Round::kTflite);
}

TEST(RecipeText, MistakesAreToldWithTheirLine) {
  const std::string head = "network seed 1\nt0 = input shape 1 2 4 4\n";
  const std::pair<std::string, const char*> cases[] = {
      {"", "no line 'network seed N'"},
      {"network 1\n", "text:1: the first line is 'network seed N'"},
      {head, "no line 'output tN'"},
      {head + "output t1\n", "text:3: 'output' takes the name of one earlier step"},
      {head + "t1 = flatten t0\noutput t1\noutput t1\n", "text:5: t1 is an output twice"},
      {head + "t2 = conv t0\n", "text:3: 't2': 't1 =' or 'output' comes here"},
      {head + "t1 = convolve t0\n", "text:3: 'convolve' is no operator"},
      {head + "t1 = add t0\n", "text:3: add takes 2 to 2 earlier steps, has 1"},
      {head + "t1 = conv t0 axis 1\n", "text:3: conv has no field 'axis'"},
      {head + "t1 = conv t0 outs 1 outs 2\n", "text:3: field outs is there twice"},
      {head + "t1 = conv t0 kernel 3\n", "text:3: field kernel: '' is not one of its 2 numbers"},
      {head + "t1 = conv t0 zero 128\n", "'128' is not one of its 1 numbers from -128 to 127"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    const Result<Recipe> read = Parse(text, "text");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kInvalidArgument);
    EXPECT_THAT(read.error().message, testing::HasSubstr(message));
  }
}

TEST(RecipeGraph, WhatDoesNotFitIsTold) {
  const std::string head = "network seed 1\nt0 = input shape 1 2 4 4\nt1 = flatten t0\n";
  const std::pair<const char*, const char*> cases[] = {
      {"t2 = dense t0", "t2 (dense): operand of 4 axes, needs 2"},
      {"t2 = conv t1", "t2 (conv): operand of 2 axes, needs 4"},
      {"t2 = conv t0 outs 3 groups 2", "t2 (conv): 2 groups of 2 and 3 channels"},
      {"t2 = conv t0 kernel 5 1", "t2 (conv): an extent below 1"},
      {"t2 = add t0 t1", "t2 (add): operands of two shapes"},
      {"t2 = concat t0 t1", "t2 (concat): operands of 4 and 2 axes"},
      {"t2 = concat t1 t1 axis 2", "t2 (concat): axis 2 of 2"},
      {"t2 = slice t1 axis 2", "t2 (slice): axis 2 of 2"},
      {"t2 = slice t0 outs 2 pads 1 0 0 0", "t2 (slice): 2 indices from 1 on of 2"},
      {"t2 = shuffle t1", "t2 (shuffle): operand of 2 axes, needs 4"},
      {"t2 = shuffle t0 groups 3", "t2 (shuffle): 3 groups of 2 channels"},
      {"t2 = resize t1 kernel 2 2", "t2 (resize): operand of 2 axes, needs 4"},
      {"t2 = resize t0 kernel 0 2", "t2 (resize): an extent below 1"},
      {"t2 = input shape 1 0 1 1", "t2 (input): an extent of 0"},
      {"t2 = conv t0 outs 4096 kernel 64 64 pads 64 64 64 64",
       "t2 (conv): more than 1048576 weights"},
  };
  for (const auto& [line, message] : cases) {
    SCOPED_TRACE(line);
    const Result<Recipe> read = Parse(head + line + "\noutput t2\n", "text");
    ASSERT_TRUE(read) << read.error().message;
    const Result<graph::Graph> graph = BuildGraph(*read);
    ASSERT_FALSE(graph);
    EXPECT_THAT(graph.error().message, testing::HasSubstr(message));
  }
}

// Every kind of step and every class of field occurs, and results spread over many values.
TEST(Generated, NetworksAreVariedAndTheirValuesSpread) {
  std::set<Kind> kinds;
  int64_t layers = 0, flat = 0, dilated = 0, grouped = 0, uneven = 0, strided = 0, multiplied = 0,
          slopes = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Recipe recipe = Generate(seed);
    for (const Step& s : recipe.steps) {
      kinds.insert(s.kind);
      dilated += s[Field::kDilation][0] > 1 || s[Field::kDilation][1] > 1;
      grouped += s[Field::kGroups][0] > 1;
      strided += s[Field::kStride][0] > 1;
      uneven += s[Field::kPads][0] != s[Field::kPads][2];
      multiplied += s.kind == Kind::kDepthwise && s[Field::kOuts][0] > 1;
    }
    const Result<graph::Graph> graph = BuildGraph(recipe);
    ASSERT_TRUE(graph) << graph.error().message << "\n" << Print(recipe);
    for (const graph::Node& node : graph->nodes)
      slopes += node.op == graph::Op::kPrelu && graph->tensor(node.inputs[1]).constant();
    if (seed % 5 != 0) continue;
    const auto values = Define(*graph, InputValues(recipe, *graph));
    ASSERT_TRUE(values) << values.error().message << "\n" << Print(recipe);
    for (const graph::Node& node : graph->nodes) {
      const std::vector<uint8_t>& bytes = values->at(graph->tensor(node.output).name);
      // The number of different results of a function of one value depends on its domain and slope.
      const graph::OpDef& def = graph::DefOf(node.op);
      const bool function = def.most == 1 && def.category == graph::Category::kElementwise &&
                            node.op != graph::Op::kRescale;
      if (bytes.size() < 64 || function) continue;
      ++layers;
      flat += std::set<uint8_t>(bytes.begin(), bytes.end()).size() < 8;
    }
  }
  for (size_t k = 0; k < KindCount(); ++k) {
    const auto kind = static_cast<Kind>(k);
    EXPECT_TRUE(kinds.contains(kind)) << NameOf(kind) << ": an operator that no network has";
  }
  for (const int64_t count : {dilated, grouped, uneven, strided, multiplied}) EXPECT_GE(count, 10);
  EXPECT_GE(slopes, 1);  // a PReLU with a slope for each channel
  EXPECT_GE(layers, 200);
  EXPECT_LE(flat * 20, layers);  // at most one layer in twenty has fewer than 8 different values
}

bool Builds(const Recipe& recipe) { return BuildGraph(recipe).has_value(); }

// Shrinks the first generated networks that have |fault|; returns the shrunk ones.
std::vector<Recipe> ShrinkSome(const Fails& fault) {
  std::vector<Recipe> left;
  for (uint64_t seed = 0; left.size() < 10 && seed < kSeeds; ++seed) {
    const Recipe recipe = Generate(seed);
    const Fails fails = [&](const Recipe& r) { return Builds(r) && fault(r); };
    if (!fails(recipe)) continue;
    left.push_back(Shrink(recipe, fails));
    EXPECT_TRUE(fails(left.back())) << "seed " << seed;
  }
  EXPECT_EQ(left.size(), 10u);
  return left;
}

TEST(Shrink, AFaultOfOneStepLeavesThatStepAtItsSmallest) {
  const auto left = ShrinkSome([](const Recipe& r) {
    return std::ranges::any_of(r.steps, [](const Step& s) {
      return s.kind == Kind::kDepthwise && s[Field::kStride][0] >= 2;
    });
  });
  for (const Recipe& r : left) {
    EXPECT_EQ(Print(r).substr(Print(r).find('\n') + 1),
              "t0 = input\nt1 = depthwise t0 stride 2 1\noutput t1\n")
        << Print(r);
  }
}

TEST(Shrink, AFaultOfTwoStepsInARowKeepsBoth) {
  const auto left = ShrinkSome([](const Recipe& r) {
    return std::ranges::any_of(r.steps, [&](const Step& s) {
      return s.kind == Kind::kAvgPool && r.steps[static_cast<size_t>(s.from[0])].kind == Kind::kAdd;
    });
  });
  for (const Recipe& r : left) {
    EXPECT_EQ(r.steps.size(), 3u) << Print(r);  // input, its sum with itself, pool
    EXPECT_EQ(r.steps[0][Field::kShape], (std::array<int64_t, 4>{1, 1, 1, 1})) << Print(r);
  }
}

// A comparator that rejects every result of a channel past the ninth.
TEST(Shrink, AFaultOfAChannelKeepsThatManyChannels) {
  const auto left = ShrinkSome([](const Recipe& r) {
    const Result<graph::Graph> g = BuildGraph(r);
    return std::ranges::any_of(g->nodes, [&](const graph::Node& n) {
      return n.op == graph::Op::kConv && n.As<graph::ConvAttributes>().groups == 1 &&
             g->tensor(n.output).shape[1] > 9;
    });
  });
  for (const Recipe& r : left) {
    EXPECT_EQ(Print(r).substr(Print(r).find('\n') + 1),
              "t0 = input\nt1 = conv t0 outs 10\noutput t1\n")
        << Print(r);
  }
}

TEST(Shrink, EndsWhenAttemptsAreUsedUp) {
  int calls = 0;
  const Recipe recipe = Generate(2);
  Shrink(
      recipe, [&](const Recipe&) { return ++calls, true; }, 7);
  EXPECT_LE(calls, 7);
}

}  // namespace
}  // namespace tessera::networks::recipe_test
