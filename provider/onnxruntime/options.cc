// SPDX-License-Identifier: Apache-2.0
#include "provider/onnxruntime/options.h"

#include <string_view>

#include "base/number.h"
#include "base/text.h"

namespace tessera::ort {
namespace {

// ONNX Runtime puts a provider's options among the session's entries, below its name in lower case.
constexpr std::string_view kPrefix = "ep.tesseraexecutionprovider.";

Status ReadDevice(const std::string& text, ProviderOptions& options) {
  TESSERA_ASSIGN(DeviceSpec spec, ParseDeviceSpec(text));
  TESSERA_ASSIGN(const Driver* driver, FindDriver(Drivers(), spec.name));
  if (!driver->executes) {
    return Fail(Code::kInvalidArgument, "device {} runs no programs; func does", spec.name);
  }
  TESSERA_TRY(OptionValues::Make(spec.name, driver->options, spec.values));
  options.device = spec.name;
  options.device_options.values = std::move(spec.values);
  return {};
}

Status ReadOne(std::string_view name, const std::string& value, ProviderOptions& options) {
  if (name == "device") return ReadDevice(value, options);
  if (name == "config") {
    TESSERA_ASSIGN(options.config, isa::LoadConfig(value));
    return {};
  }
  if (name == "claim") {
    if (value != "accelerator" && value != "all")
      return Fail(Code::kInvalidArgument, "'{}' is not accelerator or all", Legible(value));
    options.claim = value == "all" ? ClaimRule::kAll : ClaimRule::kAccelerator;
    return {};
  }
  if (name == "threads") {
    options.threads = NumberIn<int>(value).value_or(0);
    if (options.threads >= 1) return {};
    return Fail(Code::kInvalidArgument, "'{}' is not a number from 1 on", Legible(value));
  }
  return Fail(Code::kInvalidArgument,
              "there is no such option; there are device, config, claim, threads");
}

}  // namespace

Result<ProviderOptions> ReadOptions(const std::map<std::string, std::string>& entries) {
  ProviderOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig("default"));
  for (const auto& [key, value] : entries) {
    if (key == "ep.context_enable") options.context_enable = value == "1";
    if (key == "ep.context_embed_mode") options.context_embed = value == "1";
    if (key == "ep.context_file_path") options.context_path = value;
    if (!key.starts_with(kPrefix)) continue;
    const std::string_view name = std::string_view(key).substr(kPrefix.size());
    if (const Status read = ReadOne(name, value, options); !read)
      return Within(fmt::format("provider option {}", Legible(name)), read.error());
  }
  return options;
}

Result<std::map<std::string, std::string>> EntriesOf(const Calls& calls,
                                                     const OrtSessionOptions* options) {
  OrtKeyValuePairs* pairs = nullptr;
  TESSERA_TRY(Check(calls, calls.GetSessionOptionsConfigEntries(options, &pairs)));
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  calls.GetKeyValuePairs(pairs, &keys, &values, &count);
  std::map<std::string, std::string> entries;
  for (size_t i = 0; i < count; ++i) entries[keys[i]] = values[i];
  calls.ReleaseKeyValuePairs(pairs);
  return entries;
}

}  // namespace tessera::ort
