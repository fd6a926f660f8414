// SPDX-License-Identifier: Apache-2.0
//
// What is tested: which operators a table takes the place of, and that it has the integers of
// these operators for all 256 values, by the definitions before and after. Space: SiLU, a hard
// swish in four operators, chains of random functions, and graphs where some or all operators must
// stay. Not tested here: that the accelerator looks up what the host does (tests/networks).
#include "compiler/network/fold_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/graph/op_def.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::fold_tables_test {
namespace {

using graph::Graph;
using graph::Node;
using graph::Op;
using graph::Quant;
using graph::TensorId;

const graph::Shape kShape{1, 4, 8, 8};  // 256 elements

// A graph whose tensors are int8 of one shape.
class Chain {
 public:
  Chain() { graph_.inputs.push_back(Tensor("x", 0.03, 5)); }
  TensorId x() const { return graph_.inputs[0]; }
  Graph& graph() { return graph_; }

  TensorId Tensor(const std::string& name, double scale, int32_t zero,
                  graph::Shape shape = kShape) {
    return graph_.AddTensor({.name = name,
                             .dtype = DType::kInt8,
                             .shape = std::move(shape),
                             .quant = Quant{{scale}, {zero}, -1}});
  }
  // A number, or one of the numbers for each channel.
  TensorId Constant(const std::string& name, const std::vector<uint8_t>& numbers) {
    const TensorId id = Tensor(name, 0.02, 0);
    std::vector<uint8_t>& data = graph_.tensor(id).data.emplace();
    for (size_t k = 0; k < 256; ++k) data.push_back(numbers[k / 64 % numbers.size()]);
    return id;
  }
  TensorId Apply(Op op, std::vector<TensorId> inputs, double scale, int32_t zero) {
    const std::string name = "n" + std::to_string(graph_.nodes.size());
    const TensorId out = Tensor(name + ".out", scale, zero);
    graph_.nodes.push_back({.op = op, .name = name, .inputs = std::move(inputs), .output = out});
    return out;
  }
  TensorId Sigmoid(TensorId in) { return Apply(Op::kSigmoid, {in}, 1.0 / 256, -128); }

  // The names of the operators that are left after FoldTables, after a comparison of the outputs
  // for an input with every int8 value.
  std::string Folded() {
    EXPECT_TRUE(graph::Verify(graph_).has_value());
    EXPECT_TRUE(quantize::AttachRequant(graph_).has_value());
    TensorBytes before, after;
    for (int q = 0; q < 256; ++q) before[x()].push_back(static_cast<uint8_t>(q));
    std::vector<std::string> names;
    for (const TensorId id : graph_.outputs) names.push_back(graph_.tensor(id).name);
    after[0] = before[x()];
    RunRegions(graph_, before);
    const std::vector<TensorId> were = graph_.outputs;
    FoldTables(graph_);
    EXPECT_TRUE(graph::Verify(graph_).has_value());
    TensorBytes values;
    values[graph_.inputs[0]] = after[0];
    RunRegions(graph_, values);
    for (size_t k = 0; k < were.size(); ++k)
      EXPECT_EQ(values.at(graph_.outputs[k]), before.at(were[k])) << names[k];
    std::string ops;
    for (const Node& node : graph_.nodes)
      ops += (ops.empty() ? "" : " ") + std::string(graph::Text(node.op));
    return ops;
  }

 private:
  Graph graph_;
};

TEST(FoldTables, AProductWithTheOwnSigmoidIsOneTable) {
  Chain c;
  c.graph().outputs = {c.Apply(Op::kMul, {c.x(), c.Sigmoid(c.x())}, 0.01, -100)};
  EXPECT_EQ(c.Folded(), "table");
}

// x * min(max(x + 3, 0), 6) / 6 as some files have it.
TEST(FoldTables, AHardSwishInFourOperators) {
  Chain c;
  const TensorId three = c.Constant("three", {127}), sixth = c.Constant("sixth", {8});
  const TensorId shifted = c.Apply(Op::kAdd, {c.x(), three}, 0.04, 0);
  c.graph().nodes.back().lo = 0;
  const TensorId bounded = c.Apply(Op::kMul, {shifted, sixth}, 0.005, -128);
  c.graph().outputs = {c.Apply(Op::kMul, {c.x(), bounded}, 0.02, -110)};
  EXPECT_EQ(c.Folded(), "table");
}

TEST(FoldTables, AFunctionOfATableIsPartOfIt) {
  Chain c;
  TensorId y = c.Apply(Op::kMul, {c.x(), c.Sigmoid(c.x())}, 0.01, -100);
  y = c.Apply(Op::kTanh, {y}, 1.0 / 128, 0);
  c.graph().outputs = {c.Apply(Op::kMul, {y, y}, 0.004, -128)};
  EXPECT_EQ(c.Folded(), "table");
}

TEST(FoldTables, OneOperatorAloneStays) {
  Chain c;
  c.graph().outputs = {c.Sigmoid(c.x())};
  EXPECT_EQ(c.Folded(), "sigmoid");
}

// The sigmoid is an output too: the product alone would not save it.
TEST(FoldTables, AValueThatOthersReadStays) {
  Chain c;
  const TensorId gate = c.Sigmoid(c.x());
  c.graph().outputs = {gate, c.Apply(Op::kMul, {c.x(), gate}, 0.01, -100)};
  EXPECT_EQ(c.Folded(), "sigmoid mul");
}

// Of x -> a -> sigmoid, product, where a pool reads a as well: the table is of a.
TEST(FoldTables, ATableOfTheLastValueThatOthersRead) {
  Chain c;
  const TensorId a = c.Apply(Op::kTanh, {c.x()}, 1.0 / 128, 0);
  const TensorId y = c.Apply(Op::kMul, {a, c.Sigmoid(a)}, 0.005, -50);
  c.graph().outputs = {y, c.Apply(Op::kTranspose, {a}, 1.0 / 128, 0)};
  c.graph().nodes.back().attributes = graph::TransposeAttributes{{0, 1, 3, 2}};
  EXPECT_EQ(c.Folded(), "tanh table transpose");
}

TEST(FoldTables, TwoActivationsAreNoFunctionOfOneValue) {
  Chain c;
  const TensorId moved = c.Apply(Op::kTranspose, {c.x()}, 0.03, 5);
  c.graph().nodes.back().attributes = graph::TransposeAttributes{{0, 1, 3, 2}};
  c.graph().outputs = {c.Apply(Op::kMul, {moved, c.Sigmoid(c.x())}, 0.01, -100)};
  EXPECT_EQ(c.Folded(), "transpose sigmoid mul");
}

// A factor of each channel is no number.
TEST(FoldTables, AConstantOfManyNumbersIsNoPartOfATable) {
  Chain c;
  const TensorId factors = c.Constant("factors", {10, 20, 30, 40});
  const TensorId y = c.Apply(Op::kMul, {c.x(), factors}, 0.02, 0);
  c.graph().outputs = {c.Sigmoid(y)};
  EXPECT_EQ(c.Folded(), "mul sigmoid");
}

// Functions of functions, and products of two of them; every value of the table is compared.
TEST(FoldTables, RandomFunctions) {
  constexpr Op kOps[] = {Op::kSigmoid, Op::kTanh, Op::kHardSwish, Op::kLeakyRelu,
                         Op::kAbs,     Op::kMul,  Op::kAdd,       Op::kRescale};
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Chain c;
    std::vector<TensorId> all{c.x()};
    const auto any = [&] { return all[static_cast<size_t>(rng.Range(0, std::ssize(all) - 1))]; };
    for (int64_t k = rng.Range(2, 6); k > 0; --k) {
      const Op op = kOps[rng.Range(0, 7)];
      std::vector<TensorId> inputs{all.back()};
      if (op == Op::kMul || op == Op::kAdd) inputs.push_back(any());
      if (op == Op::kSigmoid) {
        all.push_back(c.Sigmoid(inputs[0]));
      } else if (op == Op::kTanh) {
        all.push_back(c.Apply(op, inputs, 1.0 / 128, 0));
      } else {
        const double scale = 0.005 * static_cast<double>(rng.Range(1, 8));
        all.push_back(c.Apply(op, inputs, scale, static_cast<int32_t>(rng.Range(-100, 100))));
      }
    }
    c.graph().outputs = {all.back()};
    EXPECT_EQ(c.Folded(), "table");
  }
}

}  // namespace
}  // namespace tessera::network::fold_tables_test
