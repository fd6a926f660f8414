// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/mixed_model.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/compiler/import/tflite_builder.h"

namespace tessera::test {

using Builtin = TfliteBuilder::Builtin;
using Type = TfliteBuilder::Type;

std::string WriteMixedModel(const std::string& path) {
  TfliteBuilder b;
  b.Int8("x", {1, 8, 6, 16}, 0.05f, 3);
  b.Int8("first", {1, 8, 6, 16}, 0.1f, -5);
  b.Int8("turned", {1, 6, 8, 16}, 0.1f, -5);
  b.Int8("second", {1, 6, 8, 16}, 0.2f, 7);
  for (const auto& [weights, bias, scale] : {std::tuple{"w1", "b1", 0.05f}, {"w2", "b2", 0.1f}}) {
    b.Constant(weights, {16, 3, 3, 16}, Type::INT8, TfliteBuilder::Count<int8_t>(16 * 9 * 16),
               {0.01f});
    b.Constant(bias, {16}, Type::INT32, TfliteBuilder::Count<int32_t>(16), {scale * 0.01f});
  }
  b.Constant("perm", {4}, Type::INT32, std::vector<int32_t>{0, 2, 1, 3});
  const auto options = ConvOptions(tfl::Padding::SAME, 1, 1, tfl::ActivationFunctionType::NONE);
  b.Op(Builtin::CONV_2D, {"x", "w1", "b1"}, {"first"}, options);
  b.Op(Builtin::TRANSPOSE, {"first", "perm"}, {"turned"});
  b.Op(Builtin::CONV_2D, {"turned", "w2", "b2"}, {"second"}, options);
  b.Input("x");
  b.Output("second");
  EXPECT_TRUE(WriteFile(path, b.Bytes()));
  return path;
}

}  // namespace tessera::test
