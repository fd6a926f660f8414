// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/cuda_device.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "runtime/gpu/cuda_api.h"

namespace tessera {
namespace {

class CudaDevice : public KernelDevice {
 public:
  explicit CudaDevice(const CudaApi& api) : api_(api) {}
  ~CudaDevice() override {
    if (context_ == nullptr) return;
    api_.CtxSetCurrent(context_);
    api_.CtxSynchronize();
    if (module_ != nullptr) api_.ModuleUnload(module_);
    for (const CudaAddress memory : memories_) api_.MemFree(memory);
    api_.CtxSetCurrent(nullptr);
    api_.PrimaryCtxRelease(device_);
  }

  Status Open() {
    const int started = api_.Init(0);
    int code = started == 0 ? api_.DeviceGet(&device_, 0) : started;
    if (code != 0) {
      const bool none = code == kCudaNoDevice || code == kCudaInvalidDevice;
      return Fail(Code::kUnsupported, "device cuda: {} gives {}; {}",
                  started == 0 ? "cuDeviceGet" : "cuInit", NameOf(code),
                  none ? "no GPU is there that this driver runs"
                       : "the driver does not start: nvidia-smi may say why, or choose opencl");
    }
    char text[256] = {};
    api_.DeviceGetName(text, sizeof text - 1, device_);
    int major = 0, minor = 0;
    api_.DeviceGetAttribute(&major, kCudaCapabilityMajor, device_);
    api_.DeviceGetAttribute(&minor, kCudaCapabilityMinor, device_);
    name_ = fmt::format("{}, sm_{}{}", text, major, minor);
    api_.DeviceTotalMem(&memory_bytes_, device_);
    code = api_.PrimaryCtxRetain(&context_, device_);
    return code == 0 ? Status() : Refused("cuDevicePrimaryCtxRetain", code);
  }

  const std::string& name() const override { return name_; }
  uint64_t memory_bytes() const override { return memory_bytes_; }

  Status Build(const std::string& source) override {
    TESSERA_TRY(Enter());
    if (module_ != nullptr)
      return Fail(Code::kInvalidArgument,
                  "device cuda: {} has its kernels already; open a device for other ones", name_);
    std::string log(1 << 14, '\0');
    int options[] = {kCudaErrorLog, kCudaErrorLogBytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
    const int code = api_.ModuleLoadDataEx(&module_, source.c_str(), 2, options, values);
    if (code == 0) return {};
    module_ = nullptr;
    if (code == kCudaUnsupportedPtx || code == kCudaNoBinaryForGpu) {
      int version = 0;
      api_.DriverGetVersion(&version);
      return Fail(
          Code::kUnsupported,
          "device cuda: {}, with a driver of CUDA {}.{}, does not take kernels of PTX {} for "
          "{} ({}); update the driver, or choose opencl",
          name_, version / 1000, version % 1000 / 10, Directive(source, ".version "),
          Directive(source, ".target "), NameOf(code));
    }
    log.resize(log.find('\0'));
    return Fail(Code::kInvalidArgument, "device cuda: {} does not build the kernels ({}): {}",
                name_, NameOf(code), log.substr(0, log.find('\n')));
  }

  Result<uint64_t> Allocate(uint64_t bytes) override {
    TESSERA_TRY(Enter());
    CudaAddress address = 0;
    const int code = api_.MemAlloc(&address, std::max<uint64_t>(bytes, 1));
    if (code == kCudaOutOfMemory)
      return Fail(Code::kUnavailable, "device cuda: {} has no {} bytes left (cuMemAlloc: {})",
                  name_, bytes, NameOf(code));
    if (code != 0) return Refused("cuMemAlloc", code);
    memories_.push_back(address);
    return memories_.size() - 1;
  }

  Status Write(MemoryPlace to, std::span<const uint8_t> bytes) override {
    TESSERA_TRY(Enter());
    if (bytes.empty()) return {};
    const int code = api_.MemcpyHtoD(AddressOf(to), bytes.data(), bytes.size());
    return code == 0 ? Status() : Refused("cuMemcpyHtoD", code);
  }

  Status Read(MemoryPlace from, std::span<uint8_t> bytes) override {
    TESSERA_TRY(Enter());
    if (bytes.empty()) return {};
    const int code = api_.MemcpyDtoH(bytes.data(), AddressOf(from), bytes.size());
    return code == 0 ? Status() : Refused("cuMemcpyDtoH, after the kernels before it", code);
  }

  Status Launch(const std::string& kernel, const std::array<uint32_t, 3>& groups,
                const std::array<uint32_t, 3>& threads,
                std::span<const MemoryPlace> buffers) override {
    TESSERA_TRY(Enter());
    CudaHandle& found = kernels_[kernel];
    int code = 0;
    if (found == nullptr && module_ != nullptr)
      code = api_.ModuleGetFunction(&found, module_, kernel.c_str());
    if (found == nullptr || code != 0) {
      found = nullptr;
      return Fail(Code::kNotFound, "device cuda: no kernel {} was built (code {})", kernel, code);
    }
    std::vector<CudaAddress> addresses;
    for (const MemoryPlace& place : buffers) addresses.push_back(AddressOf(place));
    std::vector<void*> arguments;
    for (CudaAddress& address : addresses) arguments.push_back(&address);
    code = api_.LaunchKernel(found, groups[0], groups[1], groups[2], threads[0], threads[1],
                             threads[2], 0, nullptr, arguments.data(), nullptr);
    if (code != 0) return Refused("cuLaunchKernel of " + kernel, code);
    ++launches_;
    return {};
  }

  Result<uint64_t> Timed(const std::function<Status()>& launches) override {
    TESSERA_TRY(Enter());
    CudaHandle begin = nullptr, end = nullptr;
    const uint64_t before = launches_;
    Status launched;
    float milliseconds = 0;
    int code = api_.EventCreate(&begin, 0);
    if (code == 0) code = api_.EventCreate(&end, 0);
    if (code == 0) code = api_.EventRecord(begin, nullptr);
    if (code == 0) launched = launches();
    if (code == 0) code = api_.EventRecord(end, nullptr);
    if (code == 0) code = api_.EventSynchronize(end);
    if (code == 0) code = api_.EventElapsedTime(&milliseconds, begin, end);
    for (const CudaHandle event : {begin, end}) {
      if (event != nullptr) api_.EventDestroy(event);
    }
    if (!launched) return std::unexpected(launched.error());
    if (code != 0) return Refused("to time kernels", code);
    if (launches_ == before)
      return Fail(Code::kInvalidArgument, "device cuda: no kernel ran that has a time");
    return std::max<uint64_t>(static_cast<uint64_t>(1e6 * milliseconds), 1);
  }

 private:
  // The driver keeps one current context for each thread.
  Status Enter() const {
    const int code = api_.CtxSetCurrent(context_);
    return code == 0 ? Status() : Refused("cuCtxSetCurrent", code);
  }

  CudaAddress AddressOf(const MemoryPlace& place) const {
    return memories_[place.memory] + place.offset;
  }

  std::string NameOf(int code) const {
    const char* text = nullptr;
    if (api_.GetErrorName(code, &text) == 0 && text != nullptr) return text;
    return fmt::format("code {}", code);
  }

  std::unexpected<Error> Refused(const std::string& call, int code) const {
    return Fail(Code::kUnavailable, "device cuda: {} refuses {}: {}", name_, call, NameOf(code));
  }

  // The word behind |directive|: "7.0".
  static std::string Directive(const std::string& source, const std::string& directive) {
    const size_t at = source.find(directive);
    if (at == std::string::npos) return "?";
    const size_t begin = at + directive.size();
    return source.substr(begin, source.find_first_of(" ,\n", begin) - begin);
  }

  const CudaApi api_;
  std::string name_;
  size_t memory_bytes_ = 0;
  int device_ = 0;
  CudaHandle context_ = nullptr, module_ = nullptr;
  std::vector<CudaAddress> memories_;
  std::map<std::string, CudaHandle> kernels_;
  uint64_t launches_ = 0;  // so far
};

}  // namespace

Result<std::unique_ptr<KernelDevice>> OpenCudaDevice() {
  TESSERA_ASSIGN(const CudaApi api, LoadCuda());
  auto device = std::make_unique<CudaDevice>(api);
  TESSERA_TRY(device->Open());
  return device;
}

}  // namespace tessera
