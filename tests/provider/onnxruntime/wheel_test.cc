// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the provider in a stock ONNX Runtime, through the C interface that ort_abi.h
// declares. Space: the Fashion-MNIST network with both rules of `claim`, whose results must be the
// executor's, byte for byte, for one item and for three; a network with an operator that the
// compiler lacks, whose results must be those of ONNX Runtime alone; a batch beside values without
// one; contexts, embedded and in a
// file, also damaged ones; refusals that must reach the caller. Not tested here: other devices,
// profiles and other networks (provider_test.py), single operators (cases_test).
#include "tests/provider/onnxruntime/wheel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "compiler/driver/compile.h"
#include "compiler/import/onnx.h"
#include "compiler/import/onnx_write.h"
#include "provider/onnxruntime/context.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"
#include "tests/provider/onnxruntime/mixed_network.h"

namespace tessera::ort::wheel_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFashion = "models/fashion/fashion_int8.onnx";

// A folder that is removed at the end.
struct Folder {
  std::filesystem::path path;
  explicit Folder(const std::string& name)
      : path(std::filesystem::path(::testing::TempDir()) / name) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

HostTensor Random(std::vector<int64_t> shape) {
  Rng rng(11);
  HostTensor tensor = HostTensor::Zeros(DType::kFloat32, std::move(shape));
  for (float& value : tensor.as<float>()) value = static_cast<float>(rng.Range(-200, 200)) / 64;
  return tensor;
}

// The results of the model |path| from the compiler and the executor, without ONNX Runtime.
Result<std::vector<HostTensor>> Executed(const std::string& path, const HostTensor& input) {
  TESSERA_ASSIGN(graph::Graph graph, ImportOnnxFile(path));
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig("default"));
  TESSERA_ASSIGN(compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), path, 0, options));
  TESSERA_ASSIGN(const std::unique_ptr<Device> device, OpenDevice("func", options.config));
  TESSERA_ASSIGN(
      const auto executor,
      Executor::Open(std::make_shared<const artifact::Artifact>(std::move(compiled.artifact)),
                     "device", device.get()));
  return executor->Run(std::span(&input, 1));
}

class OnnxRuntime : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    wheel_ = Wheel::Get(&why);
    if (wheel_ == nullptr) GTEST_SKIP() << why;
  }

  Result<std::vector<HostTensor>> Run(const std::string& path, const HostTensor& input,
                                      const Wheel::Texts* options,
                                      const Wheel::Texts& entries = {}) const {
    TESSERA_ASSIGN(const Wheel::SessionPtr session, wheel_->Open(path, options, entries));
    return wheel_->Run(*session, std::span(&input, 1));
  }
  std::string Refused(const std::string& path, const Wheel::Texts& options,
                      const Wheel::Texts& entries = {}) const {
    const auto session = wheel_->Open(path, &options, entries);
    return session ? "" : session.error().message;
  }

  const Wheel* wheel_ = nullptr;
};

TEST_F(OnnxRuntime, TheNetworkGivesTheExecutorsBytes) {
  for (const int64_t items : {1, 3}) {
    const HostTensor input = Random({items, 1, 28, 28});
    const auto expected = Executed(kFashion, input);
    ASSERT_TRUE(expected) << expected.error().message;
    for (const char* claim : {"accelerator", "all"}) {
      const Wheel::Texts options{{"claim", claim}};
      const auto results = Run(kFashion, input, &options);
      ASSERT_TRUE(results) << results.error().message;
      EXPECT_EQ(*results, *expected) << items << " items, claim " << claim;
    }
  }
}

TEST_F(OnnxRuntime, PartsAroundAnOperatorThatTheCompilerLacks) {
  const Folder folder("tessera_wheel_parts");
  const std::string path = folder / "mixed.onnx";
  ASSERT_TRUE(WriteFile(path, onnx_model::Write(MixedNetwork())));
  const HostTensor input = Random({1, 16, 8, 8});
  const auto alone = Run(path, input, nullptr);
  ASSERT_TRUE(alone) << alone.error().message;
  for (const char* claim : {"accelerator", "all"}) {
    const Wheel::Texts options{{"claim", claim}};
    const auto results = Run(path, input, &options, {{"ep.context_enable", "1"}});
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(*results, *alone) << claim;
    const auto bytes = ReadFile(folder / "mixed_ctx.onnx");
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto kept = onnx_model::Parse(*bytes);
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_EQ(std::ranges::count_if(kept->nodes, IsContext), 2) << "the Einsum parts the network";
    std::filesystem::remove(folder / "mixed_ctx.onnx");
  }
}

TEST_F(OnnxRuntime, ValuesWithoutABatchAreThoseOfEachItem) {
  const Folder folder("tessera_wheel_batch");
  const std::string path = folder / "batch.onnx";
  onnx_model::OnnxModel model{.name = "batch", .ir = 8, .opset = 13};
  model.inputs = {{"a", DType::kFloat32, {{-1, 3}}}, {"b", DType::kFloat32, {{3}}}};
  model.outputs = {{"sum", DType::kFloat32, {{-1, 3}}}, {"c", DType::kFloat32, {{3}}}};
  model.nodes = {{0, "Relu", "relu", {"b"}, {"c"}, {}}, {1, "Add", "add", {"a", "c"}, {"sum"}, {}}};
  ASSERT_TRUE(WriteFile(path, onnx_model::Write(model)));
  const HostTensor a = Random({4, 3}), b = Random({3});
  HostTensor c = b, sum = a;
  for (float& value : c.as<float>()) value = std::max(value, 0.0f);
  for (size_t i = 0; i < 12; ++i) sum.as<float>()[i] += c.as<float>()[i % 3];
  const Wheel::Texts all{{"claim", "all"}};
  const auto session = wheel_->Open(path, &all, {{"session.disable_cpu_ep_fallback", "1"}});
  ASSERT_TRUE(session) << session.error().message;
  const auto results = wheel_->Run(**session, std::vector{a, b});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(*results, (std::vector{sum, c}));
}

TEST_F(OnnxRuntime, AContextGivesTheSameBytesWithoutTheCompiler) {
  const HostTensor input = Random({2, 1, 28, 28});
  const auto expected = Executed(kFashion, input);
  ASSERT_TRUE(expected) << expected.error().message;
  for (const char* embed : {"0", "1"}) {
    SCOPED_TRACE(embed);
    const Folder folder("tessera_wheel_context");
    const std::string path = folder / "kept.onnx";
    const Wheel::Texts plain, entries{{"ep.context_enable", "1"},
                                      {"ep.context_embed_mode", embed},
                                      {"ep.context_file_path", path}};
    const auto made = wheel_->Open(kFashion, &plain, entries);
    ASSERT_TRUE(made) << made.error().message;
    const auto results = Run(path, input, &plain);
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(*results, *expected);
    EXPECT_THAT(Refused(path, {{"config", "tiny"}}), HasSubstr("configuration"));

    // A byte of the network that differs.
    std::string file = path;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
      if (entry.path().extension() == ".tsr") file = entry.path();
    }
    EXPECT_EQ(file == path, *embed == '1');
    auto bytes = ReadFile(file);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const std::string_view magic = "TSRNET01";
    const auto at = std::ranges::search(*bytes, magic);
    ASSERT_FALSE(at.empty());
    at.begin()[2000] ^= 1;
    ASSERT_TRUE(WriteFile(file, *bytes));
    EXPECT_THAT(Refused(path, {}), HasSubstr("checksum differs"));
  }
}

TEST_F(OnnxRuntime, RefusalsReachTheCaller) {
  EXPECT_THAT(Refused(kFashion, {{"colour", "red"}}),
              HasSubstr("tessera: provider option colour: there is no such option"));
  EXPECT_THAT(Refused(kFashion, {{"device", "abacus"}}),
              HasSubstr("tessera: provider option device: device abacus: no such driver"));
  EXPECT_THAT(Refused(kFashion, {{"device", "xrt:xclbin=/none"}}), HasSubstr("tessera: "));
  EXPECT_THAT(Refused(kFashion, {{"threads", "100000"}}),
              HasSubstr("tessera: 100000 threads for host code"));
}

}  // namespace
}  // namespace tessera::ort::wheel_test
