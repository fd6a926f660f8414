// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/accel/steps_run.h"

#include <gtest/gtest.h>

#include "compiler/driver/run_func.h"
#include "compiler/ir/print.h"
#include "compiler/lower/lower.h"
#include "compiler/target/accelerator.h"
#include "sim/func/func_device.h"
#include "tests/compiler/lower/random_te.h"

namespace tessera::test {

void ExpectExact(const te::Tensor& y, const std::string& steps, const isa::Config& config,
                 Rng& rng) {
  const auto device = sim::MakeFuncDevice(config, {});
  ASSERT_TRUE(device);
  ExpectExactOn(**device, y, steps, rng);
}

uint64_t ExpectExactOn(Device& device, const te::Tensor& y, const std::string& steps, Rng& rng) {
  const auto trace = schedule::ParseTrace(steps);
  EXPECT_TRUE(trace) << trace.error().message;
  if (!trace) return 0;
  const auto s = schedule::Schedule::Replay({y}, *trace, target::Accelerator(device.config()));
  EXPECT_TRUE(s) << s.error().message;
  if (!s) return 0;
  te::Values values = RandomInputs(y, rng);
  std::vector<std::vector<uint8_t>> inputs;
  for (const te::Tensor& t : te::TopologicalOrder({y})) {
    if (!t->placeholder) continue;
    // Values that fit a record's fields.
    ir::Array& value = values.at(t.get());
    for (int64_t k = 0; k < value.size(); ++k) {
      if (t.name() == "multiplier") value.SetInt(k, rng.Range(1 << 30, 0x7fffffff));
      if (t.name() == "shift") value.SetInt(k, rng.Range(-14, -8));
      if (t.name() == "bias") value.SetInt(k, rng.Range(-100000, 100000));
    }
    inputs.push_back(value.bytes());
  }
  EXPECT_TRUE(te::Evaluate({y}, &values));
  const auto run = compiler::RunScheduled(*s, device, inputs);
  EXPECT_TRUE(run) << run.error().message;
  if (!run) return 0;
  EXPECT_EQ(run->output, values.at(y.get()).bytes())
      << ir::Print(*lower::Lower(*s, "f", {.guards = false}));
  return run->report.cycles;
}

}  // namespace tessera::test
