// SPDX-License-Identifier: Apache-2.0
#include "sim/hls/hls_device.h"

#include <utility>

#include "runtime/device/device_base.h"
#include "sim/hls/hls_run.h"

namespace tessera::sim {
namespace {

class HlsDevice : public DeviceBase {
 public:
  // |bytes|: the bytes of |memory|.
  HlsDevice(const isa::Config& config, std::unique_ptr<HlsTwin> twin, std::span<uint8_t> bytes,
            std::unique_ptr<HostMemory> memory)
      : DeviceBase(config, std::move(memory)), twin_(std::move(twin)), bytes_(bytes) {}

  std::string_view name() const override { return "hls"; }
  bool has_clock() const override { return false; }
  Status SetObserver(RunObserver* observer) override {
    observer_ = observer;
    return {};
  }

 private:
  Result<RunReport> Finish(const Launch& launch, const isa::Fetcher& fetcher) override {
    return HlsRun(config(), launch, fetcher, bytes_, *twin_, observer_).Run();
  }

  Status Forget() override {
    twin_->Clear();
    return {};
  }

  std::unique_ptr<HlsTwin> twin_;
  std::span<uint8_t> bytes_;
  RunObserver* observer_ = nullptr;
};

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& /*options*/) {
  TESSERA_TRY(isa::ValidateConfig(config));
  std::unique_ptr<HlsTwin> twin = MakeHlsTwin(config.Hash());
  if (twin == nullptr) {
    return Fail(Code::kUnsupported,
                "no HLS twin of configuration {} was built; there are {}. Name its file in "
                "cmake -DTESSERA_HLS_CONFIGS",
                config.name, TESSERA_HLS_CONFIGS);
  }
  TESSERA_ASSIGN(std::unique_ptr<HostMemory> memory, HostMemory::Make(memory_bytes));
  const std::span<uint8_t> bytes = memory->bytes();
  return std::make_unique<HlsDevice>(config, std::move(twin), bytes, std::move(memory));
}

}  // namespace

Driver HlsDriver() {
  return {.name = "hls",
          .what = "the accelerator's HLS twin, its C++ compiled here, exact results, no clock",
          .open = Open,
          .here = []() -> Result<std::string> { return "twins of " TESSERA_HLS_CONFIGS; }};
}

}  // namespace tessera::sim
