// SPDX-License-Identifier: Apache-2.0
//
// What is tested: programs of the accelerator that come from schedules in steps: a matrix product
// with its operands in inp and wgt, sums in acc, requantised into out, and a window with pads;
// the program computes what the definition says, the static checker accepts it. Space: random sizes
// and tiles on both configurations. Not tested here: regions (region_test).
#include <gtest/gtest.h>

#include "compiler/driver/run_func.h"
#include "compiler/driver/schedule_examples.h"
#include "compiler/ir/intrin.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/target/accelerator.h"
#include "sim/func/func_device.h"
#include "tests/compiler/accel/net.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::test {
namespace {

// The program of |steps| computes |y|.
void ExpectExact(const te::Tensor& y, const std::string& steps, const isa::Config& config,
                 Rng& rng) {
  const auto trace = schedule::ParseTrace(steps);
  ASSERT_TRUE(trace) << trace.error().message;
  const auto s = schedule::Schedule::Replay({y}, *trace, target::Accelerator(config));
  ASSERT_TRUE(s) << s.error().message;
  te::Values values = RandomInputs(y, rng);
  ASSERT_TRUE(te::Evaluate({y}, &values));
  const auto device = sim::MakeFuncDevice(config, {});
  ASSERT_TRUE(device);
  std::vector<std::vector<uint8_t>> inputs;
  for (const te::Tensor& t : te::TopologicalOrder({y})) {
    if (t->placeholder) inputs.push_back(values.at(t.get()).bytes());
  }
  const auto run = compiler::RunScheduled(*s, **device, inputs);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->output, values.at(y.get()).bytes())
      << ir::Print(*lower::Lower(*s, "f", {.guards = false}));
}

TEST(AcceleratorSteps, AMatrixProductIsExact) {
  for (const char* name : {"default", "tiny"}) {
    const isa::Config config = NamedConfig(name);
    const int64_t b = config.batch, o = config.block_out;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      const int64_t rows = b * rng.Range(1, 4), columns = o * rng.Range(1, 2),
                    depth = o * rng.Range(1, 3);
      const te::Tensor y = compiler::ProductExample(
          rows * rng.Range(1, 3), columns * rng.Range(1, 3), depth * rng.Range(1, 3));
      ExpectExact(y, compiler::ProductSteps(config, rows, columns, depth, rng.OneIn(2)), config,
                  rng);
    }
  }
}

TEST(AcceleratorSteps, AWindowWithPadsIsExact) {
  for (const char* name : {"default", "tiny"}) {
    const isa::Config config = NamedConfig(name);
    if (config.batch != 1) continue;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      compiler::WindowShape v{.channels = config.block_in * rng.Range(1, 2),
                              .outs = config.block_out * rng.Range(1, 2),
                              .height = rng.Range(5, 9),
                              .width = rng.Range(5, 9),
                              .taps = rng.OneIn(3) ? 1 : 3,
                              .stride = rng.Range(1, 2),
                              .pad = rng.Range(0, 1),
                              .value = rng.Range(-128, 127)};
      const auto divisor = [&](int64_t n) {
        int64_t d = rng.Range(1, n);
        while (n % d != 0) --d;
        return d;
      };
      ExpectExact(compiler::WindowExample(v),
                  compiler::WindowSteps(config, {.rows = divisor(v.out(v.height)),
                                                 .columns = divisor(v.out(v.width)),
                                                 .blocks = divisor(v.outs / config.block_out),
                                                 .depth = divisor(v.channels / config.block_in),
                                                 .channels_inside = rng.OneIn(2),
                                                 .weights_stay = rng.OneIn(2)}),
                  config, rng);
    }
  }
}

}  // namespace
}  // namespace tessera::test
