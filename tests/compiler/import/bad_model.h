// SPDX-License-Identifier: Apache-2.0
//
// A good model, and the kind of test that spoils one thing in it.
#ifndef TESSERA_TESTS_COMPILER_IMPORT_BAD_MODEL_H_
#define TESSERA_TESTS_COMPILER_IMPORT_BAD_MODEL_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "compiler/import/onnx.h"
#include "tests/compiler/import/model_builder.h"

namespace tessera {

using B = ModelBuilder;

inline std::vector<int> Count(size_t n) {
  std::vector<int> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i % 7) - 3;
  return values;
}

// x [N, 2, 6, 6] -> conv 3x3 to 4 channels, relu -> max pool 2x2 -> flatten -> gemm to 3 -> y.
inline ModelBuilder Good() {
  ModelBuilder b;
  b.Input("x", {-1, 2, 6, 6});
  b.Output("y");
  b.Qdq("x", "xq", 0.5f, 3);
  b.Weights("w", {4, 2, 3, 3}, Count(72), {0.1f, 0.2f, 0.3f, 0.4f});
  b.Bias("b", {1, 2, 3, 4}, {0.05f, 0.1f, 0.15f, 0.2f});
  B::Attr(b.Node("Conv", {"xq", "w", "b"}, {"c"}, "conv"), "kernel_shape", B::Dims{3, 3});
  b.Node("Relu", {"c"}, {"r"}, "relu");
  b.Qdq("r", "rq", 0.25f, -5);
  onnx::NodeProto& pool = b.Node("MaxPool", {"rq"}, {"p"}, "pool");
  B::Attr(pool, "kernel_shape", B::Dims{2, 2});
  B::Attr(pool, "strides", B::Dims{2, 2});
  b.Node("Flatten", {"p"}, {"f"}, "flatten");
  b.Weights("v", {3, 16}, Count(48), {0.01f});
  b.Bias("d", {1, 2, 3}, {0.0025f});
  B::Attr(b.Node("Gemm", {"f", "v", "d"}, {"g"}, "gemm"), "transB", int64_t{1});
  b.Qdq("g", "y", 0.125f, 0);
  return b;
}

struct Case {
  const char* name;
  std::function<void(ModelBuilder&)> spoil;
  const char* message;
  Code code = Code::kUnsupported;
};
inline constexpr Code kInvalid = Code::kInvalidArgument;
inline constexpr Code kRange = Code::kOutOfRange;

inline void Remove(ModelBuilder& b, const std::string& name) {
  auto& nodes = *b.graph().mutable_node();
  for (int i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name() == name) return (void)nodes.erase(nodes.begin() + i);
  }
  FAIL() << name;
}
inline auto& Dim(ModelBuilder& b, int axis) {
  return *b.graph()
              .mutable_input(0)
              ->mutable_type()
              ->mutable_tensor_type()
              ->mutable_shape()
              ->mutable_dim(axis);
}
inline void Resize(onnx::TensorProto& t, const B::Dims& dims, size_t count) {
  t.clear_dims();
  for (const int64_t d : dims) t.add_dims(d);
  t.clear_int32_data();
  for (size_t i = 0; i < count; ++i) t.add_int32_data(1);
}
inline void SetInts(onnx::NodeProto& n, const std::string& name, const B::Dims& values) {
  for (auto& a : *n.mutable_attribute()) {
    if (a.name() != name) continue;
    a.clear_ints();
    for (const int64_t v : values) a.add_ints(v);
    return;
  }
  B::Attr(n, name, values);
}

// Imports the good model, then the spoilt one, which must be refused as |c| says.
inline void ExpectRefused(const Case& c) {
  ModelBuilder b = Good();
  const auto good = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_TRUE(good) << good.error().message;
  c.spoil(b);
  const auto bad = ImportOnnx(b.Bytes(), "m.onnx");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.find("m.onnx: "), 0u) << bad.error().message;
  EXPECT_NE(bad.error().message.find(c.message), std::string::npos) << bad.error().message;
  EXPECT_EQ(bad.error().code, c.code) << bad.error().message;
}

}  // namespace tessera

#endif  // TESSERA_TESTS_COMPILER_IMPORT_BAD_MODEL_H_
