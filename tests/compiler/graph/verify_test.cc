// SPDX-License-Identifier: Apache-2.0
//
// Verify accepts a graph of every operator, and names each way of breaking it.
#include <gtest/gtest.h>

#include <functional>

#include "compiler/graph/graph.h"

namespace tessera::graph::verify_test {
namespace {

// Ids of the tensors below, in order.
enum : TensorId { kX, kQ, kW, kB, kC, kS, kM, kF, kD, kY, kOut, kMade };

// Makes the sum an interleaving.
void Interleave(Graph& g, InterleaveAttributes attributes) {
  g.nodes[2].op = Op::kInterleave;
  g.nodes[2].attributes = attributes;
}

// Makes the sum a product that moves elements.
void MoveByProduct(Graph& g) {
  g.nodes[2].op = Op::kMatMul;
  g.nodes[2].attributes = ProductAttributes{.moves = true};
}

// x -> quantize -> conv -> add(with itself) -> maxpool -> reshape -> dense -> dequantize
Graph Good() {
  Graph g;
  const Quant quant{{0.5}, {1}, -1};
  const auto value = [&](const char* name, std::vector<int64_t> shape) {
    return g.AddTensor({name, DType::kInt8, std::move(shape), quant, {}});
  };
  g.AddTensor({"x", DType::kFloat32, {1, 2, 4, 4}, {}, {}});
  value("q", {1, 2, 4, 4});
  g.AddTensor({"w",
               DType::kInt8,
               {4, 1, 3, 3},
               Quant{{1, 1, 1, 1}, {0, 0, 0, 0}, 0},
               std::vector<uint8_t>(36)});
  g.AddTensor({"b", DType::kInt32, {4}, {}, std::vector<uint8_t>(16)});
  value("c", {1, 4, 4, 4});
  value("s", {1, 4, 4, 4});
  value("m", {1, 4, 2, 2});
  value("f", {1, 16});
  g.AddTensor({"d", DType::kInt8, {3, 16}, Quant{{1}, {0}, -1}, std::vector<uint8_t>(48)});
  value("y", {1, 3});
  g.AddTensor({"out", DType::kFloat32, {1, 3}, {}, {}});
  g.nodes = {
      {.op = Op::kQuantize, .name = "quantize", .inputs = {kX}, .output = kQ},
      {.op = Op::kConv,
       .name = "conv",
       .inputs = {kQ, kW, kB},
       .output = kC,
       .attributes =
           ConvAttributes{.window = {.kernel = {3, 3}, .pad_before = {1, 1}, .pad_after = {1, 1}},
                          .groups = 2}},
      {.op = Op::kAdd, .name = "add", .inputs = {kC, kC}, .output = kS},
      {.op = Op::kMaxPool,
       .name = "pool",
       .inputs = {kS},
       .output = kM,
       .attributes = PoolAttributes{{.kernel = {2, 2}, .stride = {2, 2}}}},
      {.op = Op::kReshape, .name = "reshape", .inputs = {kM}, .output = kF},
      {.op = Op::kDense, .name = "dense", .inputs = {kF, kD}, .output = kY},
      {.op = Op::kDequantize, .name = "dequantize", .inputs = {kY}, .output = kOut}};
  g.inputs = {kX};
  g.outputs = {kOut};
  return g;
}

struct Case {
  const char* name;
  std::function<void(Graph&)> spoil;
  const char* message;
};

const Case kCases[] = {
    {"MovedByActivation", MoveByProduct, "c of int8 is moved by c, int8 is moved by a constant"},
    {"MovedToAnotherScale",
     [](Graph& g) {
       MoveByProduct(g);
       g.tensors[kS].quant->scale = {2};
     },
     "c and its result have different scales"},
    {"SoftmaxAxis",
     [](Graph& g) {
       g.nodes[2].op = Op::kSoftmax;
       g.nodes[2].inputs = {kC};
       g.nodes[2].attributes = SoftmaxAttributes{.axis = 4};
     },
     "axis 4 of 4 axes"},
    {"InputId", [](Graph& g) { g.inputs[0] = 99; }, "graph input 99 is not a tensor"},
    {"OutputId", [](Graph& g) { g.outputs[0] = -1; }, "graph output -1 is not made"},
    {"OutputNotMade", [](Graph& g) { g.nodes.pop_back(); }, "is not made by any node"},
    {"TooManyStates", [](Graph& g) { g.states.resize(2); }, "2 states, 1 inputs and 1 outputs"},
    {"StateOfAnotherShape", [](Graph& g) { g.states.resize(1); },
     "state x of shape [1, 2, 4, 4] becomes out of shape [1, 3]"},
    {"StateOfOtherBytes",
     [](Graph& g) {
       g.outputs = {g.AddTensor({"again", DType::kFloat32, {1, 2, 4, 4}, {}, {}})};
       g.nodes.push_back(
           {.op = Op::kReshape, .name = "copy", .inputs = {kX}, .output = g.outputs[0]});
       g.states.assign(1, std::vector<uint8_t>(127));
     },
     "state x begins with 127 bytes, shape [1, 2, 4, 4] takes 128"},
    {"ScaleOfOtherFactors",
     [](Graph& g) {
       g.AddTensor({"i", DType::kInt32, {2, 3}, {}, {}});
       g.AddTensor({"j", DType::kInt32, {2, 3}, {}, {}});
       g.inputs.push_back(kMade);
       g.nodes.push_back({.op = Op::kScale,
                          .name = "scale",
                          .inputs = {kMade},
                          .output = kMade + 1,
                          .attributes = ScaleAttributes{{1, 1}, {0, 0}, 0}});
     },
     "2 multipliers and 2 shifts for shape [2, 3]"},
    {"ZeroExtent", [](Graph& g) { g.tensors[kC].shape[1] = 0; }, "tensor c has shape [1, 0, 4, 4]"},
    {"OperandId", [](Graph& g) { g.nodes[2].inputs[1] = kMade; },
     "node add (add): operand 11 is not a tensor"},
    {"ResultId", [](Graph& g) { g.nodes[2].output = -2; }, "its result is not a tensor"},
    {"TooFewOperands", [](Graph& g) { g.nodes[2].inputs.pop_back(); }, "1 operands, takes 2 to 2"},
    {"TooManyOperands", [](Graph& g) { g.nodes[4].inputs.push_back(kM); },
     "2 operands, takes 1 to 1"},
    {"Order", [](Graph& g) { std::swap(g.nodes[2], g.nodes[3]); },
     "operand s is used before it is made"},
    {"TwoProducers", [](Graph& g) { g.nodes[2].output = kC; }, "its result c has another producer"},
    {"NoScale", [](Graph& g) { g.tensors[kS].quant.reset(); }, "result s has no scale"},
    {"Int16NoScale",
     [](Graph& g) {
       g.tensors[kC].dtype = DType::kInt16;
       g.tensors[kC].quant.reset();
     },
     "result c has no scale"},
    {"Int16ZeroPoint", [](Graph& g) { g.tensors[kC].dtype = DType::kInt16; },
     "result c is int16 with zero point 1, int16 has 0"},
    {"NoZeroPoint", [](Graph& g) { g.tensors[kS].quant->zero.clear(); },
     "s has 1 scales and 0 zero points"},
    {"TwoScales",
     [](Graph& g) {
       g.tensors[kS].quant = Quant{{1, 1}, {0, 0}, 1};
     },
     "s has 2 scales"},
    {"QuantizeType", [](Graph& g) { g.tensors[kX].dtype = DType::kInt32; },
     "takes float32 to int8, float16 to int8, float32 to int16, has int32 and int8"},
    {"DequantizeType", [](Graph& g) { g.tensors[kOut].dtype = DType::kInt64; },
     "takes int8 to float32, int8 to float16, int16 to float32, has int8 and int64"},
    {"QuantizeShape", [](Graph& g) { g.tensors[kX].shape[3] = 5; },
     "its result has shape [1, 2, 4, 4], the operands make [1, 2, 4, 5]"},
    {"Bounds", [](Graph& g) { g.nodes[1].lo = 5, g.nodes[1].hi = 4; }, "bounds 5 to 4"},
    {"WeightsNotConstant",
     [](Graph& g) {
       g.inputs.push_back(kW);
       g.tensors[kW].data.reset();
       g.tensors[kW].quant = Quant{{1}, {0}, -1};
     },
     "not an int8 constant of 4 axes"},
    {"WeightsShort", [](Graph& g) { g.tensors[kW].data->pop_back(); },
     "weights w of shape [4, 1, 3, 3] are not an int8 constant"},
    {"WeightsRank",
     [](Graph& g) {
       g.tensors[kW].shape = {4, 9};
     },
     "not an int8 constant of 4 axes"},
    {"WeightScales",
     [](Graph& g) {
       g.tensors[kW].quant = Quant{{1, 1}, {0, 0}, 0};
     },
     "need one scale, or one an output channel"},
    {"WeightAxis", [](Graph& g) { g.tensors[kW].quant->axis = 1; },
     "need one scale, or one an output channel"},
    {"WeightZeroPoint", [](Graph& g) { g.tensors[kD].quant->zero[0] = 1; }, "and no zero points"},
    {"BiasSize", [](Graph& g) { g.tensors[kB].data->resize(12); },
     "bias b is not a constant of 4 int32"},
    {"BiasType", [](Graph& g) { g.tensors[kB].dtype = DType::kFloat32; },
     "bias b is not a constant"},
    {"Groups", [](Graph& g) { g.nodes[1].Edit<ConvAttributes>().groups = 1; },
     "1 groups, weights [4, 1, 3, 3], operand [1, 2, 4, 4] do not agree"},
    {"Kernel",
     [](Graph& g) {
       g.nodes[1].Edit<ConvAttributes>().window.kernel = {3, 2};
     },
     "do not agree"},
    {"ConvShape",
     [](Graph& g) {
       g.nodes[1].Edit<ConvAttributes>().window.pad_after = {0, 1};
     },
     "its result has shape [1, 4, 4, 4], the operands make [1, 4, 3, 4]"},
    {"ZeroStride",
     [](Graph& g) {
       g.nodes[1].Edit<ConvAttributes>().window.stride = {0, 1};
     },
     "kernel, stride or dilation below 1"},
    {"NegativePad",
     [](Graph& g) {
       g.nodes[1].Edit<ConvAttributes>().window.pad_before = {-1, 1};
     },
     "or a negative pad"},
    {"WindowTooLarge",
     [](Graph& g) {
       g.nodes[1].Edit<ConvAttributes>().window.dilation = {9, 9};
     },
     "the window does not fit shape [1, 2, 4, 4]"},
    {"AddShapes", [](Graph& g) { g.nodes[2].inputs[1] = kQ; },
     "operands of shapes [1, 4, 4, 4] and [1, 2, 4, 4]"},
    {"AddTypes", [](Graph& g) { g.nodes[2].inputs[1] = kX; }, "operand x is float32"},
    {"AddShape", [](Graph& g) { g.tensors[kS].shape[1] = 5; }, "the operands make [1, 4, 4, 4]"},
    {"Attributes", [](Graph& g) { g.nodes[1].attributes = PoolAttributes{}; },
     "node conv (conv): its attributes are those of another operator"},
    {"PoolRank",
     [](Graph& g) {
       g.nodes[4] = {.op = Op::kMaxPool, .name = "pool2", .inputs = {kM}, .output = kF};
       g.tensors[kM].shape = {1, 16};
       g.nodes[3].op = Op::kReshape;
       g.nodes[3].attributes = {};
       g.tensors[kS].shape = {1, 4, 4, 4};
       g.tensors[kM].shape = {4, 16};
     },
     "four axes are needed"},
    {"PoolShape",
     [](Graph& g) {
       g.nodes[3].Edit<PoolAttributes>().window.stride = {1, 1};
     },
     "the operands make [1, 4, 3, 3]"},
    {"PoolScale", [](Graph& g) { g.tensors[kM].quant->scale[0] = 0.25; },
     "the greatest value keeps its scale"},
    {"PaddedAverage",
     [](Graph& g) {
       g.nodes[3].op = Op::kAvgPool;
       g.nodes[3].Edit<PoolAttributes>().window.pad_before = {1, 1};
     },
     "an average over padding"},
    {"AverageOfPadding",
     [](Graph& g) {
       g.nodes[3].op = Op::kAvgPool;
       g.nodes[3].round = isa::Round::kTflite;
       g.nodes[3].Edit<PoolAttributes>().window.pad_before = {4, 0};
     },
     "a window over padding alone"},
    {"TableOfAnotherLength",
     [](Graph& g) {
       g.nodes[2] = {.op = Op::kTable,
                     .name = "table",
                     .inputs = {kC},
                     .output = kS,
                     .attributes = TableAttributes{std::vector<int8_t>(255)}};
     },
     "node table (table): a table of 255 values; an int8 operand needs 256, one for each value"},
    {"TurnsOfChannelsAndRows",
     [](Graph& g) {
       Interleave(g, {{2, 1}, 1, 2});
     },
     "node add (interleave): channels, rows and columns take turns"},
    {"TurnsOfPartsOfChannels", [](Graph& g) { Interleave(g, {.channels = 3}); },
     "3 channels at a time of 4"},
    {"TurnsOfLessThanNothing", [](Graph& g) { Interleave(g, {.channels = -1}); },
     "-1 channels at a time"},
    {"TurnsOfOtherShapes",
     [](Graph& g) {
       Interleave(g, {.channels = 2});
       g.nodes[2].inputs[1] = kQ;
     },
     "q of shape [1, 2, 4, 4] takes no turns with [1, 4, 4, 4]"},
    {"MoreIdleChannels", [](Graph& g) { g.nodes[1].Edit<ConvAttributes>().idle_outputs = 5; },
     "2 groups, weights [4, 1, 3, 3], operand [1, 2, 4, 4] do not agree"},
    {"ReshapeCount", [](Graph& g) { g.tensors[kF].shape[1] = 15; },
     "[1, 4, 2, 2] cannot become [1, 15]"},
    {"ReshapeScale", [](Graph& g) { g.tensors[kF].quant->zero[0] = 2; }, "or the scales differ"},
    {"DenseShapes",
     [](Graph& g) {
       g.tensors[kD].shape = {6, 8};
     },
     "weights [6, 8] and operand [1, 16] do not agree"},
    {"DenseShape",
     [](Graph& g) {
       g.tensors[kY].shape = {1, 4};
     },
     "the operands make [1, 3]"},
};

class VerifyBad : public ::testing::TestWithParam<Case> {};

TEST_P(VerifyBad, IsRefusedWithTheReason) {
  Graph g = Good();
  ASSERT_TRUE(Verify(g)) << Verify(g).error().message;
  GetParam().spoil(g);
  const Status status = Verify(g);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kInvalidArgument);
  EXPECT_NE(status.error().message.find(GetParam().message), std::string::npos)
      << status.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, VerifyBad, ::testing::ValuesIn(kCases),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace tessera::graph::verify_test
