// SPDX-License-Identifier: Apache-2.0
//
// What is tested: plans "opencl" and "cuda" of the committed network and of MLPerf Tiny's keyword
// spotting, on this machine's driver and on the stand-in for CUDA's, the committed one also on a
// GPU if there is one: every layer equals the host's, for CUDA by matrix fragments, with storage
// shared by lifetime and junk in unused storage; the file keeps the plan; a device that is missing;
// no kernel of these and of MLPerf Tiny's other networks leaves a tensor to one thread. Not here:
// the command (tests/tools).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "runtime/executor/executor.h"
#include "runtime/gpu/gpu_drivers.h"

namespace tessera::network_test {
namespace {

constexpr const char* kFashion = "models/fashion/fashion_int8.onnx";

// The path of |file|: in $TESSERA_MODELS, otherwise in ../shared/models.
std::string MlperfTiny(const std::string& file) {
  const char* const given = std::getenv("TESSERA_MODELS");
  return std::string(given != nullptr ? given : "../shared/models") + "/" + file;
}
std::string KeywordSpotting() { return MlperfTiny("kws_ref_model.tflite"); }

std::shared_ptr<const artifact::Artifact> Compiled(bool keep_tensors,
                                                   const std::string& model = kFashion) {
  const auto bytes = ReadFile(model);
  EXPECT_TRUE(bytes.has_value());
  auto graph = ImportModel(*bytes, model, {});
  EXPECT_TRUE(graph.has_value());
  if (!graph) return nullptr;
  compiler::CompileOptions options;
  options.device = false;
  options.opencl = options.cuda = true;
  options.keep_tensors = keep_tensors;
  auto compiled = compiler::Compile(std::move(*graph), model, 0, options);
  EXPECT_TRUE(compiled.has_value()) << compiled.error().message;
  if (!compiled) return nullptr;
  return std::make_shared<const artifact::Artifact>(std::move(compiled->artifact));
}

HostTensor RandomInput(const artifact::TensorInfo& info) {
  Rng rng(3);
  HostTensor x = HostTensor::Zeros(info.dtype, info.shape);
  for (int64_t i = 0; i < x.count(); ++i) {
    const float value = static_cast<float>(rng.Unit());
    if (info.dtype == DType::kFloat32) {
      std::memcpy(x.bytes.data() + 4 * i, &value, 4);
    } else {
      x.bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(rng.Next());
    }
  }
  return x;
}

void ExpectEveryLayer(const char* name, const std::string& model) {
  for (const bool keep : {true, false}) {
    const auto net = Compiled(keep, model);
    ASSERT_NE(net, nullptr);
    auto device = FindGpuDriver(name)->open();
    ASSERT_TRUE(device.has_value()) << device.error().message;
    ExecutorOptions options;
    options.poison_dead = true;
    auto host = Executor::Open(net, "cpu", nullptr, options);
    ASSERT_TRUE(host.has_value()) << host.error().message;
    options.kernel_device = device->get();
    auto gpu = Executor::Open(net, name, nullptr, options);
    ASSERT_TRUE(gpu.has_value()) << gpu.error().message;
    const HostTensor x = RandomInput(net->inputs[0]);
    for (int run = 0; run < 2 - keep; ++run) {
      const auto want = (*host)->Run({&x, 1}), got = (*gpu)->Run({&x, 1});
      ASSERT_TRUE(want.has_value()) << want.error().message;
      ASSERT_TRUE(got.has_value()) << got.error().message;
      EXPECT_EQ((*got)[0].bytes, (*want)[0].bytes) << keep;
    }
    for (uint32_t l = 0; keep && l < net->layers.size(); ++l) {
      const auto want = (*host)->CaptureLayer(l), got = (*gpu)->CaptureLayer(l);
      ASSERT_TRUE(want.has_value() && got.has_value());
      EXPECT_EQ(got->bytes, want->bytes) << net->layers[l].name;
    }
    for (const artifact::LayerPlace& place : (*gpu)->plan().layers)
      EXPECT_EQ(net->devices[place.device].name, name);
    // Contractions use matrix fragments where the target has them.
    for (const artifact::KernelSource& source : net->sources) {
      const bool fragments = source.text.find("mma.sync.aligned.m16n8k32") != std::string::npos;
      EXPECT_EQ(fragments, net->devices[source.device].kind == artifact::DeviceKind::kCuda);
    }
    const auto again = artifact::Parse(artifact::Serialize(*net));
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(*again, *net);
  }
}

class GpuNetwork : public ::testing::TestWithParam<const char*> {};

TEST_P(GpuNetwork, EveryLayerIsTheHosts) {
  setenv("TESSERA_CUDA_DRIVER", TESSERA_STAND_IN, 1);
  ExpectEveryLayer(GetParam(), kFashion);
}

TEST(GpuNetworkOnAGpu, EveryLayerIsTheHosts) {
  unsetenv("TESSERA_CUDA_DRIVER");
  const auto device = FindGpuDriver(kCuda)->open();
  if (!device) GTEST_SKIP() << device.error().message;
  ExpectEveryLayer(kCuda, kFashion);
}

TEST_P(GpuNetwork, AnotherNetworksToo) {
  setenv("TESSERA_CUDA_DRIVER", TESSERA_STAND_IN, 1);
  const std::string model = KeywordSpotting();
  if (!std::filesystem::exists(model))
    GTEST_SKIP() << "1 model not found: " << model << " (see models/mlperf_tiny/README.md)";
  ExpectEveryLayer(GetParam(), model);
}

TEST_P(GpuNetwork, NeedsADevice) {
  const auto executor = Executor::Open(Compiled(false), GetParam(), nullptr, {});
  ASSERT_FALSE(executor.has_value());
  EXPECT_EQ(executor.error().message, fmt::format("plan '{0}' needs a device for {0}", GetParam()));
}

// A kernel of one thread stores at most 64 elements of 4 bytes.
void ExpectThreads(const artifact::Artifact& net) {
  size_t kernels = 0;
  for (const artifact::ExecutionPlan& plan : net.plans) {
    for (const artifact::PlanStep& s : plan.steps) {
      const auto* const step = std::get_if<artifact::KernelStep>(&s);
      if (step == nullptr || step->device == artifact::kHostDevice) continue;
      const auto source =
          std::ranges::find(net.sources, step->device, &artifact::KernelSource::device);
      ASSERT_NE(source, net.sources.end());
      const auto kernel =
          std::ranges::find(source->kernels, step->symbol, &artifact::SourceKernel::name);
      ASSERT_NE(kernel, source->kernels.end());
      uint64_t threads = 1, bytes = 0;
      for (size_t d = 0; d < 3; ++d) threads *= kernel->groups[d] * kernel->threads[d];
      for (size_t b = step->result; b < step->buffers.size(); ++b)
        bytes += plan.buffers[step->buffers[b]].bytes;
      EXPECT_TRUE(threads > 1 || bytes <= 256)
          << plan.name << " " << step->symbol << ": one thread stores " << bytes << " bytes";
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 0u);
}

TEST(GpuKernelsOfNetworks, HaveThreads) {
  for (const char* model : {kFashion, "models/fashion/fashion.onnx"}) {
    const auto net = Compiled(false, model);
    ASSERT_NE(net, nullptr);
    ExpectThreads(*net);
  }
}

TEST(GpuKernelsOfNetworks, OfOthersHaveThreadsToo) {
  int missing = 0;
  for (const char* file : {"kws_ref_model.tflite", "pretrainedResnet_quant.tflite",
                           "vww_96_int8.tflite", "ad01_int8.tflite"}) {
    if (!std::filesystem::exists(MlperfTiny(file))) {
      ++missing;
      continue;
    }
    const auto net = Compiled(false, MlperfTiny(file));
    ASSERT_NE(net, nullptr);
    ExpectThreads(*net);
  }
  if (missing > 0)
    GTEST_SKIP() << missing << " models not found in " << MlperfTiny("")
                 << " (see models/mlperf_tiny/README.md)";
}

INSTANTIATE_TEST_SUITE_P(Devices, GpuNetwork, ::testing::Values("opencl", "cuda"),
                         [](const auto& named) { return std::string(named.param); });

}  // namespace
}  // namespace tessera::network_test
