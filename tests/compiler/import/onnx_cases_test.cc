// SPDX-License-Identifier: Apache-2.0
//
// ONNX's own test cases (Debian's libonnx-testdata: a model, its inputs and what it must give) for
// every operator that is accepted, within ONNX's usual tolerance: 1e-7 + 1e-3 of the value. Space:
// the folders node, simple, pytorch-operator and pytorch-converted. A case whose parameters
// (weights, bounds, shapes) are inputs of the model gets them as constants. Not here: host code,
// which has the same bits as the definition that runs here (tests/compiler/te_ops/float_test.cc);
// the folder real, whose models are not in the package.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

#include "base/file.h"
#include "compiler/graph/op_def.h"
#include "compiler/graph/passes.h"
#include "compiler/import/onnx.h"
#include "compiler/quantize/params.h"
#include "tests/compiler/graph_eval.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "/usr/share/libonnx-testdata/data";
// Cases that ran when this was written: fewer means that something accepted was lost.
constexpr int kLeastRan = 168;

// Operators whose inputs behind the first are tensors like it, not parameters.
const std::set<std::string> kSeveral = {"Add", "Sub", "Mul", "Concat"};

std::optional<onnx::TensorProto> ReadTensor(const fs::path& path) {
  const auto bytes = ReadFile(path.string());
  onnx::TensorProto proto;
  if (!bytes || !proto.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
    return std::nullopt;
  return proto;
}

// The elements of |proto|, of floats, as the graph has them.
std::vector<uint8_t> BytesOf(const onnx::TensorProto& proto) {
  if (proto.has_raw_data()) return {proto.raw_data().begin(), proto.raw_data().end()};
  if (proto.data_type() == onnx::TensorProto::FLOAT16) {
    std::vector<uint16_t> halves(proto.int32_data().begin(), proto.int32_data().end());
    return Bytes(halves);
  }
  return Bytes(std::vector<float>(proto.float_data().begin(), proto.float_data().end()));
}

struct Outcome {
  std::string refused;  // why, without names; empty: it ran
  std::string wrong;
};

// What of a message is the same for many cases.
std::string Reason(const std::string& message) {
  for (const char* known : {"its type is not float32",
                            "is not supported (supported:",
                            "it has no axes",
                            "sub-graphs",
                            "the model gives no shape",
                            "spatial axes; 1 and 2",
                            "training_mode",
                            "inputs are not supported",
                            "has no name",
                            "[N, C, H, W] or [N, C, L]",
                            "[N, C, H, W] is supported",
                            "average over a padded window",
                            "ceil_mode",
                            "the indices output",
                            "mode nearest at places",
                            "of scales and sizes are constants",
                            "is neither made by an operator",
                            "do not repeat",
                            "element type",
                            "to type",
                            "domain",
                            "has no graph",
                            "output_shape or auto_pad",
                            "alpha, beta",
                            "[N, I] is supported",
                            "axes are needed",
                            "biases of shape",
                            "is not known",
                            "groups; 1 is supported"}) {
    if (message.find(known) != std::string::npos) return known;
  }
  return message.substr(message.find(": ") + 2);
}

Outcome RunCase(const fs::path& folder) {
  const auto bytes = ReadFile((folder / "model.onnx").string());
  onnx::ModelProto model;
  if (!bytes || !model.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
    return {"unreadable", ""};
  const fs::path data = folder / "test_data_set_0";
  onnx::GraphProto& graph = *model.mutable_graph();
  // Inputs of the data set are those that have no initializer.
  std::set<std::string> known;
  for (const auto& t : graph.initializer()) known.insert(t.name());
  std::set<std::string> parameters;
  for (const onnx::NodeProto& n : graph.node()) {
    for (int i = 1; i < n.input_size() && !kSeveral.contains(n.op_type()); ++i)
      parameters.insert(n.input(i));
  }
  std::map<std::string, onnx::TensorProto> given;
  int at = 0;
  const auto inputs = graph.input();
  graph.clear_input();
  for (const auto& input : inputs) {
    if (known.contains(input.name())) continue;
    const auto tensor = ReadTensor(data / fmt::format("input_{}.pb", at++));
    if (!tensor) return {"inputs that are no tensors", ""};
    if (parameters.contains(input.name())) {
      *graph.add_initializer() = *tensor;
      graph.mutable_initializer(graph.initializer_size() - 1)->set_name(input.name());
    } else {
      *graph.add_input() = input;
      given[input.name()] = *tensor;
    }
  }
  const std::string text = model.SerializeAsString();
  auto imported = ImportOnnx({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "case");
  if (!imported) return {Reason(imported.error().message), ""};
  graph::Graph& g = *imported;
  std::vector<std::string> names;
  for (const graph::TensorId id : g.inputs) names.push_back(g.tensor(id).name);
  std::vector<std::string> results;
  for (const graph::TensorId id : g.outputs) results.push_back(g.tensor(id).name);
  graph::Simplify(g);
  TensorBytes values;
  for (const graph::TensorId id : g.inputs) {
    values[id] = BytesOf(given.at(g.tensor(id).name));
    if (static_cast<int64_t>(values[id].size()) !=
        g.tensor(id).count() * SizeOf(g.tensor(id).dtype))
      return {"", "input of another size"};
  }
  if (const Status s = quantize::AttachRequant(g); !s) return {s.error().message, ""};
  RunRegions(g, values);
  if (::testing::Test::HasFatalFailure()) return {"", "did not run"};
  for (size_t k = 0; k < g.outputs.size(); ++k) {
    const auto want = ReadTensor(data / fmt::format("output_{}.pb", k));
    if (!want) return {"", "no result given"};
    const graph::GraphTensor& t = g.tensor(g.outputs[k]);
    if (t.shape != graph::Shape(want->dims().begin(), want->dims().end()))
      return {"", "a result of another shape"};
    const ir::Array have(t.dtype, values.at(g.outputs[k])), ideal(t.dtype, BytesOf(*want));
    if (have.size() != ideal.size()) return {"", "a result of another size"};
    for (int64_t i = 0; i < have.size(); ++i) {
      const bool real = IsFloat(t.dtype);
      const auto h = real ? static_cast<double>(have.Float(i)) : static_cast<double>(have.Int(i));
      const auto w = real ? static_cast<double>(ideal.Float(i)) : static_cast<double>(ideal.Int(i));
      if (!(h == w || std::abs(h - w) <= 1e-7 + 1e-3 * std::abs(w)))
        return {"", fmt::format("element {} of result {} is {}, {} is right", i, k, h, w)};
    }
  }
  return {};
}

TEST(OnnxCases, WhatIsAcceptedGivesWhatOnnxSays) {
  if (!fs::exists(kFolder))
    GTEST_SKIP() << kFolder << " is not there; scripts/setup.sh installs it";
  std::map<std::string, int> refused;
  int ran = 0, all = 0;
  for (const char* part : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
    std::set<fs::path> cases;
    for (const auto& entry : fs::directory_iterator(fs::path(kFolder) / part))
      cases.insert(entry.path());
    for (const fs::path& path : cases) {
      SCOPED_TRACE(path.filename().string());
      const Outcome outcome = RunCase(path);
      ASSERT_FALSE(HasFatalFailure());
      ++all;
      EXPECT_EQ(outcome.wrong, "");
      if (outcome.refused.empty()) {
        ++ran;
      } else {
        ++refused[outcome.refused];
      }
    }
  }
  std::printf("%d of %d cases ran; of the others\n", ran, all);
  for (const auto& [why, count] : refused) std::printf("%6d  %s\n", count, why.c_str());
  EXPECT_GE(ran, kLeastRan);
}

}  // namespace
}  // namespace tessera
