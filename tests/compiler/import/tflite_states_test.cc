// SPDX-License-Identifier: Apache-2.0
//
// What is tested: variables of TFLite models become states of the graph: resources with their first
// values, variable tensors that begin at zero, what is read only; the sequence LSTM on floats
// against loops in double, with every option, over two inferences; each refusal. Not here: LSTM on
// int8 (tests/models/tflite_ops_test.cc), states while a model runs (tests/runtime).
#include <cmath>

#include "tests/compiler/graph_eval.h"
#include "tests/compiler/import/tflite_import.h"

namespace tessera::tflite_states_test {
namespace {

using Builtin = T::Builtin;
using graph::Graph;
using Shape = std::vector<int64_t>;
constexpr auto kF32 = T::Type::FLOAT32;

// Tensor |tensor|, a handle of variable |name|.
void Handle(TfliteBuilder& b, const std::string& tensor, const std::string& name) {
  b.Tensor(tensor, {}, T::Type::RESOURCE);
  tfl::VarHandleOptionsT options;
  options.shared_name = name;
  b.Op(Builtin::VAR_HANDLE, {}, {tensor}, options);
}

// A running sum: y = x + s, s becomes y, which is int8 [1, 2, 2, 3]; s begins as 0, 1, ... 11. The
// first subgraph calls the second, which puts that in.
TfliteBuilder RunningSum() {
  TfliteBuilder b;
  Handle(b, "handle0", "sum");
  std::vector<int8_t> first(12);
  for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int8_t>(i);
  b.Constant("first", {1, 2, 2, 3}, T::Type::INT8, first, {0.5f});
  b.Op(Builtin::ASSIGN_VARIABLE, {"handle0", "first"}, {});
  b.model.subgraphs.insert(b.model.subgraphs.begin(), std::make_unique<tfl::SubGraphT>());
  tfl::CallOnceOptionsT once;
  once.init_subgraph_index = 1;
  b.Op(Builtin::CALL_ONCE, {}, {}, once);
  Handle(b, "handle", "sum");
  for (const std::string name : {"x", "s", "y"}) b.Int8(name, {1, 2, 2, 3}, 0.5f, 0);
  b.Op(Builtin::READ_VARIABLE, {"handle"}, {"s"});
  b.Op(Builtin::ADD, {"x", "s"}, {"y"}, tfl::AddOptionsT{});
  b.Op(Builtin::ASSIGN_VARIABLE, {"handle", "y"}, {});
  b.Input("x");
  b.Output("y");
  return b;
}

TEST(TfliteStates, AResourceIsAState) {
  const Graph g = ImportGood(RunningSum());
  EXPECT_EQ(Ops(g), "add reshape");  // the model's output and the state are two
  ASSERT_EQ(g.states.size(), 1u);
  EXPECT_EQ(g.UserInputs().size(), 1u);
  EXPECT_EQ(g.UserOutputs().size(), 1u);
  EXPECT_EQ(g.tensor(g.inputs[1]).name, "s");
  EXPECT_EQ(g.tensor(g.inputs[1]).shape, (Shape{1, 3, 2, 2}));
  // Channels first, as the graph has it: 0, 3, 6, 9, 1, ...
  EXPECT_EQ(g.states[0], (std::vector<uint8_t>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
  EXPECT_NE(graph::Print(g).find("state %s int8[1, 3, 2, 2] scale 0.5 zero 0, then %s.next"),
            std::string::npos)
      << graph::Print(g);
}

TEST(TfliteStates, AVariableThatNothingAssignsIsAConstant) {
  TfliteBuilder b = RunningSum();
  b.graph().operators.pop_back();
  const Graph g = ImportGood(b);
  EXPECT_TRUE(g.states.empty());
  EXPECT_EQ(g.inputs.size(), 1u);
}

TEST(TfliteStates, WhatIsReadAfterAnAssignmentIsWhatWasAssigned) {
  TfliteBuilder b = RunningSum();
  b.Int8("again", {1, 2, 2, 3}, 0.5f, 0);
  b.Int8("z", {1, 2, 2, 3}, 0.5f, 0);
  b.Op(Builtin::READ_VARIABLE, {"handle"}, {"again"});
  b.Op(Builtin::ADD, {"again", "x"}, {"z"}, tfl::AddOptionsT{});
  b.graph().outputs.clear();
  b.Output("z");
  const Graph g = ImportGood(b);
  EXPECT_EQ(Ops(g), "add add");
  EXPECT_EQ(g.nodes[1].inputs[0], g.nodes[0].output);
  EXPECT_EQ(g.outputs[1], g.nodes[0].output);
}

struct Bad {
  const char* name;
  std::function<void(TfliteBuilder&)> spoil;
  const char* message;
};
class TfliteBadStates : public testing::TestWithParam<Bad> {};

// Operators of RunningSum's model, and of its second subgraph.
constexpr size_t kOnce = 0, kRead = 2, kAssign = 4;
tfl::SubGraphT& Second(TfliteBuilder& b) { return *b.model.subgraphs[1]; }

const Bad kBadSums[] = {
    {"NoFirstValue", [](auto& b) { b.graph().operators.erase(b.graph().operators.begin()); },
     "operator 1 (READ_VARIABLE): variable '/sum' has no first value, which a CALL_ONCE puts into"},
    {"AnotherShape",
     [](auto& b) {
       Second(b).tensors[1]->shape = {1, 1, 4, 3};
     },
     "variable '/sum' begins as INT8 of shape [1, 1, 4, 3] and is read as INT8 of shape [1, 2, 2, "
     "3]"},
    {"NoSuchSubgraph",
     [](auto& b) { b.op(kOnce).builtin_options.AsCallOnceOptions()->init_subgraph_index = 2; },
     "operator 0 (CALL_ONCE): it calls subgraph 2, the model has 2"},
    {"ItselfAgain",
     [](auto& b) { b.op(kOnce).builtin_options.AsCallOnceOptions()->init_subgraph_index = 0; },
     "operator 0 (CALL_ONCE): it calls subgraph 0"},
    {"FirstValueIsComputed", [](auto& b) { Second(b).operators[1]->inputs[1] = 0; },
     "in subgraph 1, operator 1 (ASSIGN_VARIABLE): constants that are put into variables"},
    {"NoHandle", [](auto& b) { b.op(kRead).inputs = {b.Find("x")}; },
     "input tensor 1 'x' is no variable that VAR_HANDLE names"},
    {"NoOptions", [](auto& b) { b.op(1).builtin_options.Reset(); },
     "operator 1 (VAR_HANDLE): its options are missing or another operator's"},
    {"AssignedAnotherScale", [](auto& b) { b.quant("y").scale = {0.25f}; },
     "operator 4 (ASSIGN_VARIABLE): variable '/sum' of shape [1, 2, 2, 3] is assigned y of shape"},
    {"AResultOfAnAssignment", [](auto& b) { b.op(kAssign).outputs = {b.Find("s")}; },
     "operator 4 (ASSIGN_VARIABLE): 1 results, makes none"},
};

TEST_P(TfliteBadStates, IsNamed) {
  ASSERT_TRUE(ImportModel(RunningSum().Bytes(), "m.tflite"));
  TfliteBuilder b = RunningSum();
  GetParam().spoil(b);
  const auto graph = ImportModel(b.Bytes(), "m.tflite");
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message.find(GetParam().message), std::string::npos)
      << graph.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, TfliteBadStates, testing::ValuesIn(kBadSums),
                         [](const auto& param) { return param.param.name; });

// An LSTM layer on floats of three cells, and what its options ask.
struct Lstm {
  int batch = 2, steps = 3, depth = 4, cells = 3, results = 3;
  bool time_major = false, coupled = false, holes = false, projected = false;
  float cell_clip = 0, projection_clip = 0;

  TfliteBuilder b = {};
  std::vector<double> values[18] = {};  // of each constant input

  void Input(int k, const T::Dims& shape, float step) {
    size_t count = 1;
    for (const int32_t extent : shape) count *= static_cast<size_t>(extent);
    std::vector<float> made(count);
    for (size_t i = 0; i < count; ++i) {
      const auto wave = static_cast<int>((i * 7 + static_cast<size_t>(k) * 3) % 19) - 9;
      made[i] = static_cast<float>(wave) * step;
    }
    values[k].assign(made.begin(), made.end());
    b.Constant(fmt::format("in{}", k), shape, kF32, made);
  }

  TfliteBuilder& Build() {
    b.Tensor("x", time_major ? T::Dims{steps, batch, depth} : T::Dims{batch, steps, depth}, kF32);
    b.Tensor("y", time_major ? T::Dims{steps, batch, results} : T::Dims{batch, steps, results},
             kF32);
    for (int gate = coupled ? 1 : 0; gate < 4; ++gate) {
      Input(1 + gate, {cells, depth}, 0.07f);
      Input(5 + gate, {cells, results}, 0.05f);
      Input(12 + gate, {cells}, 0.1f);
    }
    for (int gate = coupled ? 1 : 0; gate < 3 && holes; ++gate) Input(9 + gate, {cells}, 0.06f);
    if (projected) Input(16, {results, cells}, 0.09f);
    if (projected) Input(17, {results}, 0.02f);
    b.Tensor("hidden", {batch, results}, kF32);
    b.Tensor("cell", {batch, cells}, kF32);
    for (const char* name : {"hidden", "cell"}) b.tensor(name).is_variable = true;
    std::vector<std::string> inputs{"x"};
    for (int k = 1; k < 18; ++k) inputs.push_back(values[k].empty() ? "" : fmt::format("in{}", k));
    inputs.insert(inputs.end(), {"hidden", "cell", "", "", "", ""});
    tfl::UnidirectionalSequenceLSTMOptionsT options;
    options.fused_activation_function = tfl::ActivationFunctionType::TANH;
    options.cell_clip = cell_clip;
    options.proj_clip = projection_clip;
    options.time_major = time_major;
    b.Op(Builtin::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {"y"}, options);
    b.Input("x");
    b.Output("y");
    return b;
  }

  // One step of batch |n|: Graves' equations, peepholes with the cell before and after.
  void Step(const double* x, std::vector<double>& hidden, std::vector<double>& cell) const {
    const auto gate = [&](int g, int c) {
      double sum = values[12 + g][static_cast<size_t>(c)];
      for (int k = 0; k < depth; ++k)
        sum += values[1 + g][static_cast<size_t>(c * depth + k)] * x[k];
      for (int k = 0; k < results; ++k)
        sum += values[5 + g][static_cast<size_t>(c * results + k)] * hidden[static_cast<size_t>(k)];
      return sum;
    };
    const auto open = [](double sum) { return 1 / (1 + std::exp(-sum)); };
    const auto hole = [&](int g, int c, double of) {
      return holes ? values[9 + g][static_cast<size_t>(c)] * of : 0;
    };
    const auto clipped = [](double v, double most) {
      return most > 0 ? std::clamp(v, -most, most) : v;
    };
    std::vector<double> shown;
    for (int c = 0; c < cells; ++c) {
      double& s = cell[static_cast<size_t>(c)];
      const double forget = open(gate(1, c) + hole(1, c, s));
      const double take = coupled ? 1 - forget : open(gate(0, c) + hole(0, c, s));
      s = clipped(forget * s + take * std::tanh(gate(2, c)), cell_clip);
      shown.push_back(open(gate(3, c) + hole(2, c, s)) * std::tanh(s));
    }
    if (!projected) {
      hidden = shown;
      return;
    }
    for (int r = 0; r < results; ++r) {
      double sum = values[17][static_cast<size_t>(r)];
      for (int c = 0; c < cells; ++c)
        sum += values[16][static_cast<size_t>(r * cells + c)] * shown[static_cast<size_t>(c)];
      hidden[static_cast<size_t>(r)] = clipped(sum, projection_clip);
    }
  }
};

void Compare(Lstm layer) {
  const auto g = ImportModel(layer.Build().Bytes(), "m.tflite");
  ASSERT_TRUE(g) << g.error().message;
  ASSERT_EQ(g->states.size(), 2u);
  std::vector<std::vector<double>> hidden(static_cast<size_t>(layer.batch)), cell = hidden;
  for (auto& h : hidden) h.resize(static_cast<size_t>(layer.results));
  for (auto& c : cell) c.resize(static_cast<size_t>(layer.cells));
  std::vector<uint8_t> states[2] = {g->states[0], g->states[1]};
  for (int inference = 0; inference < 2; ++inference) {
    std::vector<float> x(static_cast<size_t>(layer.batch * layer.steps * layer.depth));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(static_cast<int>(i * 5 + static_cast<size_t>(inference)) % 13 - 6) *
             0.3f;
    TensorBytes values{
        {g->inputs[0], Bytes(x)}, {g->inputs[1], states[0]}, {g->inputs[2], states[1]}};
    ASSERT_NO_FATAL_FAILURE(RunRegions(*g, values));
    const std::vector<float> y = As<float>(values.at(g->outputs[0]));
    for (int t = 0; t < layer.steps; ++t) {
      for (int n = 0; n < layer.batch; ++n) {
        const auto row =
            static_cast<size_t>(layer.time_major ? t * layer.batch + n : n * layer.steps + t);
        const auto depth = static_cast<size_t>(layer.depth);
        const auto at = static_cast<size_t>(n), results = static_cast<size_t>(layer.results);
        const std::vector<double> in(x.begin() + static_cast<int64_t>(row * depth),
                                     x.begin() + static_cast<int64_t>((row + 1) * depth));
        layer.Step(in.data(), hidden[at], cell[at]);
        for (size_t r = 0; r < results; ++r)
          EXPECT_NEAR(static_cast<double>(y[row * results + r]), hidden[at][r], 2e-6)
              << "inference " << inference << " step " << t << " batch " << n;
      }
    }
    states[0] = values.at(g->outputs[1]);
    states[1] = values.at(g->outputs[2]);
  }
}

TEST(TfliteStates, LstmOnFloats) {
  Compare({});
  Compare({.batch = 1, .time_major = true, .holes = true});
  Compare({.steps = 1, .coupled = true, .holes = true, .cell_clip = 0.1f});
  Compare({.time_major = true, .coupled = true});
  Compare({.results = 2, .projected = true, .cell_clip = 0.2f, .projection_clip = 0.05f});
}

const Bad kBadLstms[] = {
    {"NotTanh",
     [](auto& b) {
       b.op(0).builtin_options.AsUnidirectionalSequenceLSTMOptions()->fused_activation_function =
           tfl::ActivationFunctionType::RELU;
     },
     "operator 0 (UNIDIRECTIONAL_SEQUENCE_LSTM): "},
    {"NormalisedGates", [](auto& b) { b.op(0).inputs[20] = b.Find("in12"); },
     "its gates are normalised"},
    {"TwoAxes",
     [](auto& b) {
       b.tensor("x").shape = {6, 4};
     },
     "input tensor 0 'x' of shape [6, 4], recurrent weights of shape [3, 3]"},
    {"TooManySteps",
     [](auto& b) {
       b.tensor("x").shape = {2, 513, 4};
     },
     "513 steps, at most 512 are supported"},
    {"OtherWeights", [](auto& b) { b.op(0).inputs[2] = b.Find("in6"); },
     "of shape [3, 3]; a constant of shape [3, 4] is supported"},
    {"NoProjection",
     [](auto& b) {
       b.op(0).inputs[5] = b.op(0).inputs[1];
       for (const int k : {6, 7, 8}) b.op(0).inputs[static_cast<size_t>(k)] = b.op(0).inputs[2];
     },
     "3 cells, 4 results and no projection"},
    {"StateOfAnotherShape",
     [](auto& b) {
       b.tensor("cell").shape = {1, 3};
     },
     "states of shapes [2, 3] and [1, 3], [2, 3] and [2, 3] are needed"},
    {"StateIsNoVariable", [](auto& b) { b.tensor("cell").is_variable = false; },
     "'cell' is no variable"},
    {"Int16", [](auto& b) { b.tensor("x").type = T::Type::INT16; },
     "input tensor 0 'x' is INT16, its weights are FLOAT32"},
};
class TfliteBadLstm : public testing::TestWithParam<Bad> {};

TEST_P(TfliteBadLstm, IsNamed) {
  Lstm layer;
  TfliteBuilder& b = layer.Build();
  GetParam().spoil(b);
  const auto graph = ImportModel(b.Bytes(), "m.tflite");
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message.find(GetParam().message), std::string::npos)
      << graph.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, TfliteBadLstm, testing::ValuesIn(kBadLstms),
                         [](const auto& param) { return param.param.name; });

const Bad kBadInt8[] = {
    {"CellOfInt8", [](auto& b) { b.tensor("in19").type = T::Type::INT8; },
     "state tensor 14 'in19' is INT8; INT16 is supported"},
    {"CellScale", [](auto& b) { b.quant("in19").scale = {0.0003f}; },
     "has scale 0.0003000000142492354 and zero point 0; 2^-15 to 2^-9 and 0 are supported"},
    {"WeightsWithAZeroPoint", [](auto& b) { b.quant("in2").zero_point = {1}; },
     "weights tensor 2 'in2' have zero point 1; 0 is supported"},
    {"HugeFactor", [](auto& b) { b.quant("in2").scale = {1e9f}; }, "leave 32 bits"},
    {"BiasOfInt8", [](auto& b) { b.op(0).inputs[12] = b.Find("hole"); },
     "bias tensor 17 'hole' is INT16; INT32 is supported"},
    {"Projection", [](auto& b) { b.op(0).inputs[16] = b.Find("in5"); }, "a projection of int8"},
    {"Peephole", [](auto& b) { b.op(0).inputs[10] = b.Find("in13"); },
     "peephole tensor 10 'in13' is INT32 of shape [2]; constants INT16 of shape [2] are supported"},
    {"NoIntermediate", [](auto& b) { b.op(0).intermediates.clear(); }, "intermediate 4 is missing"},
};
TfliteBuilder Int8Layer() {
  TfliteBuilder b;
  b.Int8("x", {1, 2, 3}, 0.05f, 0);
  std::vector<std::string> inputs{"x"};
  for (int k = 1; k < 20; ++k) {
    const std::string name = fmt::format("in{}", k);
    if (k < 5) {
      b.Constant(name, {2, 3}, T::Type::INT8, T::Count<int8_t>(6), {0.01f});
    } else if (k < 9) {
      b.Constant(name, {2, 2}, T::Type::INT8, T::Count<int8_t>(4), {0.01f});
    } else if (k >= 12 && k < 16) {
      b.Constant(name, {2}, T::Type::INT32, T::Count<int32_t>(2), {0.0005f});
    } else if (k == 18) {
      b.Int8(name, {1, 2}, 0.0078125f, 0);
    } else if (k == 19) {
      b.Tensor(name, {1, 2}, T::Type::INT16);
      b.SetQuant(name, {std::ldexp(1.0f, -12)}, {0}, 0);
    } else {
      inputs.push_back("");
      continue;
    }
    inputs.push_back(name);
  }
  inputs.insert(inputs.end(), 4, "");
  for (const char* name : {"in18", "in19"}) b.tensor(name).is_variable = true;
  b.Int8("y", {1, 2, 2}, 0.0078125f, 0);
  tfl::UnidirectionalSequenceLSTMOptionsT options;
  options.fused_activation_function = tfl::ActivationFunctionType::TANH;
  b.Op(Builtin::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {"y"}, options);
  b.Int8("between", {0}, 0.0078125f, 0);
  b.op(0).intermediates.assign(5, b.Find("between"));
  b.Constant("hole", {2}, T::Type::INT16, T::Count<int16_t>(2), {0.00003f});
  b.Input("x");
  b.Output("y");
  return b;
}
class TfliteBadInt8Lstm : public testing::TestWithParam<Bad> {};

TEST_P(TfliteBadInt8Lstm, IsNamed) {
  ImportGood(Int8Layer());
  TfliteBuilder b = Int8Layer();
  GetParam().spoil(b);
  const auto graph = ImportModel(b.Bytes(), "m.tflite");
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message.find(GetParam().message), std::string::npos)
      << graph.error().message;
}
INSTANTIATE_TEST_SUITE_P(All, TfliteBadInt8Lstm, testing::ValuesIn(kBadInt8),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tessera::tflite_states_test
