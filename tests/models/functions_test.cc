// SPDX-License-Identifier: Apache-2.0
//
// What is tested: functions of one int8 value have the integers of TFLite's reference kernels and
// of ONNX Runtime for all 256 values: by the definitions of the operators, in the table that one
// operator has or that several become, and as the functional simulator runs them. Space:
// tests/data/functions, written by models/functions/make.py: every such function that the importers
// read, each with 33 scales and zero points; the simulator runs one of them, or as many as
// TESSERA_FUNCTIONS says. This file lists the
// functions whose integers differ, with the number of values and the reason, those that are no
// tables, and those that the accelerator does not take; each list fails where it is too long. Not
// tested here: scales that an importer refuses (tests/compiler/import), the RTL (tests/networks).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "compiler/graph/example.h"
#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"
#include "compiler/import/import.h"
#include "compiler/network/simplify.h"
#include "compiler/quantize/params.h"
#include "isa/config.h"
#include "tests/models/packed_json.h"
#include "tests/networks/agree.h"

namespace tessera::test::functions_test {
namespace {

using graph::Graph;
using graph::Node;
using Bytes = std::vector<uint8_t>;

constexpr size_t kValues = 256;

// Of the 33 * 256 values of a function, those that differ from the kernel's, each by 1.
const std::map<std::string, size_t> kOther = {
    // Tessera multiplies by factors of 31 bits; ONNX Runtime rounds the operand, the sum and the
    // quotient to float32. A result near a tie may fall to either side.
    {"onnx Add", 21},
    {"onnx Clip", 3},
    {"onnx Clip 0 6", 1},
    {"onnx Relu", 9},
    // exp(x) - 1 of |x| < 0.001: ONNX Runtime subtracts in float32 and loses digits.
    {"onnx Celu 1.5", 5},
    {"onnx Elu 0.7", 3},
};
// Functions that are no tables: integers by multiplications, as the kernels of TFLite have them.
const std::set<std::string> kNoTable = {
    "onnx Clip",   "onnx Clip 0 6", "onnx Relu",          "tflite QUANTIZE",
    "tflite RELU", "tflite RELU6",  "tflite RELU_0_TO_1", "tflite RELU_N1_TO_1",
};
// Operators that become tables and that no file has in int8. FoldTables makes `table`. The importer
// refuses TFLite's int8 kernels of the others.
const std::set<std::string> kNotInFiles = {"table", "square", "rsqrt"};

// "onnx Abs" and the like to its line of the file.
const std::map<std::string, nlohmann::json>& Cases() {
  static const auto cases = [] {
    std::map<std::string, nlohmann::json> all;
    for (const std::string format : {"onnx", "tflite"}) {
      const auto file = ReadPackedJson("tests/data/functions/" + format + ".json.gz").value();
      for (const auto& one : file.at("cases"))
        all[format + " " + one.at("name").get<std::string>()] = one;
    }
    return all;
  }();
  return cases;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, one] : Cases()) names.push_back(name);
  return names;
}

Graph Imported(const std::string& name) {
  const Bytes bytes = FromHex(Cases().at(name).at("model").get<std::string>()).value();
  const Result<Graph> graph = ImportModel(bytes, name);
  EXPECT_TRUE(graph) << graph.error().message;
  return graph ? *graph : Graph{};
}

// What the kernels gave for the values -128 to 127 of branch |k|.
Bytes ResultsOf(const std::string& name, size_t k) {
  return FromHex(Cases().at(name).at("results").at(k).get<std::string>()).value();
}

std::map<graph::TensorId, Bytes> EveryValue(const Graph& graph) {
  std::map<graph::TensorId, Bytes> inputs;
  for (const graph::TensorId id : graph.inputs) {
    for (size_t q = 0; q < kValues; ++q) inputs[id].push_back(static_cast<uint8_t>(q ^ 128));
  }
  return inputs;
}

// The results of |graph| by definition, which index k of a graph's outputs has.
std::vector<Bytes> Defined(const Graph& graph) {
  const auto values = networks::Define(graph, EveryValue(graph));
  EXPECT_TRUE(values) << values.error().message;
  std::vector<Bytes> results;
  if (!values) return results;
  for (const graph::TensorId id : graph.outputs)
    results.push_back(values->at(graph.tensor(id).name));
  return results;
}

// Of each function, on the simulator: $TESSERA_FUNCTIONS, or one.
size_t BranchesToRun() {
  const char* given = std::getenv("TESSERA_FUNCTIONS");
  return given == nullptr ? 1 : static_cast<size_t>(std::max(1, std::atoi(given)));
}

class FunctionsTest : public testing::TestWithParam<std::string> {};

TEST_P(FunctionsTest, DefinitionsHaveTheKernelsIntegers) {
  const Graph graph = Imported(GetParam());
  const std::vector<Bytes> have = Defined(graph);
  ASSERT_EQ(have.size(), Cases().at(GetParam()).at("results").size());
  size_t other = 0;
  for (size_t k = 0; k < have.size(); ++k) {
    const Bytes want = ResultsOf(GetParam(), k);
    ASSERT_EQ(have[k].size(), kValues);
    ASSERT_EQ(want.size(), kValues);
    for (size_t q = 0; q < kValues; ++q) {
      const int step = static_cast<int8_t>(have[k][q]) - static_cast<int8_t>(want[q]);
      EXPECT_LE(std::abs(step), 1) << "branch " << k << ", value " << static_cast<int>(q) - 128;
      other += step != 0;
    }
  }
  const auto listed = kOther.find(GetParam());
  EXPECT_EQ(other, listed == kOther.end() ? 0 : listed->second);
}

TEST_P(FunctionsTest, TablesHaveTheSameIntegers) {
  Graph graph = Imported(GetParam());
  const std::vector<Bytes> want = Defined(graph);
  ASSERT_TRUE(quantize::AttachRequant(graph));
  const isa::Config config = isa::LoadConfig("default").value();
  network::Simplify(graph, &config);
  size_t tables = 0;
  for (size_t k = 0; k < want.size(); ++k) {
    const Node& node = graph.nodes[graph.ProducerOf(graph.outputs[k]).value()];
    if (!node.requant || node.requant->table.empty()) continue;
    EXPECT_EQ(node.inputs, std::vector{graph.inputs[k]}) << "branch " << k;
    const std::vector<int16_t>& table = node.requant->table;
    ASSERT_EQ(table.size(), kValues);
    for (size_t q = 0; q < kValues; ++q)
      EXPECT_EQ(table[q], static_cast<int8_t>(want[k][q])) << "branch " << k << ", entry " << q;
    ++tables;
  }
  EXPECT_EQ(tables, kNoTable.contains(GetParam()) ? 0 : want.size());
}

TEST_P(FunctionsTest, TheSimulatorHasTheSameIntegers) {
  const Graph whole = Imported(GetParam());
  const auto number = static_cast<size_t>(std::distance(Cases().begin(), Cases().find(GetParam())));
  for (size_t k = 0; k < BranchesToRun(); ++k) {
    const size_t branch = (number + k) % whole.outputs.size();
    SCOPED_TRACE(branch);
    Graph graph = whole;
    graph.outputs = {graph.outputs[branch]};
    graph.inputs = {graph.inputs[branch]};
    graph::RemoveDead(graph);
    const networks::Outcome outcome =
        networks::RunGraph(graph, EveryValue(graph), {.devices = {"func"}, .observe = {false}});
    EXPECT_EQ(outcome.broken + outcome.refused, "");
    EXPECT_EQ(outcome.difference, "");
    EXPECT_GT(outcome.programs, 0);
  }
}

// The operators that give a table for an int8 operand, by their own examples.
std::set<std::string> OperatorsWithTables() {
  std::set<std::string> names;
  for (size_t number = 0; number < graph::AllOps().size(); ++number) {
    const auto op = static_cast<graph::Op>(number);
    const graph::OpDef& def = graph::DefOf(op);
    if (def.least > 1 || def.requant == nullptr) continue;
    Graph graph;
    const graph::Quant quant{{0.05}, {3}, -1};
    const graph::TensorId x = graph.AddTensor(
        {.name = "x", .dtype = DType::kInt8, .shape = {1, 4, 8, 8}, .quant = quant});
    graph::Example example{graph, [](int64_t least, int64_t) { return least; },
                           [&](bool) { return x; }};
    example.node = {.op = op, .name = "example", .inputs = {x}};
    if (!graph::Complete(example, quant)) continue;
    graph::Node node = example.node;
    if (quantize::AttachRequant(graph, node) && node.requant &&
        node.requant->table.size() == kValues)
      names.insert(std::string(def.name));
  }
  return names;
}

TEST(FunctionsOfFiles, EveryOperatorWithATableIsHere) {
  std::set<std::string> here;
  for (const auto& [name, one] : Cases()) {
    for (const Node& node : Imported(name).nodes) here.insert(std::string(graph::Text(node.op)));
  }
  const std::set<std::string> tables = OperatorsWithTables();
  EXPECT_GT(tables.size(), 35u);
  for (const std::string& name : tables)
    EXPECT_NE(here.contains(name), kNotInFiles.contains(name)) << name;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, FunctionsTest, testing::ValuesIn(Names()), TestName);

}  // namespace
}  // namespace tessera::test::functions_test
