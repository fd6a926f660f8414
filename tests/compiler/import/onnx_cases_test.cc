// SPDX-License-Identifier: Apache-2.0
//
// ONNX's own test cases (Debian's libonnx-testdata: a model, its inputs and what it must give) for
// every operator that is accepted, within ONNX's usual tolerance: 1e-7 + 1e-3 of the value. Space:
// the folders node, simple, pytorch-operator and pytorch-converted. A case that is refused since an
// input says what a shape is gets all inputs but the first as constants. With TESSERA_ONNX_CASES
// set it prints what became of each. Not here: host code, which has the same bits as the definition
// that runs here (tests/compiler/region/float_test.cc); the folder real, whose models are not in
// the package.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
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
#include "runtime/tensor/tensor.h"
#include "tests/compiler/graph_eval.h"

namespace tessera::onnx_cases_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "/usr/share/libonnx-testdata/data";
// Cases that ran when this was written: fewer means that something accepted was lost.
constexpr int kLeastRan = 711;
// What these say is of a result whose extent is not whole; ONNX Runtime, whose integers Resize has
// (models/onnx_resize), leaves them out too.
const std::set<std::string> kOtherwise = {"test_resize_downsample_scales_cubic_align_corners",
                                          "test_resize_downsample_scales_linear_align_corners"};

std::optional<onnx::TensorProto> ReadTensor(const fs::path& path) {
  const auto bytes = ReadFile(path.string());
  onnx::TensorProto proto;
  if (!bytes || !proto.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
    return std::nullopt;
  return proto;
}

template <typename T, typename List>
std::vector<uint8_t> BytesOf(const List& list) {
  return Bytes(std::vector<T>(list.begin(), list.end()));
}

// |proto| as the graph has it; nothing: of a type that it lacks.
std::optional<HostTensor> TensorOf(const onnx::TensorProto& proto) {
  HostTensor made;
  made.shape.assign(proto.dims().begin(), proto.dims().end());
  switch (proto.data_type()) {
    case onnx::TensorProto::FLOAT:
      made.dtype = DType::kFloat32;
      made.bytes = BytesOf<float>(proto.float_data());
      break;
    case onnx::TensorProto::FLOAT16:
      made.dtype = DType::kFloat16;
      made.bytes = BytesOf<uint16_t>(proto.int32_data());
      break;
    case onnx::TensorProto::INT64:
      made.dtype = DType::kInt64;
      made.bytes = BytesOf<int64_t>(proto.int64_data());
      break;
    case onnx::TensorProto::INT32:
      made.dtype = DType::kInt32;
      made.bytes = BytesOf<int32_t>(proto.int32_data());
      break;
    case onnx::TensorProto::INT16:
      made.dtype = DType::kInt16;
      made.bytes = BytesOf<int16_t>(proto.int32_data());
      break;
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      made.dtype = proto.data_type() == onnx::TensorProto::INT8    ? DType::kInt8
                   : proto.data_type() == onnx::TensorProto::UINT8 ? DType::kUint8
                                                                   : DType::kBool;
      made.bytes = BytesOf<uint8_t>(proto.int32_data());
      break;
    default:
      return std::nullopt;
  }
  if (proto.has_raw_data()) made.bytes = {proto.raw_data().begin(), proto.raw_data().end()};
  return made;
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

// Element |i| as a number.
double At(const ir::Array& array, int64_t i) {
  return IsFloat(array.dtype()) ? static_cast<double>(array.Float(i))
                                : static_cast<double>(array.Int(i));
}

// |values| of shape |shape| without the rows of -1 at the end: NonMaxSuppression gives as many rows
// as there may be.
void DropUnused(std::vector<uint8_t>& values, std::vector<int64_t>& shape) {
  const std::vector<uint8_t> none(static_cast<size_t>(8 * shape[1]), 0xff);
  while (shape[0] > 0 && std::equal(none.rbegin(), none.rend(), values.rbegin())) {
    values.resize(values.size() - none.size());
    --shape[0];
  }
}

// What |folder| gives by the file's inputs |given|; those behind the first are constants where
// |parameters|.
Outcome RunWith(const std::vector<uint8_t>& bytes, const fs::path& data,
                const std::vector<std::pair<std::string, HostTensor>>& given, bool parameters) {
  ImportOptions options;
  for (size_t k = 0; k < given.size(); ++k) {
    options.shapes[given[k].first] = given[k].second.shape;
    if (parameters && k > 0) options.known.insert(given[k]);
  }
  auto imported = ImportOnnx(bytes, "case", options);
  if (!imported) return {Reason(imported.error().message), ""};
  graph::Graph& g = *imported;
  graph::Simplify(g);
  TensorBytes values;
  for (const graph::TensorId id : g.inputs) {
    const auto from =
        std::ranges::find(given, g.tensor(id).name, &std::pair<std::string, HostTensor>::first);
    if (from == given.end()) return {"", "an input of another name"};
    values[id] = from->second.bytes;
    if (static_cast<int64_t>(values[id].size()) !=
        g.tensor(id).count() * SizeOf(g.tensor(id).dtype))
      return {"", "input of another size"};
  }
  if (const Status s = quantize::AttachRequant(g); !s) return {s.error().message, ""};
  RunRegions(g, values);
  if (::testing::Test::HasFatalFailure()) return {"", "did not run"};
  for (size_t k = 0; k < g.outputs.size(); ++k) {
    const auto proto = ReadTensor(data / fmt::format("output_{}.pb", k));
    const auto want = proto ? TensorOf(*proto) : std::nullopt;
    if (!want) return {"", "no result given"};
    graph::GraphTensor t = g.tensor(g.outputs[k]);
    if (data.string().find("nonmaxsuppression") != std::string::npos)
      DropUnused(values.at(g.outputs[k]), t.shape);
    if (t.shape != want->shape) return {"", "a result of another shape"};
    if (t.dtype != want->dtype) return {"", "a result of another type"};
    const ir::Array have(t.dtype, values.at(g.outputs[k])), ideal(t.dtype, want->bytes);
    if (have.size() != ideal.size()) return {"", "a result of another size"};
    for (int64_t i = 0; i < have.size(); ++i) {
      const double h = At(have, i), w = At(ideal, i);
      const bool both_none = std::isnan(h) && std::isnan(w);
      if (!both_none && !(h == w || std::abs(h - w) <= 1e-7 + 1e-3 * std::abs(w)))
        return {"", fmt::format("element {} of result {} is {}, {} is right", i, k, h, w)};
    }
  }
  return {};
}

Outcome RunCase(const fs::path& folder) {
  const auto bytes = ReadFile((folder / "model.onnx").string());
  onnx::ModelProto model;
  if (!bytes || !model.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
    return {"unreadable", ""};
  const fs::path data = folder / "test_data_set_0";
  // Inputs of the data set are those that have no initializer.
  std::set<std::string> known;
  for (const auto& t : model.graph().initializer()) known.insert(t.name());
  std::vector<std::pair<std::string, HostTensor>> given;
  for (const auto& input : model.graph().input()) {
    if (known.contains(input.name())) continue;
    const auto proto = ReadTensor(data / fmt::format("input_{}.pb", given.size()));
    const auto tensor = proto ? TensorOf(*proto) : std::nullopt;
    if (!tensor) return {"inputs of types that graphs lack", ""};
    given.emplace_back(input.name(), *tensor);
  }
  Outcome outcome = RunWith(*bytes, data, given, false);
  if (!outcome.refused.empty() && given.size() > 1) outcome = RunWith(*bytes, data, given, true);
  return outcome;
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
      if (std::getenv("TESSERA_ONNX_CASES"))
        std::printf("%s: %s%s\n", path.filename().c_str(), outcome.refused.c_str(),
                    outcome.wrong.c_str());
      ASSERT_FALSE(HasFatalFailure());
      ++all;
      if (kOtherwise.contains(path.filename().string())) {
        EXPECT_NE(outcome.wrong, "") << "it agrees: take it off the list";
        continue;
      }
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
}  // namespace tessera::onnx_cases_test
