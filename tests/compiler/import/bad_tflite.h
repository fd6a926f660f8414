// SPDX-License-Identifier: Apache-2.0
//
// A good TFLite model, and the kind of test that spoils one thing in it.
#ifndef TESSERA_TESTS_COMPILER_IMPORT_BAD_TFLITE_H_
#define TESSERA_TESTS_COMPILER_IMPORT_BAD_TFLITE_H_

#include <gtest/gtest.h>

#include <functional>

#include "compiler/import/tflite.h"
#include "tests/compiler/import/tflite_builder.h"

namespace tessera {

using T = TfliteBuilder;

// x [1, 6, 6, 4] through an operator of nearly every kind to y [2, 5] of float32. Tensors are named
// by the operator that makes them.
inline TfliteBuilder GoodTflite() {
  using enum tfl::Padding;
  using Fused = tfl::ActivationFunctionType;
  using Op = T::Builtin;
  TfliteBuilder b;
  b.Int8("x", {1, 6, 6, 4}, 0.5f, 3);
  b.Constant("cw", {8, 3, 3, 4}, T::Type::INT8, T::Count<int8_t>(288),
             {0.01f, 0.02f, 0.03f, 0.04f, 0.05f, 0.06f, 0.07f, 0.08f});
  b.Constant("cb", {8}, T::Type::INT32, T::Count<int32_t>(8),
             {0.005f, 0.01f, 0.015f, 0.02f, 0.025f, 0.03f, 0.035f, 0.04f});
  b.Int8("conv", {1, 3, 3, 8}, 0.25f, -100);
  b.Op(Op::CONV_2D, {"x", "cw", "cb"}, {"conv"}, ConvOptions(SAME, 2, 2, Fused::RELU6));
  b.Constant("dw", {1, 3, 3, 16}, T::Type::INT8, T::Count<int8_t>(144), {0.02f});
  b.Int8("depthwise", {1, 3, 3, 16}, 0.125f, 7);
  b.Op(Op::DEPTHWISE_CONV_2D, {"conv", "dw"}, {"depthwise"},
       DepthwiseOptions(SAME, 1, 1, 2, Fused::NONE));
  b.Constant("k", {16}, T::Type::INT8, T::Count<int8_t>(16), {0.5f});
  b.Int8("add", {1, 3, 3, 16}, 0.25f, -3);
  b.Op(Op::ADD, {"depthwise", "k"}, {"add"}, tfl::AddOptionsT{});
  b.Constant("pads", {4, 2}, T::Type::INT32, std::vector<int32_t>{0, 0, 1, 0, 0, 1, 0, 0});
  b.Int8("pad", {1, 4, 4, 16}, 0.25f, -3);
  b.Op(Op::PAD, {"add", "pads"}, {"pad"});
  b.Int8("max", {1, 3, 3, 16}, 0.25f, -3);
  b.Op(Op::MAX_POOL_2D, {"pad"}, {"max"}, PoolOptions(VALID, 1, 2, 2, Fused::RELU));
  b.Int8("average", {1, 2, 2, 16}, 0.25f, -3);
  b.Op(Op::AVERAGE_POOL_2D, {"max"}, {"average"}, PoolOptions(VALID, 1, 2, 2));
  b.Int8("concat", {1, 2, 2, 32}, 0.25f, -3);
  tfl::ConcatenationOptionsT concat;
  concat.axis = -1;
  b.Op(Op::CONCATENATION, {"average", "average"}, {"concat"}, concat);
  b.Constant("perm", {4}, T::Type::INT32, std::vector<int32_t>{0, 2, 1, 3});
  b.Int8("transpose", {1, 2, 2, 32}, 0.25f, -3);
  b.Op(Op::TRANSPOSE, {"concat", "perm"}, {"transpose"});
  b.Constant("axes", {2}, T::Type::INT32, std::vector<int32_t>{1, 2});
  b.Int8("mean", {1, 32}, 0.25f, -3);
  b.Op(Op::MEAN, {"transpose", "axes"}, {"mean"}, tfl::ReducerOptionsT{});
  b.Constant("shape", {2}, T::Type::INT32, std::vector<int32_t>{2, -1});
  b.Int8("reshape", {2, 16}, 0.25f, -3);
  b.Op(Op::RESHAPE, {"mean", "shape"}, {"reshape"});
  b.Constant("fw", {5, 16}, T::Type::INT8, T::Count<int8_t>(80), {0.5f});
  b.Constant("fb", {5}, T::Type::INT32, T::Count<int32_t>(5), {0.125f});
  b.Int8("dense", {2, 5}, 0.5f, 12);
  b.Op(Op::FULLY_CONNECTED, {"reshape", "fw", "fb"}, {"dense"}, tfl::FullyConnectedOptionsT{});
  b.Int8("softmax", {2, 5}, 1.0f / 256, -128);
  tfl::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  b.Op(Op::SOFTMAX, {"dense"}, {"softmax"}, softmax);
  b.Tensor("y", {2, 5}, T::Type::FLOAT32);
  b.Op(Op::DEQUANTIZE, {"softmax"}, {"y"});
  b.Input("x");
  b.Output("y");
  return b;
}

// The operators of GoodTflite.
enum GoodOp : size_t {
  kConv,
  kDepthwise,
  kAdd,
  kPad,
  kMax,
  kAverage,
  kConcat,
  kTranspose,
  kMean,
  kReshape,
  kDense,
  kSoftmax,
  kDequantize
};

struct TfliteCase {
  const char* name;
  std::function<void(TfliteBuilder&)> spoil;
  const char* message;
  Code code = Code::kUnsupported;
};

inline void PrintTo(const TfliteCase& c, std::ostream* out) { *out << c.name; }

// Imports the good model, then the spoilt one, which must be refused in one line as |c| says.
inline void ExpectRefused(const TfliteCase& c) {
  TfliteBuilder b = GoodTflite();
  const auto good = ImportTflite(b.Bytes(), "m.tflite");
  ASSERT_TRUE(good) << good.error().message;
  c.spoil(b);
  const auto bad = ImportTflite(b.Bytes(), "m.tflite");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.find("m.tflite: "), 0u) << bad.error().message;
  EXPECT_NE(bad.error().message.find(c.message), std::string::npos) << bad.error().message;
  EXPECT_EQ(bad.error().message.find('\n'), std::string::npos) << bad.error().message;
  EXPECT_EQ(bad.error().code, c.code) << bad.error().message;
}

}  // namespace tessera

#endif  // TESSERA_TESTS_COMPILER_IMPORT_BAD_TFLITE_H_
