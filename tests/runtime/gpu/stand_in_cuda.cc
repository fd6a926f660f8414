// SPDX-License-Identifier: Apache-2.0
//
// A library with the functions of the CUDA driver that runtime/gpu calls, for machines without a
// GPU: memory is the host's, PTX is parsed and run instruction by instruction. It checks what a
// driver checks: handles, contexts, bounds and alignment of every access, the shape of launches.
//
// TESSERA_STAND_IN_CUDA, read by cuInit, changes it: "devices=0", "init=803" (what cuInit gives),
// "capability=75", "ptx=63" (the newest language that it takes), "bytes=4096" (all its memory),
// "launches=9" (what comes after that many fails), "queue=0" (events are over before one waits),
// separated by commas.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "tests/runtime/gpu/ptx.h"
#include "tests/runtime/gpu/ptx_run.h"

namespace tessera::test {
namespace {

enum CuResult : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kUnsupportedPtx = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kTimeout = 702,
  kMisaligned = 716,
  kLaunchFailed = 719,
  kDriverMismatch = 803,
};
const std::map<int, const char*> kNames = {
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
    {kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
    {kUnsupportedPtx, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND"},
    {kNotReady, "CUDA_ERROR_NOT_READY"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {kTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {kMisaligned, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
    {kDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
};

// The upper bits of an address are the number of its allocation.
constexpr int kNumberBits = 36;

// A launch has run when it returns. For cuEventQuery an event is over only after a synchronisation.
struct Event {
  std::chrono::steady_clock::time_point at;
  bool recorded = false, over = false;
};

struct Driver {
  bool started = false;
  int devices = 1, init = 0, capability = 80, language = 85, queue = 1;
  int64_t launches = -1;  // launches until one fails; below 0: none fails
  std::set<Event*> events;
  uint64_t bytes = uint64_t{1} << 32, used = 0;
  std::vector<std::vector<uint8_t>> memory{{}};  // number 0 is unused
  std::vector<std::unique_ptr<PtxModule>> modules;
  int failed = kSuccess;  // error of a kernel: every later call returns it
  int context = 0;        // its address is the handle

  uint8_t* Find(uint64_t address, uint64_t count) {
    const uint64_t number = address >> kNumberBits;
    const uint64_t offset = address & ((uint64_t{1} << kNumberBits) - 1);
    if (number >= memory.size() || offset + count > memory[number].size()) return nullptr;
    return memory[number].data() + offset;
  }
};
Driver& TheDriver() {
  static Driver driver;
  return driver;
}
thread_local void* current = nullptr;

int Check() {
  Driver& d = TheDriver();
  if (!d.started) return kNotInitialized;
  return current == &d.context ? d.failed : kInvalidContext;
}

void Configure(Driver* d) {
  d->devices = 1, d->init = 0, d->capability = 80, d->language = 85, d->queue = 1;
  d->bytes = uint64_t{1} << 32, d->launches = -1;
  const char* text = std::getenv("TESSERA_STAND_IN_CUDA");
  const auto read = [&](const char* name, auto* value) {
    const char* at = text == nullptr ? nullptr : std::strstr(text, name);
    if (at != nullptr)
      *value = static_cast<std::decay_t<decltype(*value)>>(std::atoll(at + std::strlen(name)));
  };
  read("devices=", &d->devices);
  read("init=", &d->init);
  read("queue=", &d->queue);
  read("launches=", &d->launches);
  read("capability=", &d->capability);
  read("ptx=", &d->language);
  read("bytes=", &d->bytes);
}

}  // namespace
}  // namespace tessera::test

using namespace tessera::test;
using namespace tessera;

extern "C" {

int cuInit(unsigned flags) {
  Driver& d = TheDriver();
  Configure(&d);
  d.started = true;
  d.failed = kSuccess;
  return flags != 0 ? kInvalidValue : d.devices == 0 ? kNoDevice : d.init;
}

int cuDriverGetVersion(int* version) {
  *version = 11080;
  return kSuccess;
}

int cuGetErrorName(int code, const char** name) {
  const auto at = kNames.find(code);
  *name = at == kNames.end() ? nullptr : at->second;
  return at == kNames.end() ? kInvalidValue : kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  if (!TheDriver().started) return kNotInitialized;
  *device = 7;
  return ordinal >= 0 && ordinal < TheDriver().devices ? kSuccess : kInvalidDevice;
}

int cuDeviceGetName(char* name, int size, int device) {
  std::strncpy(name, "stand-in", static_cast<size_t>(size));
  return device == 7 ? kSuccess : kInvalidDevice;
}

int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  if (device != 7) return kInvalidDevice;
  *bytes = TheDriver().bytes;
  return kSuccess;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (device != 7) return kInvalidDevice;
  const std::map<int, int> attributes = {{13, 1410000},
                                         {16, 108},
                                         {36, 1215000},
                                         {75, TheDriver().capability / 10},
                                         {76, TheDriver().capability % 10}};
  const auto at = attributes.find(attribute);
  if (at == attributes.end()) return kInvalidValue;
  *value = at->second;
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &TheDriver().context;
  return device == 7 ? kSuccess : kInvalidDevice;
}

int cuDevicePrimaryCtxRelease_v2(int device) { return device == 7 ? kSuccess : kInvalidDevice; }

int cuCtxSetCurrent(void* context) {
  if (context != nullptr && context != &TheDriver().context) return kInvalidContext;
  current = context;
  return kSuccess;
}

int cuCtxSynchronize() { return Check(); }

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options,
                       void** values) {
  Driver& d = TheDriver();
  if (const int code = Check(); code != kSuccess) return code;
  Result<PtxModule> parsed = ParsePtx(static_cast<const char*>(image));
  if (!parsed) {
    char* log = nullptr;
    size_t size = 0;
    for (unsigned o = 0; o < count; ++o) {
      if (options[o] == 5) log = static_cast<char*>(values[o]);
      if (options[o] == 6) size = reinterpret_cast<size_t>(values[o]);
    }
    if (log != nullptr && size > 0) {
      std::strncpy(log, parsed.error().message.c_str(), size - 1);
      log[size - 1] = '\0';
    }
    return kInvalidPtx;
  }
  if (parsed->version > d.language) return kUnsupportedPtx;
  if (parsed->target > d.capability) return kNoBinaryForGpu;
  d.modules.push_back(std::make_unique<PtxModule>(std::move(*parsed)));
  *module = d.modules.back().get();
  return kSuccess;
}

int cuModuleUnload(void* module) {
  if (const int code = Check(); code != kSuccess) return code;
  auto& all = TheDriver().modules;
  const auto at = std::ranges::find(all, module, [](const auto& m) { return (void*)m.get(); });
  if (at == all.end()) return kInvalidHandle;
  all.erase(at);
  return kSuccess;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (const int code = Check(); code != kSuccess) return code;
  auto& kernels = static_cast<PtxModule*>(module)->kernels;
  const auto at = kernels.find(name);
  *function = at == kernels.end() ? nullptr : &at->second;
  return at == kernels.end() ? kNotFound : kSuccess;
}

int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  Driver& d = TheDriver();
  if (const int code = Check(); code != kSuccess) return code;
  if (bytes == 0) return kInvalidValue;
  if (d.used + bytes > d.bytes) return kOutOfMemory;
  d.used += bytes;
  *address = static_cast<unsigned long long>(d.memory.size()) << kNumberBits;
  d.memory.emplace_back(bytes, uint8_t{0xef});
  return kSuccess;
}

int cuMemFree_v2(unsigned long long address) {
  Driver& d = TheDriver();
  const uint64_t number = address >> kNumberBits;
  if (number == 0 || number >= d.memory.size() || (number << kNumberBits) != address)
    return kInvalidValue;
  d.used -= d.memory[number].size();
  d.memory[number] = {};
  return kSuccess;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  if (const int code = Check(); code != kSuccess) return code;
  uint8_t* at = TheDriver().Find(to, bytes);
  if (at == nullptr) return kInvalidValue;
  std::memcpy(at, from, bytes);
  return kSuccess;
}

int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  if (const int code = Check(); code != kSuccess) return code;
  const uint8_t* at = TheDriver().Find(from, bytes);
  if (at == nullptr) return kInvalidValue;
  std::memcpy(to, at, bytes);
  return kSuccess;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned tx, unsigned ty,
                   unsigned tz, unsigned shared, void* stream, void** arguments, void** extra) {
  Driver& d = TheDriver();
  if (const int code = Check(); code != kSuccess) return code;
  const auto& kernel = *static_cast<PtxKernel*>(function);
  if (gx == 0 || gy == 0 || gz == 0 || gy > 65535 || gz > 65535 || tz > 64 || tx * ty * tz > 1024 ||
      shared != 0 || stream != nullptr || extra != nullptr ||
      kernel.threads != std::array<uint32_t, 3>{tx, ty, tz})
    return kInvalidValue;
  if (d.launches == 0) return kLaunchFailed;
  if (d.launches > 0) --d.launches;
  std::vector<uint64_t> args(kernel.params.size());
  for (size_t a = 0; a < args.size(); ++a) std::memcpy(&args[a], arguments[a], 8);
  const Status ran = RunPtx(kernel, {gx, gy, gz}, args,
                            [&](uint64_t at, uint64_t count) { return d.Find(at, count); });
  if (ran) return kSuccess;
  std::fprintf(stderr, "stand-in: %s\n", ran.error().message.c_str());
  // As on a GPU, the launch succeeds and the calls after it fail.
  d.failed = ran.error().code == Code::kOutOfRange        ? kIllegalAddress
             : ran.error().code == Code::kInvalidArgument ? kMisaligned
             : ran.error().code == Code::kTimeout         ? kTimeout
                                                          : kLaunchFailed;
  return kSuccess;
}

int cuEventCreate(void** event, unsigned flags) {
  if (const int code = Check(); code != kSuccess) return code;
  if (flags != 0) return kInvalidValue;
  *event = *TheDriver().events.insert(new Event).first;
  return kSuccess;
}

int cuEventDestroy_v2(void* event) {
  if (TheDriver().events.erase(static_cast<Event*>(event)) == 0) return kInvalidHandle;
  delete static_cast<Event*>(event);
  return kSuccess;
}

int cuEventRecord(void* event, void* stream) {
  if (const int code = Check(); code != kSuccess) return code;
  auto* const e = static_cast<Event*>(event);
  if (!TheDriver().events.contains(e) || stream != nullptr) return kInvalidHandle;
  *e = {std::chrono::steady_clock::now(), true, TheDriver().queue == 0};
  return kSuccess;
}

int cuEventQuery(void* event) {
  if (const int code = Check(); code != kSuccess) return code;
  auto* const e = static_cast<Event*>(event);
  if (!TheDriver().events.contains(e)) return kInvalidHandle;
  return e->over || !e->recorded ? kSuccess : kNotReady;
}

int cuEventSynchronize(void* event) {
  if (const int code = Check(); code != kSuccess) return code;
  if (!TheDriver().events.contains(static_cast<Event*>(event))) return kInvalidHandle;
  for (Event* e : TheDriver().events) e->over = true;  // there is one stream
  return kSuccess;
}

// The function's name in drivers before CUDA 12.8.
int cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  const auto &a = *static_cast<Event*>(begin), &b = *static_cast<Event*>(end);
  if (!a.recorded || !b.recorded) return kInvalidHandle;
  if (!a.over || !b.over) return kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(b.at - a.at).count();
  return kSuccess;
}

}  // extern "C"
