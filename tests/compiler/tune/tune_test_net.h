// SPDX-License-Identifier: Apache-2.0
//
// A small network, compiled for a small machine, for the tests of searches.
#ifndef TESSERA_TESTS_COMPILER_TUNE_TUNE_TEST_NET_H_
#define TESSERA_TESTS_COMPILER_TUNE_TUNE_TEST_NET_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "compiler/driver/compile.h"
#include "compiler/tune/layer_space.h"
#include "compiler/tune/task.h"
#include "tests/compiler/accel/net.h"

namespace tessera::test {

// Two equal convolutions, one with stride, a depthwise one, a product behind them.
inline graph::Graph TuneGraph() {
  Net net(5);
  const graph::TensorId x = net.Input({1, 16, 12, 12});
  const graph::TensorId a = net.Conv(x, 16, Square(3));
  const graph::TensorId b = net.Conv(a, 16, Square(3));
  const graph::TensorId c = net.Conv(b, 16, Square(3));
  const graph::TensorId d = net.Conv(c, 32, Square(3, 2));
  const graph::TensorId e = net.Conv(d, 32, Square(3), 32);
  net.Output(net.Conv(e, 10, {.kernel = {6, 6}}));
  return net.graph();
}

inline std::vector<compiler::PlannedProgram> TunePrograms(const isa::Config& config,
                                                          graph::Graph graph = TuneGraph()) {
  compiler::CompileOptions options;
  options.config = config;
  options.cpu = false;
  auto compiled = compiler::Compile(std::move(graph), "net", 1, options);
  EXPECT_TRUE(compiled) << compiled.error().message;
  return compiled ? std::move(compiled->programs) : std::vector<compiler::PlannedProgram>();
}

inline std::vector<tune::Task> TuneTasks(const isa::Config& config,
                                         graph::Graph graph = TuneGraph()) {
  auto tasks = tune::TasksOf(TunePrograms(config, std::move(graph)), config);
  EXPECT_TRUE(tasks) << tasks.error().message;
  return tasks ? std::move(*tasks) : std::vector<tune::Task>();
}

// The layers of the network on the host.
inline std::vector<tune::Task> HostTasks() {
  compiler::CompileOptions options;
  options.config = NamedConfig("tiny");
  options.device = false;
  options.layers_only = true;
  auto compiled = compiler::Compile(TuneGraph(), "net", 1, options);
  EXPECT_TRUE(compiled) << compiled.error().message;
  auto tasks = tune::TasksOf(compiled->host_layers);
  EXPECT_TRUE(tasks) << tasks.error().message;
  return tasks ? std::move(*tasks) : std::vector<tune::Task>();
}

// The space of a layer's task.
inline tune::LayerSpace& LayerOf(const tune::Task& task) {
  return dynamic_cast<tune::LayerSpace&>(*task.space);
}

// A point of |task| beside the given one.
inline tune::Point OtherPoint(const tune::Task& task) {
  Rng rng(3);
  const auto other = task.space->Mutated(task.space->given(), rng);
  EXPECT_TRUE(other);
  return other.value_or(task.space->given());
}

// The schedule that the network has for the layer of |task|.
inline schedule::Trace TraceOf(const tune::Task& task) {
  for (size_t r = 0; r < task.part.regions.size(); ++r) {
    if (task.part.regions[r].op == task.name) return task.part.traces[r];
  }
  ADD_FAILURE() << task.name;
  return {};
}

}  // namespace tessera::test

#endif  // TESSERA_TESTS_COMPILER_TUNE_TUNE_TEST_NET_H_
