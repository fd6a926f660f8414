// SPDX-License-Identifier: Apache-2.0
#include "tests/provider/onnxruntime/wheel.h"

#include <dlfcn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "provider/onnxruntime/options.h"

namespace tessera::ort {
namespace {

namespace fs = std::filesystem;

// What |command| prints, without the last line end; "" if it fails.
std::string Printed(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char chunk[512];
  while (const size_t n = fread(chunk, 1, sizeof chunk, pipe)) text.append(chunk, n);
  if (pclose(pipe) != 0) return "";
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// ONNX Runtime's library in the environment of |program|; "": there is none.
std::string LibraryBeside(const std::string& program) {
  const fs::path lib = fs::path(program).parent_path() / "lib";
  std::error_code error;
  for (const auto& python : fs::directory_iterator(lib, error)) {
    const fs::path capi = python.path() / "site-packages/onnxruntime/capi";
    for (const auto& file : fs::directory_iterator(capi, error)) {
      if (file.path().filename().string().starts_with("libonnxruntime.so")) return file.path();
    }
  }
  return "";
}

}  // namespace

struct Wheel::Session {
  Session(const Calls& the_calls, OrtSession* the_session)
      : calls(the_calls), session(the_session) {}
  ~Session() { calls.ReleaseSession(session); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  const Calls& calls;
  OrtSession* session;
};

const Wheel* Wheel::Get(std::string* why) {
  static std::string reason;
  static const Wheel* const wheel = []() -> const Wheel* {
    const std::string program = Printed("scripts/pypi_tool.sh " TESSERA_BUILD " onnxruntime 2>&1");
    const std::string library = LibraryBeside(program);
    if (library.empty()) {
      reason = "the wheel of ONNX Runtime is not there, and scripts/pypi_tool.sh cannot install it";
      return nullptr;
    }
    void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    using GetBase = const OrtApiBase* (*)();
    const auto base =
        opened == nullptr ? nullptr : reinterpret_cast<GetBase>(dlsym(opened, "OrtGetApiBase"));
    if (base == nullptr) {
      reason = dlerror();
      return nullptr;
    }
    static Wheel made;
    if (const Status started = made.Start(*base()); !started) {
      reason = started.error().message;
      return nullptr;
    }
    return &made;
  }();
  *why = reason;
  return wheel;
}

Status Wheel::Start(const OrtApiBase& base) {
  TESSERA_ASSIGN(calls_, LoadCalls(base));
  TESSERA_TRY(Check(calls_, calls_.CreateEnv(kOrtLogFatal, "tessera", &env_)));
  TESSERA_TRY(
      Check(calls_, calls_.RegisterExecutionProviderLibrary(env_, "tessera", TESSERA_PROVIDER)));
  const OrtEpDevice* const* devices = nullptr;
  size_t count = 0;
  TESSERA_TRY(Check(calls_, calls_.GetEpDevices(env_, &devices, &count)));
  for (size_t i = 0; i < count; ++i) {
    if (std::string_view(calls_.EpDevice_EpName(devices[i])) == kProviderName) device_ = devices[i];
  }
  if (device_ == nullptr) return Fail(Code::kNotFound, "the provider offers no device");
  return {};
}

Result<Wheel::SessionPtr> Wheel::Open(const std::string& path, const Texts* options,
                                      const Texts& entries) const {
  OrtSessionOptions* made = nullptr;
  TESSERA_TRY(Check(calls_, calls_.CreateSessionOptions(&made)));
  const std::unique_ptr<OrtSessionOptions, void (*)(OrtSessionOptions*)> release(
      made, calls_.ReleaseSessionOptions);
  for (const auto& [key, value] : entries)
    TESSERA_TRY(Check(calls_, calls_.AddSessionConfigEntry(made, key.c_str(), value.c_str())));
  if (options != nullptr) {
    std::vector<const char*> keys, values;
    for (const auto& [key, value] : *options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    TESSERA_TRY(
        Check(calls_, calls_.SessionOptionsAppendExecutionProvider_V2(
                          made, env_, &device_, 1, keys.data(), values.data(), keys.size())));
  }
  OrtSession* session = nullptr;
  TESSERA_TRY(Check(calls_, calls_.CreateSession(env_, path.c_str(), made, &session)));
  return SessionPtr(new Session(calls_, session), [](Session* opened) { delete opened; });
}

Result<std::vector<std::string>> Wheel::Names(const Session& session,
                                              std::optional<size_t> count) const {
  const auto get = count ? calls_.SessionGetInputName : calls_.SessionGetOutputName;
  if (!count)
    TESSERA_TRY(Check(calls_, calls_.SessionGetOutputCount(session.session, &count.emplace())));
  OrtAllocator* allocator = nullptr;
  TESSERA_TRY(Check(calls_, calls_.GetAllocatorWithDefaultOptions(&allocator)));
  std::vector<std::string> names;
  for (size_t i = 0; i < *count; ++i) {
    char* name = nullptr;
    TESSERA_TRY(Check(calls_, get(session.session, i, allocator, &name)));
    names.emplace_back(name);
    TESSERA_TRY(Check(calls_, calls_.AllocatorFree(allocator, name)));
  }
  return names;
}

namespace {

std::vector<const char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

// Values that are released at the end.
struct Values {
  explicit Values(const Calls& the_calls) : calls(the_calls) {}
  ~Values() {
    for (OrtValue* value : list) calls.ReleaseValue(value);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  const Calls& calls;
  std::vector<OrtValue*> list;
};

}  // namespace

Result<std::vector<HostTensor>> Wheel::Run(const Session& session,
                                           std::span<const HostTensor> inputs) const {
  TESSERA_ASSIGN(const std::vector<std::string> input_names, Names(session, inputs.size()));
  TESSERA_ASSIGN(const std::vector<std::string> output_names, Names(session, std::nullopt));
  OrtMemoryInfo* memory = nullptr;
  TESSERA_TRY(
      Check(calls_, calls_.CreateCpuMemoryInfo(kOrtArenaAllocator, kOrtDefaultMemory, &memory)));
  const std::unique_ptr<OrtMemoryInfo, void (*)(OrtMemoryInfo*)> release(memory,
                                                                         calls_.ReleaseMemoryInfo);
  std::vector<HostTensor> copies(inputs.begin(), inputs.end());
  Values given(calls_), results(calls_);
  for (HostTensor& input : copies) {
    OrtValue* value = nullptr;
    TESSERA_TRY(
        Check(calls_, calls_.CreateTensorWithDataAsOrtValue(
                          memory, input.bytes.data(), input.bytes.size(), input.shape.data(),
                          input.shape.size(), NumberOf(input.dtype), &value)));
    given.list.push_back(value);
  }
  results.list.resize(output_names.size());
  TESSERA_TRY(
      Check(calls_, calls_.Run(session.session, nullptr, Pointers(input_names).data(),
                               given.list.data(), given.list.size(), Pointers(output_names).data(),
                               results.list.size(), results.list.data())));
  std::vector<HostTensor> tensors;
  for (const OrtValue* result : results.list) {
    TESSERA_ASSIGN(HostTensor tensor, TensorOf(calls_, result));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace tessera::ort
