// SPDX-License-Identifier: Apache-2.0
//
// What is tested: random small networks give the same bytes with several items in progress at a
// time as with one, on the functional simulator and on the cycle model, and the cycle model takes
// the same cycles for each item. Space: Generate(seed) for 20 seeds on configuration default, seven
// items of random values each, two and three in progress. Not tested here: the values (agree_test),
// the order of tasks (tests/runtime/flow_test.cc).
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "compiler/driver/compile.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"
#include "tests/networks/build.h"
#include "tests/networks/generate.h"

namespace tessera::networks::pipeline_test {
namespace {

constexpr int64_t kItems = 7;

Result<std::shared_ptr<const artifact::Artifact>> Compiled(uint64_t seed) {
  TESSERA_ASSIGN(const graph::Graph graph, BuildGraph(Generate(seed)));
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig("default"));
  options.config.cpu.clock_mhz = 1;  // so that the accelerator keeps what it can run
  options.cpu = false;
  options.host_effort = codegen::HostEffort::kLeast;
  TESSERA_ASSIGN(compiler::Compiled compiled, compiler::Compile(graph, "network", 0, options));
  return std::make_shared<const artifact::Artifact>(std::move(compiled.artifact));
}

std::vector<HostTensor> Items(const artifact::Artifact& net, uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<HostTensor> items;
  for (const artifact::TensorInfo& input : net.inputs) {
    std::vector<int64_t> shape = ItemShape(input.shape);
    shape.insert(shape.begin(), kItems);
    items.push_back(HostTensor::Zeros(input.dtype, std::move(shape)));
    for (uint8_t& byte : items.back().bytes) byte = static_cast<uint8_t>(rng());
  }
  return items;
}

TEST(Pipeline, RandomNetworksGiveTheSameBytesAndCycles) {
  int mixed = 0, programs = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto net = Compiled(seed);
    ASSERT_TRUE(net) << "seed " << seed << ": " << net.error().message;
    if ((*net)->programs.empty()) continue;
    const std::vector<HostTensor> items = Items(**net, seed);
    programs = std::max(programs, static_cast<int>((*net)->programs.size()));
    for (const std::string name : {"func", "cycle"}) {
      const auto device = OpenDevice(name, *isa::LoadConfig("default"));
      ASSERT_TRUE(device) << device.error().message;
      ExecutionReport one;
      std::vector<HostTensor> want;
      for (const int in_flight : {1, 2, 3}) {
        SCOPED_TRACE(::testing::Message()
                     << "seed " << seed << ", " << name << ", " << in_flight << " in progress");
        const auto executor =
            Executor::Open(*net, "device", device->get(), {.in_flight = in_flight});
        ASSERT_TRUE(executor) << executor.error().message;
        ExecutionReport report;
        const auto out = (*executor)->Run(items, &report);
        ASSERT_TRUE(out) << out.error().message;
        if (in_flight == 1) {
          want = *out, one = report;
          continue;
        }
        mixed += (*executor)->in_flight() > 1;
        for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ((*out)[k].bytes, want[k].bytes) << k;
        EXPECT_EQ(report.Cycles(), one.Cycles());
        ASSERT_EQ(report.runs.size(), one.runs.size());
        for (size_t r = 0; r < one.runs.size(); ++r)
          EXPECT_EQ(report.runs[r].program, one.runs[r].program);
      }
    }
  }
  EXPECT_GT(mixed, 30);
  EXPECT_GT(programs, 1);
}

}  // namespace
}  // namespace tessera::networks::pipeline_test
