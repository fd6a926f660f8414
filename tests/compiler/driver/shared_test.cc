// SPDX-License-Identifier: Apache-2.0
//
// What is tested: in the plan of a network with a layer that both devices make, the host's part
// waits for no program, and the program of the other part not for it; no step joins the parts or
// cuts what they read. Space: a layer behind one of
// the accelerator, and one that reads the input. Not tested here: the integers
// (tests/networks/mixed_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/compile.h"
#include "runtime/executor/tasks.h"
#include "tests/compiler/accel/net.h"

namespace tessera::compiler::shared_test {
namespace {

using test::Net;
using test::Square;

// Whether tasks of one inference of |net|, placed by |pins|, can run on both devices at once.
bool Overlaps(Net& net, const network::Pins& pins) {
  CompileOptions options{.config = test::NamedConfig("default"), .cpu = false, .pins = pins};
  const auto compiled = Compile(net.graph(), "net", 0, options);
  EXPECT_TRUE(compiled) << compiled.error().message;
  if (!compiled) return false;
  const artifact::Artifact& made = compiled->artifact;
  const auto plan = std::ranges::find(made.plans, "device", &artifact::ExecutionPlan::name);
  const std::vector<PlanTask> tasks = TasksOf(made, *plan);
  return FlowOf(made, *plan, tasks, std::vector<uint32_t>{0, 1}, false).overlaps();
}

TEST(Shared, TheDevicesNeedNotWait) {
  Net net(1);
  net.Output(net.Conv(net.Conv(net.Input({1, 32, 12, 12}), 64, Square(3)), 64, Square(3)));
  const std::string first = net.graph().nodes[0].name, second = net.graph().nodes[1].name;
  EXPECT_FALSE(Overlaps(net, {}));
  EXPECT_FALSE(Overlaps(net, {{second, network::kHost}}));
  EXPECT_TRUE(Overlaps(net, {{first, network::kAccelerator, 32}}));
  EXPECT_TRUE(Overlaps(net, {{second, network::kAccelerator, 16}}));
  EXPECT_TRUE(Overlaps(net, {{first, network::kAccelerator, 0, 5}}));
  EXPECT_TRUE(Overlaps(net, {{second, network::kAccelerator, 0, 5}}));
}

// The layers that kernels of the host make in the plan of |net|, placed by |pins|.
std::vector<std::string> MadeByHost(Net& net, const network::Pins& pins) {
  CompileOptions options{.config = test::NamedConfig("default"), .cpu = false, .pins = pins};
  const auto compiled = Compile(net.graph(), "net", 0, options);
  EXPECT_TRUE(compiled) << compiled.error().message;
  std::vector<std::string> made;
  if (!compiled) return made;
  for (const artifact::PlanStep& step : compiled->artifact.plans[0].steps) {
    const auto* kernel = std::get_if<artifact::KernelStep>(&step);
    if (kernel != nullptr && kernel->layer >= 0)
      made.push_back(compiled->artifact.layers[static_cast<size_t>(kernel->layer)].name);
  }
  return made;
}

TEST(Shared, NoStepJoinsOrCuts) {
  Net net(2);
  const graph::TensorId x = net.Input({1, 32, 12, 12});
  net.Output(net.Conv(net.Conv(x, 32, Square(3), 32), 64, Square(3)));
  const std::string first = net.graph().nodes[0].name, second = net.graph().nodes[1].name;
  const std::vector<std::string> parts{first + ".host", second + ".host"};
  EXPECT_EQ(
      MadeByHost(net, {{first, network::kAccelerator, 0, 7}, {second, network::kAccelerator, 32}}),
      parts);
  EXPECT_EQ(MadeByHost(
                net, {{first, network::kAccelerator, 0, 3}, {second, network::kAccelerator, 0, 5}}),
            parts);
}

}  // namespace
}  // namespace tessera::compiler::shared_test
