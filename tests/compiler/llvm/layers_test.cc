// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the schedules of bench/layers, on smaller layers of their form, give
// te::Evaluate's values by the interpreter and as host code of every level that has their
// instructions. Values are such that sums of float32 are exact, so that one rounding or two do not
// matter. Not tested here: their speed (bench/host_layers).
#include <gtest/gtest.h>

#include <cstring>

#include "base/file.h"
#include "base/rng.h"
#include "bench/layers/layer.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/interp.h"
#include "compiler/lower/lower.h"
#include "compiler/target/host_level.h"
#include "tests/compiler/llvm/run_kernel.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::codegen::layers_test {
namespace {

class BenchLayers : public ::testing::TestWithParam<bool> {};  // in int8

// Sums of 32 x 9 products of numbers up to 127 are below 2^24.
te::Values SmallInputs(const te::Tensor& y) {
  Rng rng(8);
  te::Values values = test::RandomInputs(y, rng);
  for (auto& [tensor, array] : values) {
    if (array.dtype() != DType::kFloat32) continue;
    for (int64_t i = 0; i < array.size(); ++i) {
      const auto n = static_cast<float>(rng.Range(-127, 127));
      const auto factor = static_cast<float>(rng.Range(2000, 9000));
      array.SetFloat(i, tensor->name == "factor" ? 1.0f / factor : n / 64);
    }
  }
  return values;
}

TEST_P(BenchLayers, GiveTheDefinitionsValues) {
  const bool int8 = GetParam();
  const auto text = ReadFile("bench/layers/" + bench::ScheduleFile(int8));
  ASSERT_TRUE(text) << text.error().message;
  const auto trace = schedule::ParseTrace({text->begin(), text->end()});
  ASSERT_TRUE(trace) << trace.error().message;
  const te::Tensor y = bench::Layer({"small", 32, 14}, int8);
  const auto s = schedule::Schedule::Replay({y}, *trace, target::Host());
  ASSERT_TRUE(s) << s.error().message;
  te::Values values = SmallInputs(y);
  ASSERT_TRUE(te::Evaluate({y}, &values));
  const std::vector<uint8_t>& want = values.at(y.get()).bytes();
  const auto func = lower::Lower(*s, "layer");
  ASSERT_TRUE(func) << func.error().message;
  const std::vector<ir::Array> given = test::Arguments(*func, *s, values);
  std::vector<ir::Array> arrays = given;
  std::vector<ir::Array*> pointers;
  for (ir::Array& a : arrays) pointers.push_back(&a);
  ASSERT_TRUE(ir::Interpret(*func, pointers));
  EXPECT_EQ(test::Logical(*func, *s, given.size() - 1, arrays), want);
  for (const std::string& level : test::TestedDotLevels()) {
    SCOPED_TRACE(level);
    if (!int8 && !target::FindHostLevel(level)->units.fma) continue;
    const auto object = CompileObject({&*func, 1}, level);
    ASSERT_TRUE(object) << object.error().message;
    std::vector<std::vector<uint8_t>> buffers;
    for (const ir::Array& a : given) buffers.emplace_back(a.bytes().begin(), a.bytes().end());
    buffers.emplace_back(static_cast<size_t>(ScratchBytes(*func)));
    const Status ran = test::RunKernel(level, *object, "layer", buffers);
    ASSERT_TRUE(ran) << ran.error().message;
    arrays = given;
    std::memcpy(arrays.back().data(), buffers[given.size() - 1].data(),
                buffers[given.size() - 1].size());
    EXPECT_EQ(test::Logical(*func, *s, given.size() - 1, arrays), want);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, BenchLayers, ::testing::Bool(),
                         [](const auto& type) { return type.param ? "int8" : "fp32"; });

}  // namespace
}  // namespace tessera::codegen::layers_test
