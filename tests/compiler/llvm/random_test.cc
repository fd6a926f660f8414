// SPDX-License-Identifier: Apache-2.0
//
// What is tested: host code against te::Evaluate, at the levels that this machine runs, and at
// those of boards under qemu-user. Space: 40
// random expressions under random schedules, 20 under the host's, and the named windows. Not tested
// here: the loader's refusals (tests/runtime).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "compiler/codegen/llvm/llvm.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/host.h"
#include "tests/compiler/llvm/run_kernel.h"
#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::codegen {
namespace {

void ExpectExact(const schedule::Schedule& s, const ir::Func& func, const te::Tensor& out,
                 const te::Values& values, const std::string& level) {
  const Result<std::vector<uint8_t>> object = CompileObject({&func, 1}, level);
  ASSERT_TRUE(object.has_value()) << object.error().message;
  std::vector<ir::Array> arrays = test::Arguments(func, s, values);
  std::vector<std::vector<uint8_t>> buffers;
  for (const ir::Array& a : arrays) buffers.emplace_back(a.bytes().begin(), a.bytes().end());
  buffers.emplace_back(static_cast<size_t>(ScratchBytes(func)));
  const Status ran = test::RunKernel(level, *object, func.name, buffers);
  ASSERT_TRUE(ran) << level << ": " << ran.error().message;
  const std::vector<uint8_t>& result = buffers[arrays.size() - 1];
  std::memcpy(arrays.back().data(), result.data(), result.size());
  ASSERT_EQ(test::Logical(func, s, arrays.size() - 1, arrays), values.at(out.get()).bytes())
      << level << "\n"
      << ir::Print(func);
}

void ExpectExact(const schedule::Schedule& s, const te::Tensor& out, Rng& rng,
                 const std::vector<std::string>& levels) {
  SCOPED_TRACE(te::Print({out}) + schedule::Print(s.trace()));
  const Result<ir::Func> func = lower::Lower(s, "kernel");
  if (!func) return;  // counted by tests/compiler/lower
  te::Values values = test::RandomInputs(out, rng);
  ASSERT_TRUE(te::Evaluate({out}, &values));
  for (const std::string& level : levels)
    ASSERT_NO_FATAL_FAILURE(ExpectExact(s, *func, out, values, level));
}

class LlvmRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(LlvmRandom, MatchesTheDefinition) {
  const std::vector<std::string> levels = test::TestedLevels();
  ASSERT_FALSE(levels.empty());
  for (uint64_t i = 0; i < 6; ++i) {
    const uint64_t seed = GetParam() * 1000 + i;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const te::Tensor out = test::RandomExpression(rng);
    const std::vector<std::string> level{levels[(GetParam() + i) % levels.size()]};
    if (i % 3 == 0) {
      const Result<schedule::Schedule> s = schedule::HostSchedule({out});
      ASSERT_TRUE(s.has_value());
      ASSERT_NO_FATAL_FAILURE(ExpectExact(*s, out, rng, level));
    } else {
      ASSERT_NO_FATAL_FAILURE(ExpectExact(
          test::RandomSchedule(out, static_cast<int>(rng.Range(0, 20)), rng), out, rng, level));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LlvmRandom, ::testing::Range<uint64_t>(0, 10));

class LlvmWindows : public ::testing::TestWithParam<test::WindowShape> {};

TEST_P(LlvmWindows, AreExactOnTheFirstAndTheLastLevel) {
  Rng rng(5);
  const te::Tensor out = test::WindowExpression(GetParam());
  const Result<schedule::Schedule> s = schedule::HostSchedule({out});
  ASSERT_TRUE(s.has_value());
  const std::vector<std::string> levels = test::TestedLevels();
  ASSERT_NO_FATAL_FAILURE(ExpectExact(*s, out, rng, {levels.front(), levels.back()}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, LlvmWindows, ::testing::ValuesIn(test::WindowShapes()),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace tessera::codegen
