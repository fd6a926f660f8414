// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the executor refuses to open a network whose program, weights and activations do
// not fit a device's memory; the error gives the bytes wanted and the bytes free. Space: one
// network, sizes around what it needs. Not tested here: scratchpads that are too small
// (tests/compiler/accel/refuse_test.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/file.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"

namespace tessera::test::memory_test {
namespace {

Status OpenWith(uint64_t memory_bytes) {
  const std::string path = "tests/data/tflite_ops/conv_2d_00.tflite";
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path));
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig("default"));
  options.cpu = false;
  TESSERA_ASSIGN(compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), path, 0, options));
  const auto artifact = std::make_shared<const artifact::Artifact>(std::move(compiled.artifact));
  TESSERA_ASSIGN(const std::unique_ptr<Device> device,
                 OpenDevice("func", options.config, {.memory_bytes = memory_bytes}));
  TESSERA_ASSIGN(const std::unique_ptr<Executor> executor,
                 Executor::Open(artifact, "device", device.get()));
  return {};
}

TEST(DeviceMemory, AModelThatIsLargerIsRefused) {
  const Status enough = OpenWith(uint64_t{1} << 20);
  ASSERT_TRUE(enough) << enough.error().message;
  const Status small = OpenWith(1024);
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, Code::kOutOfRange);
  EXPECT_THAT(small.error().message, ::testing::HasSubstr("free"));
  EXPECT_EQ(small.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tessera::test::memory_test
