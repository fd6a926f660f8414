// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/opencl_device.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "runtime/gpu/opencl_api.h"

namespace tessera {
namespace {

class OpenClDevice : public KernelDevice {
 public:
  explicit OpenClDevice(const OpenClApi& api) : api_(api) {}
  ~OpenClDevice() override {
    if (queue_ != nullptr) api_.Finish(queue_);
    for (const auto& [name, kernel] : kernels_) {
      if (kernel != nullptr) api_.ReleaseKernel(kernel);
    }
    for (ClHandle memory : memories_) api_.ReleaseMemObject(memory);
    if (program_ != nullptr) api_.ReleaseProgram(program_);
    if (queue_ != nullptr) api_.ReleaseCommandQueue(queue_);
    if (context_ != nullptr) api_.ReleaseContext(context_);
  }

  Status Open() {
    TESSERA_TRY(Choose());
    int32_t code = 0;
    context_ = api_.CreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    if (code != 0) return Refused("clCreateContext", code);
    queue_ = api_.CreateCommandQueue(context_, device_, kClProfiling, &code);
    return code == 0 ? Status() : Refused("clCreateCommandQueue", code);
  }

  const std::string& name() const override { return name_; }
  uint64_t memory_bytes() const override { return memory_bytes_; }

  Status Build(const std::string& source) override {
    if (program_ != nullptr)
      return Fail(Code::kInvalidArgument,
                  "device opencl: {} has its kernels already; open a device for other ones", name_);
    int32_t code = 0;
    const char* text = source.c_str();
    program_ = api_.CreateProgramWithSource(context_, 1, &text, nullptr, &code);
    if (code != 0) return Refused("clCreateProgramWithSource", code);
    // Exactly rounded division; the default may be off by 2.5 units in the last place.
    uint64_t config = 0;
    api_.GetDeviceInfo(device_, kClDeviceFpConfig, sizeof config, &config, nullptr);
    const char* options = config & kClRoundedDivide ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
    code = api_.BuildProgram(program_, 1, &device_, options, nullptr, nullptr);
    if (code == 0) return {};
    std::string log(1 << 16, '\0');
    size_t size = 0;
    api_.GetProgramBuildInfo(program_, device_, kClBuildLog, log.size(), log.data(), &size);
    api_.ReleaseProgram(std::exchange(program_, nullptr));
    log.resize(std::min(size, log.size()));
    const size_t error = log.find("error");
    const size_t begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;
    return Fail(Code::kInvalidArgument, "device opencl: {} does not build the kernels: {}", name_,
                log.substr(begin, log.find('\n', begin) - begin));
  }

  Result<uint64_t> Allocate(uint64_t bytes) override {
    int32_t code = 0;
    ClHandle memory =
        api_.CreateBuffer(context_, kClReadWrite, std::max<uint64_t>(bytes, 1), nullptr, &code);
    if (code != 0) return Refused("clCreateBuffer", code);
    memories_.push_back(memory);
    return memories_.size() - 1;
  }

  Status Write(MemoryPlace to, std::span<const uint8_t> bytes) override {
    if (bytes.empty()) return {};  // OpenCL rejects an empty write
    const int32_t code = api_.EnqueueWriteBuffer(queue_, memories_[to.memory], 1, to.offset,
                                                 bytes.size(), bytes.data(), 0, nullptr, nullptr);
    return code == 0 ? Status() : Refused("clEnqueueWriteBuffer", code);
  }

  Status Read(MemoryPlace from, std::span<uint8_t> bytes) override {
    if (bytes.empty()) return {};
    const int32_t code = api_.EnqueueReadBuffer(queue_, memories_[from.memory], 1, from.offset,
                                                bytes.size(), bytes.data(), 0, nullptr, nullptr);
    return code == 0 ? Status() : Refused("clEnqueueReadBuffer", code);
  }

  Status Launch(const std::string& kernel, const std::array<uint32_t, 3>& groups,
                const std::array<uint32_t, 3>& threads,
                std::span<const MemoryPlace> buffers) override {
    ClHandle& found = kernels_[kernel];
    int32_t code = 0;
    if (found == nullptr && program_ != nullptr)
      found = api_.CreateKernel(program_, kernel.c_str(), &code);
    if (found == nullptr)
      return Fail(Code::kNotFound, "device opencl: no kernel {} was built (code {})", kernel, code);
    for (uint32_t b = 0; b < buffers.size() && code == 0; ++b) {
      const MemoryPlace& place = buffers[b];
      code = api_.SetKernelArg(found, 2 * b, sizeof(ClHandle), &memories_[place.memory]);
      if (code == 0) code = api_.SetKernelArg(found, 2 * b + 1, sizeof place.offset, &place.offset);
    }
    if (code != 0) return Refused("clSetKernelArg of " + kernel, code);
    size_t global[3], local[3];
    for (size_t k = 0; k < 3; ++k) {
      local[k] = threads[k];
      global[k] = static_cast<size_t>(groups[k]) * threads[k];
    }
    ClHandle event = nullptr;
    code = api_.EnqueueNDRangeKernel(queue_, found, 3, nullptr, global, local, 0, nullptr,
                                     timed_ ? &event : nullptr);
    if (code != 0) return Refused("clEnqueueNDRangeKernel of " + kernel, code);
    if (event != nullptr) events_.push_back(event);
    return {};
  }

  Result<uint64_t> Timed(const std::function<Status()>& launches) override {
    timed_ = true;
    const Status launched = launches();
    timed_ = false;
    int32_t code = api_.Finish(queue_);
    uint64_t first = UINT64_MAX, last = 0;
    for (const ClHandle event : events_) {
      uint64_t start = 0, end = 0;
      for (const auto& [what, into] : {std::pair(kClCommandStart, &start), {kClCommandEnd, &end}}) {
        if (code == 0) code = api_.GetEventProfilingInfo(event, what, sizeof *into, into, nullptr);
      }
      first = std::min(first, start);
      last = std::max(last, end);
      api_.ReleaseEvent(event);
    }
    const bool any = !std::exchange(events_, {}).empty();
    if (!launched) return std::unexpected(launched.error());
    if (!any) return Fail(Code::kInvalidArgument, "device opencl: no kernel ran that has a time");
    if (code != 0) return Refused("to time kernels", code);
    return std::max<uint64_t>(last - first, 1);
  }

 private:
  std::unexpected<Error> Refused(const std::string& call, int32_t code) const {
    return Fail(Code::kUnavailable, "device opencl: {} refuses {}, code {}", name_, call, code);
  }

  std::string Text(int32_t (*ask)(ClHandle, uint32_t, size_t, void*, size_t*), ClHandle of,
                   uint32_t what) const {
    char text[256] = {};
    ask(of, what, sizeof text - 1, text, nullptr);
    return text;
  }

  Status Choose() {
    ClHandle platforms[16];
    uint32_t count = 0;
    if (api_.GetPlatformIDs(16, platforms, &count) != 0) count = 0;
    for (const ClFlags kind : {kClGpu, kClAnyDevice}) {
      for (uint32_t p = 0; p < std::min(count, 16u); ++p) {
        uint32_t devices = 0;
        if (api_.GetDeviceIDs(platforms[p], kind, 1, &device_, &devices) != 0 || devices == 0)
          continue;
        name_ = Text(api_.GetPlatformInfo, platforms[p], kClPlatformName) + ", " +
                Text(api_.GetDeviceInfo, device_, kClDeviceName);
        api_.GetDeviceInfo(device_, kClDeviceMemory, sizeof memory_bytes_, &memory_bytes_, nullptr);
        return {};
      }
    }
    return Fail(Code::kUnsupported,
                "device opencl: the loader knows {} platforms and no device; install an OpenCL "
                "driver (Debian: pocl-opencl-icd runs kernels on the processor)",
                count);
  }

  const OpenClApi api_;
  std::string name_;
  uint64_t memory_bytes_ = 0;
  ClHandle device_ = nullptr, context_ = nullptr, queue_ = nullptr, program_ = nullptr;
  std::vector<ClHandle> memories_;
  std::map<std::string, ClHandle> kernels_;
  bool timed_ = false;            // Launch keeps an event
  std::vector<ClHandle> events_;  // of the launches that are timed
};

}  // namespace

Result<std::unique_ptr<KernelDevice>> OpenOpenClDevice() {
  TESSERA_ASSIGN(const OpenClApi api, LoadOpenCl());
  auto device = std::make_unique<OpenClDevice>(api);
  TESSERA_TRY(device->Open());
  return device;
}

}  // namespace tessera
