// SPDX-License-Identifier: Apache-2.0
//
// What is tested: which operators become integer ones and which scale each value has; layers by
// name. Space: operators with and without weights, float-only ones, ones that keep their operand's
// scale; Relus with one reader and with two. Not tested here: the written model (insert_test).
#include "compiler/calibrate/plan.h"

#include <fmt/ranges.h>

#include "compiler/calibrate/model_index.h"
#include "tests/compiler/calibrate/float_model.h"

namespace tessera::calibrate::plan_test {
namespace {

using test::FloatModel;
using test::Imported;

// "c>r" for each layer: the value of its node, and its result after a folded Relu.
std::string Layers(const FloatModel& m, const IntegerPlan& plan) {
  std::vector<std::string> words;
  for (const IntegerLayer& layer : plan.layers)
    words.push_back(m.model.nodes[layer.node].outputs[0] + ">" + layer.result);
  return fmt::format("{}", fmt::join(words, " "));
}

IntegerPlan Plan(const FloatModel& m, const std::vector<std::string>& in_float = {}) {
  const auto nodes = NodesNamed(m.model, in_float);
  EXPECT_TRUE(nodes) << nodes.error().message;
  auto plan = PlanIntegers(m.model, Imported(m.model), {}, *nodes);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? std::move(*plan) : IntegerPlan();
}

FloatModel Network() {
  FloatModel m(31);
  m.Input("x", {1, 4, 8, 8});
  m.Conv("x", 4, 4, true, "c");
  m.Node("Relu", {"c"}, "r");
  m.Node("MaxPool", {"r"}, "p").attributes["kernel_shape"].ints = {2, 2};
  m.Conv("p", 4, 4, true, "d");
  m.Node("Relu", {"d"}, "e");
  m.Node("Add", {"d", "e"}, "a");
  m.Node("GlobalAveragePool", {"a"}, "g");
  m.Node("Flatten", {"g"}, "f");
  m.Node("Softmax", {"f"}, "s");
  m.Node("Flatten", {"s"}, "y");
  m.Output("y");
  return m;
}

TEST(PlanIntegers, TheImporterSaysWhich) {
  const FloatModel m = Network();
  const IntegerPlan plan = Plan(m);
  // c takes in its Relu; d has a second reader, so that e is a layer; Softmax and the operators
  // behind it stay in float.
  EXPECT_EQ(Layers(m, plan), "c>r p>p d>d e>e a>a g>g f>f");
  EXPECT_EQ(plan.scale_of.at("p"), "r");
  EXPECT_EQ(plan.scale_of.at("f"), "g");
  EXPECT_EQ(plan.scale_of.at("e"), "e");
  EXPECT_FALSE(plan.scale_of.contains("c"));
  EXPECT_FALSE(plan.scale_of.contains("s"));
  EXPECT_EQ(plan.layers[0].weight_axis, 0);
  EXPECT_EQ(plan.layers[4].operands, (FloatModel::Names{"d", "e"}));
}

TEST(PlanIntegers, NamedLayersStayInFloat) {
  const FloatModel m = Network();
  // With c in float, the pool is no integer layer; its result still becomes integers, because d
  // reads it.
  EXPECT_EQ(Layers(m, Plan(m, {"c/Conv"})), "d>d e>e a>a g>g f>f");
  EXPECT_EQ(Layers(m, Plan(m, {"r"})), "c>c d>d e>e a>a g>g f>f");
}

TEST(PlanIntegers, NamesOfConstantsDoNotMatter) {
  FloatModel m(32);
  m.Input("x", {1, 4, 8, 8});
  m.Conv("x", 4, 4, true, "c");
  m.Node("Clip", {"c", m.Constant("zero", {}, {0}), m.Constant("one", {}, {6})}, "y");
  m.Output("y");
  EXPECT_EQ(Layers(m, Plan(m)), "c>y");
}

TEST(PlanIntegers, AnOperandThatIsAConstantMakesAFloatLayer) {
  FloatModel m(33);
  m.Input("x", {1, 4, 8, 8});
  m.Conv("x", 4, 4, true, "c");
  m.Node("Mul", {"c", m.Random("k", {1, 4, 1, 1})}, "y");
  m.Output("y");
  EXPECT_EQ(Layers(m, Plan(m)), "c>c");
}

TEST(PlanIntegers, AModelWithoutIntegersIsRefused) {
  FloatModel m(34);
  m.Input("x", {1, 4});
  m.Node("Softmax", {"x"}, "y");
  m.Output("y");
  const auto plan = PlanIntegers(m.model, Imported(m.model), {}, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message,
            "has no operator that can be one on integers (docs/operators.md) and is not named by "
            "--float");
}

TEST(NodesNamed, ANameThatIsNoneHasItsNearest) {
  const FloatModel m = Network();
  EXPECT_EQ(*NodesNamed(m.model, {"c", "c/Conv", "y"}), (std::set<size_t>{0, 9}));
  const auto nodes = NodesNamed(m.model, {"d/Konv"});
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().message,
            "--float d/Konv: the model has no such layer; the nearest are d/Conv, c/Conv, r/Relu");
}

}  // namespace
}  // namespace tessera::calibrate::plan_test
