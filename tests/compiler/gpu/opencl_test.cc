// SPDX-License-Identifier: Apache-2.0
//
// What is tested: OpenCL C on the driver of this machine (PoCL in the packages that are set up)
// against te::Evaluate, bit for bit. Space: random expressions under random schedules and under the
// generator's, integer and float operations by name with operands at the ends of their types. Not
// here: operators of graphs (opencl_ops_test), whole networks (tests/tools).
#include "compiler/codegen/opencl/opencl.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/ir/print.h"
#include "compiler/schedule/gpu.h"
#include "tests/compiler/gpu/random_gpu.h"
#include "tests/compiler/gpu/run_opencl.h"
#include "tests/compiler/lower/random_te.h"
#include "tests/compiler/lower/window_te.h"

namespace tessera::codegen {
namespace {

// One program of many expressions: the driver takes most of its time by the program.
struct OpenClCase {
  uint64_t seed = 0;
  te::Tensor out;
  schedule::Schedule schedule;
  lower::KernelFunc func;
  te::Values values;
};

void ExpectExact(std::vector<OpenClCase>& cases) {
  std::vector<lower::GpuKernel> kernels;
  for (const OpenClCase& c : cases)
    kernels.insert(kernels.end(), c.func.kernels.begin(), c.func.kernels.end());
  const std::string source = OpenClSource(kernels);
  const auto device = OpenOpenClDevice();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  const Status built = (*device)->Build(source);
  ASSERT_TRUE(built.has_value()) << built.error().message << "\n" << source;
  for (OpenClCase& c : cases) {
    SCOPED_TRACE(::testing::Message() << "seed " << c.seed << "\n"
                                      << te::Print({c.out}) << schedule::Print(c.schedule.trace()));
    std::vector<ir::Array> arrays = test::Arguments(c.func.loops, c.schedule, c.values);
    const Status ran = test::RunOnDevice(**device, c.func, arrays);
    ASSERT_TRUE(ran.has_value()) << ran.error().message;
    ASSERT_EQ(test::Logical(c.func.loops, c.schedule, arrays.size() - 1, arrays),
              c.values.at(c.out.get()).bytes())
        << OpenClSource(c.func.kernels);
  }
}

// Adds |out| under |schedule|, unless it does not lower.
void Add(uint64_t seed, const te::Tensor& out, const schedule::Schedule& schedule, Rng& rng,
         std::vector<OpenClCase>* cases) {
  Result<lower::KernelFunc> f = lower::LowerKernels(schedule, "f" + std::to_string(cases->size()));
  if (!f) return;  // counted by kernels_test
  te::Values values = test::RandomInputs(out, rng);
  ASSERT_TRUE(te::Evaluate({out}, &values).has_value());
  cases->push_back({seed, out, schedule, std::move(*f), std::move(values)});
}

class OpenClRandom : public ::testing::TestWithParam<uint64_t> {};

TEST_P(OpenClRandom, MatchesTheDefinition) {
  std::vector<OpenClCase> cases;
  for (uint64_t i = 0; cases.size() < 12; ++i) {
    const uint64_t seed = GetParam() * 1000 + i;
    Rng rng(seed);
    const te::Tensor out = test::RandomExpression(rng);
    if (i % 4 == 0) {
      const Result<schedule::Schedule> s = schedule::GpuSchedule({out});
      ASSERT_TRUE(s.has_value()) << s.error().message;
      ASSERT_NO_FATAL_FAILURE(Add(seed, out, *s, rng, &cases));
    } else {
      ASSERT_NO_FATAL_FAILURE(Add(seed, out, test::RandomGpuSchedule(out, rng), rng, &cases));
    }
  }
  ExpectExact(cases);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OpenClRandom, ::testing::Range<uint64_t>(0, 2));

}  // namespace
}  // namespace tessera::codegen
