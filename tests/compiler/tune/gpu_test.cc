// SPDX-License-Identifier: Apache-2.0
//
// What is tested: searches for layers on a GPU, here the OpenCL device of this machine. Tasks:
// layers that differ, with the device's name in their keys. Measuring: the given point and others
// have times by the device's clock and the results of the interpreter; a candidate that crashes is
// a failed trial, and the device works afterwards. Records: their text, and their use by layers.
// Space: a small network. Not tested here: CUDA, whose driver this machine lacks (its clock:
// tests/runtime/gpu); how fast anything is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/tune/select.h"
#include "compiler/tune/time_measure.h"
#include "compiler/tune/timed_layer.h"
#include "tests/compiler/tune/tune_test_net.h"

namespace tessera::tune::gpu_test {
namespace {

using test::OtherPoint;
using ::testing::HasSubstr;

std::vector<compiler::PlannedGpuLayer> GpuLayers(bool cuda = false) {
  compiler::CompileOptions options;
  options.config = test::NamedConfig("tiny");
  options.cpu = options.device = false;
  options.opencl = !cuda;
  options.cuda = cuda;
  options.layers_only = true;
  auto compiled = compiler::Compile(test::TuneGraph(), "net", 1, options);
  EXPECT_TRUE(compiled) << compiled.error().message;
  return compiled ? std::move(compiled->gpu_layers) : std::vector<compiler::PlannedGpuLayer>();
}

std::vector<Task> GpuTasks() {
  auto tasks = TasksOf(GpuLayers());
  EXPECT_TRUE(tasks) << tasks.error().message;
  return tasks ? std::move(*tasks) : std::vector<Task>();
}

int64_t CountWithChoice(const std::vector<compiler::PlannedGpuLayer>& layers) {
  return std::ranges::count_if(layers, [](const compiler::PlannedGpuLayer& layer) {
    const auto space = SpaceOf(layer);
    EXPECT_TRUE(space) << space.error().message;
    return space && space->HasChoice();
  });
}

TEST(GpuTasks, AreLayersThatDiffer) {
  const auto device = GpuDeviceName(artifact::DeviceKind::kOpenCl);
  ASSERT_TRUE(device) << device.error().message;
  const std::vector<compiler::PlannedGpuLayer> layers = GpuLayers();
  ASSERT_EQ(layers.size(), 6u);
  const std::vector<Task> tasks = GpuTasks();
  int64_t weight = 0;
  for (const Task& task : tasks) {
    weight += task.weight;
    EXPECT_EQ(task.key.target, "opencl");
    EXPECT_EQ(task.key.processor, *device);
    ASSERT_NE(task.gpu, nullptr);
    EXPECT_EQ(task.host, nullptr);
    for (const Task& other : tasks) EXPECT_EQ(task.key == other.key, &task == &other);
  }
  EXPECT_EQ(weight, CountWithChoice(layers));
  EXPECT_LT(std::ssize(tasks), weight) << "two layers are equal";
  const std::vector<compiler::PlannedGpuLayer> cuda = GpuLayers(/*cuda=*/true);
  ASSERT_EQ(cuda.size(), 6u);
  EXPECT_EQ(KeyOf(cuda[0]).target, "cuda");
  EXPECT_NE(KeyOf(cuda[0]), tasks[0].key);
}

TEST(GpuMeasurer, HasTimesAndTheResultsOfTheInterpreter) {
  TimeMeasurer measurer;
  for (const Task& task : GpuTasks()) {
    SCOPED_TRACE(task.name);
    std::vector<Point> points{task.space->given()};  // and of the other sketches
    while (const auto next = task.space->Moved(points.back(), 0, 1)) {
      if (task.space->knobs()[0].name != kSketchKnob) break;
      points.push_back(*next);
    }
    points.push_back(OtherPoint(task));
    for (const Point& point : points) {
      const Measured measured = measurer.Measure(task, point);
      ASSERT_TRUE(measured) << measured.error().message;
      EXPECT_GT(*measured, 0u);
      const auto confirmed = measurer.Interpret(task, point);
      ASSERT_TRUE(confirmed) << confirmed.error().message;
      EXPECT_TRUE(*confirmed) << "these layers are small";
    }
  }
}

TEST(GpuMeasurer, CrashesAreFailedTrials) {
  static const schedule::Trace given = GpuLayers()[0].trace;
  TimeMeasureOptions options;
  options.stand_ins.compiling = [](const schedule::Trace& trace) {
    if (trace != given) std::abort();
  };
  const std::vector<Task> tasks = GpuTasks();
  TimeMeasurer measurer(options);
  EXPECT_TRUE(measurer.Measure(tasks[0], tasks[0].space->given()));
  const Measured failed = measurer.Measure(tasks[0], OtherPoint(tasks[0]));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().cause, kCrashed);
  EXPECT_THAT(failed.error().message, HasSubstr("ended by signal 6"));
  EXPECT_TRUE(measurer.Measure(tasks[0], tasks[0].space->given()));
}

TEST(GpuRecords, AreUsedByTheirLayersOnTheirDevice) {
  const std::vector<compiler::PlannedGpuLayer> layers = GpuLayers();
  RecordSet records, others;
  for (const Task& task : GpuTasks()) {
    Record record = RecordOf(task, {OtherPoint(task), 5, "", ""});
    const std::string line = Print(record);
    EXPECT_THAT(line, HasSubstr("\"ns\":5"));
    const auto read = ParseRecord(line);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->key, record.key);
    records.Add(record);
    record.key.processor = "another";
    others.Add(record);
  }
  const std::vector<LayerRecord> found = ApplyRecords(layers, records, 1);
  EXPECT_EQ(std::ssize(found), CountWithChoice(layers));
  for (const LayerRecord& layer : found) {
    ASSERT_NE(layer.record, nullptr) << layer.name;
    EXPECT_FALSE(layer.generated);
    const auto candidate = compiler::Evaluate(layers[layer.region].layer, layer.trace);
    EXPECT_TRUE(candidate) << candidate.error().message;
  }
  for (const LayerRecord& layer : ApplyRecords(layers, others, 1)) {
    EXPECT_EQ(layer.record, nullptr);
    EXPECT_NE(layer.another, nullptr);
  }
}

}  // namespace
}  // namespace tessera::tune::gpu_test
