// SPDX-License-Identifier: Apache-2.0
//
// What is tested: which operators a table takes the place of, and that it has the integers of
// these operators for all 256 values, by the definitions before and after. Space: SiLU, a hard
// swish in four operators, GELU in floats, chains of random functions of int8 and floats, and
// graphs where some or all operators must stay. Not tested here: that the accelerator looks up what
// the host does (tests/networks).
#include "compiler/network/fold_tables.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/graph/op_def.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::network::fold_tables_test {
namespace {

using graph::Graph;
using graph::GraphTensor;
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
  // |op| with a float result.
  TensorId Real(Op op, std::vector<TensorId> inputs) {
    const TensorId out = Apply(op, std::move(inputs), 1, 0);
    graph_.tensor(out).dtype = DType::kFloat32;
    graph_.tensor(out).quant.reset();
    return out;
  }
  TensorId Number(float value, graph::Shape shape = {}) {
    const auto bytes = std::bit_cast<std::array<uint8_t, 4>>(value);
    GraphTensor number{.name = "c" + std::to_string(graph_.tensors.size()),
                       .dtype = DType::kFloat32,
                       .shape = std::move(shape)};
    number.data.emplace(bytes.begin(), bytes.end());
    return graph_.AddTensor(std::move(number));
  }
  // x * (erf(x / sqrt 2) + 1) * 0.5 of a float tensor, as PyTorch exports it.
  TensorId Gelu(TensorId x) {
    TensorId y = Real(Op::kDiv, {x, Number(1.41421356f)});
    y = Real(Op::kAdd, {Real(Op::kErf, {y}), Number(1, {1})});
    return Real(Op::kMul, {Real(Op::kMul, {x, y}), Number(0.5f, {1, 1, 1})});
  }

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

TEST(FoldTables, AFunctionInFloatsBetweenQuantisations) {
  Chain c;
  const TensorId x = c.Real(Op::kDequantize, {c.x()});
  c.graph().outputs = {c.Apply(Op::kQuantize, {c.Gelu(x)}, 0.02, -110)};
  EXPECT_EQ(c.Folded(), "table");
}

// The floats of the first function go on to a pool, the int8 ones behind it to a second function:
// this one begins where others read int8.
TEST(FoldTables, FloatsThatOthersReadStayForThem) {
  Chain c;
  const TensorId real = c.Gelu(c.Real(Op::kDequantize, {c.x()}));
  const TensorId y = c.Apply(Op::kQuantize, {real}, 0.02, -110);
  const TensorId z = c.Apply(Op::kQuantize, {c.Gelu(c.Real(Op::kDequantize, {y}))}, 0.02, 3);
  const TensorId moved = c.Real(Op::kTranspose, {real});
  c.graph().nodes.back().attributes = graph::TransposeAttributes{{0, 1, 3, 2}};
  c.graph().outputs = {moved, y, z};
  EXPECT_EQ(c.Folded(), "dequantize div erf add mul mul table table transpose");
}

TEST(FoldTables, OneOperatorWithANumber) {
  for (const Op op : {Op::kMul, Op::kAdd, Op::kSub}) {
    Chain c;
    c.graph().outputs = {c.Apply(op, {c.x(), c.Constant("number", {77})}, 0.01, -30)};
    EXPECT_EQ(c.Folded(), "table");
  }
}

// A float of another shape is no result of one int8 value: its mean needs all of them.
TEST(FoldTables, AMeanInFloatsIsNoTable) {
  Chain c;
  const TensorId x = c.Real(Op::kDequantize, {c.x()});
  const TensorId mean = c.Real(Op::kReduceMean, {x});
  c.graph().nodes.back().attributes = graph::AxesAttributes{{3}};
  c.graph().tensor(mean).shape.back() = 1;
  c.graph().outputs = {c.Apply(Op::kQuantize, {c.Real(Op::kSub, {x, mean})}, 0.02, 0)};
  EXPECT_EQ(c.Folded(), "dequantize average sub quantize");
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
      if (rng.Range(0, 3) == 0) {
        for (TensorId& id : inputs) id = c.Real(Op::kDequantize, {id});
        inputs = {c.Real(op == Op::kRescale ? Op::kErf : op, inputs)};
        all.push_back(c.Apply(Op::kQuantize, inputs, 0.02, static_cast<int32_t>(rng.Range(-9, 9))));
        continue;
      }
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
