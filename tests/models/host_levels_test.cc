// SPDX-License-Identifier: Apache-2.0
//
// What is tested: a whole network's host code gives the same integers with any number of threads
// and on every CPU level that this machine runs, from one artifact for all levels and from one
// artifact for each level with that level's schedules. Space: fashion_int8, four random images. Not
// tested here: single expressions on levels of other machines (tests/compiler/llvm), the results
// themselves (mlperf_*).
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "base/rng.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "runtime/executor/executor.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/threads.h"

namespace tessera::test::host_levels_test {
namespace {

using artifact::Artifact;

std::vector<std::string> Levels() {
  std::vector<std::string> levels = CpuLevels();
  std::erase(levels, "x86-64");  // v2 is the compiler's lowest level
  return levels;
}

Result<std::shared_ptr<const Artifact>> Network(const std::vector<std::string>& levels) {
  const std::string path = "models/fashion/fashion_int8.onnx";
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path));
  compiler::CompileOptions options;
  options.device = false;
  options.cpu_levels = levels;
  TESSERA_ASSIGN(compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), path, 0, options));
  return std::make_shared<const Artifact>(std::move(compiled.artifact));
}

HostTensor Images(const Artifact& artifact) {
  std::vector<int64_t> shape = artifact.inputs[0].shape;
  shape[0] = 4;
  HostTensor images = HostTensor::Zeros(DType::kFloat32, shape);
  Rng rng(11);
  for (float& pixel : images.as<float>()) pixel = static_cast<float>(rng.Unit());
  return images;
}

// The bytes of the results.
std::vector<uint8_t> Results(const std::shared_ptr<const Artifact>& artifact,
                             const ExecutorOptions& options) {
  const auto executor = Executor::Open(artifact, "cpu", nullptr, options);
  EXPECT_TRUE(executor) << executor.error().message;
  if (!executor) return {};
  EXPECT_TRUE(options.cpu_level.empty() || (*executor)->cpu_level() == options.cpu_level);
  const auto out = (*executor)->Run({{Images(*artifact)}});
  EXPECT_TRUE(out) << out.error().message;
  if (!out) return {};
  const auto results = (*out)[0].as<float>();
  EXPECT_GT(std::ranges::max(results), std::ranges::min(results));
  const auto* bytes = reinterpret_cast<const uint8_t*>(results.data());
  return {bytes, bytes + results.size_bytes()};
}

TEST(HostNetwork, IsTheSameByEveryLevelAndNumberOfThreads) {
  const std::vector<std::string> levels = Levels();
  ASSERT_FALSE(levels.empty());
  const auto all = Network(levels);
  ASSERT_TRUE(all) << all.error().message;
  const std::vector<uint8_t> results = Results(*all, {});
  ASSERT_FALSE(results.empty());
  for (const std::string& level : levels) {
    SCOPED_TRACE(level);
    const auto one = Network({level});
    ASSERT_TRUE(one) << one.error().message;
    for (int threads = 1; threads <= std::min(2, AllowedProcessors()); ++threads) {
      SCOPED_TRACE(threads);
      EXPECT_EQ(Results(*all, {.cpu_level = level, .threads = threads}), results);
      EXPECT_EQ(Results(*one, {.cpu_level = level, .threads = threads}), results);
    }
  }
}

}  // namespace
}  // namespace tessera::test::host_levels_test
