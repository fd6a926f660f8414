// SPDX-License-Identifier: Apache-2.0
//
// What is tested: everything that the provider refuses without ONNX Runtime's help: options,
// versions, nodes that hold a compiled network. Space: each message of options.cc, LoadCalls and
// ReadContext; the library's own entry with an ONNX Runtime that is too old. Not tested here: that
// ONNX Runtime passes the messages on (wheel_test).
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "provider/onnxruntime/calls.h"
#include "provider/onnxruntime/context.h"
#include "provider/onnxruntime/options.h"

namespace tessera::ort::refusals_test {
namespace {

using ::testing::HasSubstr;

std::string Refused(const std::string& option, const std::string& value) {
  const auto options = ReadOptions({{"ep.tesseraexecutionprovider." + option, value}});
  return options ? "" : options.error().message;
}

TEST(Options, AreReadAndThoseOfOthersLeftAlone) {
  const auto options = ReadOptions({{"session.use_env_allocators", "1"},
                                    {"ep.otherexecutionprovider.device", "npu"},
                                    {"ep.tesseraexecutionprovider.device", "rtl:stall-seed=3"},
                                    {"ep.tesseraexecutionprovider.config", "tiny"},
                                    {"ep.tesseraexecutionprovider.claim", "all"},
                                    {"ep.tesseraexecutionprovider.threads", "2"},
                                    {"ep.context_enable", "1"},
                                    {"ep.context_embed_mode", "1"},
                                    {"ep.context_file_path", "a/b.onnx"}});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->device, "rtl");
  EXPECT_EQ(options->device_options.values.at("stall-seed"), "3");
  EXPECT_EQ(options->config.name, "tiny");
  EXPECT_EQ(options->claim, ClaimRule::kAll);
  EXPECT_EQ(options->threads, 2);
  EXPECT_TRUE(options->context_enable && options->context_embed);
  EXPECT_EQ(options->context_path, "a/b.onnx");
}

TEST(Options, EachRefusalSaysWhatThereIs) {
  EXPECT_EQ(Refused("colour", "red"),
            "provider option colour: there is no such option; there are device, config, claim, "
            "threads");
  EXPECT_THAT(Refused("device", "abacus"),
              HasSubstr("provider option device: device abacus: no such driver; there are func"));
  EXPECT_THAT(Refused("device", "func:speed=9"), HasSubstr("no option 'speed'"));
  EXPECT_EQ(Refused("device", "null"),
            "provider option device: device null runs no programs; func does");
  EXPECT_THAT(Refused("config", "huge"), HasSubstr("provider option config: "));
  EXPECT_EQ(Refused("claim", "most"), "provider option claim: 'most' is not accelerator or all");
  EXPECT_EQ(Refused("threads", "0"), "provider option threads: '0' is not a number from 1 on");
  EXPECT_EQ(Refused("threads", "2x"), "provider option threads: '2x' is not a number from 1 on");
}

// A base whose version is |version|, and whose oldest table has CreateStatus alone.
template <const char* version>
OrtApiBase Base() {
  return {[](uint32_t wanted) -> const void* {
            static const auto create = [](OrtErrorCode, const char* message) {
              return reinterpret_cast<OrtStatus*>(new std::string(message));
            };
            static OrtStatus* (*const table[])(OrtErrorCode, const char*) = {create};
            return wanted == 1 ? table : nullptr;
          },
          [] { return version; }};
}
constexpr char kOld[] = "1.22.3", kOdd[] = "nightly";

TEST(Versions, AreCheckedBeforeAnyFunctionIsUsed) {
  EXPECT_EQ(ApiVersionOf(Base<kOld>()), 22u);
  EXPECT_EQ(LoadCalls(Base<kOld>()).error().message,
            "this is ONNX Runtime 1.22.3; Tessera's execution provider needs 1.23 or later");
  EXPECT_THAT(LoadCalls(Base<kOdd>()).error().message, HasSubstr("this is ONNX Runtime nightly"));
}

TEST(Versions, TheLibraryRefusesAnOlderOnnxRuntime) {
  void* library = dlopen(TESSERA_PROVIDER, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  using Create = OrtStatus* (*)(const char*, const OrtApiBase*, const OrtLogger*, OrtEpFactory**,
                                size_t, size_t*);
  const auto create = reinterpret_cast<Create>(dlsym(library, "CreateEpFactories"));
  ASSERT_NE(create, nullptr);
  EXPECT_NE(dlsym(library, "ReleaseEpFactory"), nullptr);
  const OrtApiBase base = Base<kOld>();
  OrtEpFactory* factory = nullptr;
  size_t made = 0;
  OrtStatus* status = create("tessera", &base, nullptr, &factory, 1, &made);
  ASSERT_NE(status, nullptr);
  const std::unique_ptr<std::string> message(reinterpret_cast<std::string*>(status));
  EXPECT_EQ(
      *message,
      "tessera: this is ONNX Runtime 1.22.3; Tessera's execution provider needs 1.23 or later");
  EXPECT_EQ(made, 0u);
  dlclose(library);
}

onnx_model::OnnxNode Context(const std::string& held, bool embedded) {
  onnx_model::OnnxNode node{.op_type = "com.microsoft.EPContext", .name = "part"};
  node.attributes["source"].s = kProviderName;
  node.attributes["ep_sdk_version"].s = "1";
  node.attributes["embed_mode"].i = embedded ? 1 : 0;
  node.attributes["ep_cache_context"].s = held;
  return node;
}

std::string Refused(const onnx_model::OnnxNode& node, const std::string& model,
                    const ProviderOptions& options = {}) {
  const auto net = ReadContext(node, options, model);
  return net ? "" : net.error().message;
}

TEST(Contexts, AreThoseOfThisProvider) {
  onnx_model::OnnxNode node = Context("", true);
  EXPECT_TRUE(IsContext(node));
  node.attributes["source"].s = "OtherExecutionProvider";
  EXPECT_FALSE(IsContext(node));
  node = Context("", true);
  node.op_type = "EPContext";
  EXPECT_FALSE(IsContext(node));
}

TEST(Contexts, EachRefusalNamesTheNode) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "tessera_contexts";
  std::filesystem::create_directories(folder / "models");
  const std::string model = (folder / "models/net_ctx.onnx").string(),
                    place = "node 0 (com.microsoft.EPContext 'part'): ";
  ASSERT_TRUE(WriteFile((folder / "models/torn.tsr").string(), std::string_view("TSRNET01")));
  ASSERT_TRUE(WriteFile((folder / "out.tsr").string(), std::string_view("TSRNET01")));
  EXPECT_EQ(Refused(Context("", true), model), place + "has no ep_cache_context");
  onnx_model::OnnxNode other = Context("net", true);
  other.attributes["ep_sdk_version"].s = "2";
  EXPECT_EQ(Refused(other, model),
            place +
                "was made by another version (ep_sdk_version '2', this is '1'); make it again "
                "from the model");
  EXPECT_THAT(Refused(Context("no network", true), model), HasSubstr(place));
  EXPECT_THAT(Refused(Context("torn.tsr", false), model), HasSubstr(place));
  EXPECT_THAT(Refused(Context("none.tsr", false), model), HasSubstr("none.tsr: cannot open"));
  EXPECT_THAT(Refused(Context("../out.tsr", false), model),
              HasSubstr("'../out.tsr', which is outside of the model's folder"));
  EXPECT_THAT(Refused(Context("torn.tsr", false), ""), HasSubstr("its data are in another file"));
  ProviderOptions beside;  // a model from memory, with the place of its files
  beside.context_path = model;
  EXPECT_THAT(Refused(Context("none.tsr", false), "", beside), HasSubstr("none.tsr: cannot open"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tessera::ort::refusals_test
