// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/null/null_device.h"

#include <utility>

#include "runtime/device/device_base.h"

namespace tessera {
namespace {

class NullDevice : public DeviceBase {
 public:
  NullDevice(const isa::Config& config, std::unique_ptr<MemoryPort> memory)
      : DeviceBase(config, std::move(memory)) {}

  std::string_view name() const override { return "null"; }
  bool has_clock() const override { return false; }
  Status SetObserver(RunObserver* observer) override {
    if (observer == nullptr) return {};
    return Fail(Code::kUnsupported, "null: nothing is executed, so there is nothing to trace");
  }

 private:
  Status Start(const Launch&, const isa::Fetcher&) override { return Refusal(); }
  Result<RunReport> Finish(const Launch&, const isa::Fetcher&) override { return Refusal(); }
  Status Forget() override { return {}; }

  static std::unexpected<Error> Refusal() {
    return Fail(Code::kUnsupported, "null: this device executes nothing; open func or rtl");
  }
};

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& /*options*/) {
  TESSERA_ASSIGN(std::unique_ptr<HostMemory> memory, HostMemory::Make(memory_bytes));
  return std::make_unique<NullDevice>(config, std::move(memory));
}

}  // namespace

Driver NullDriver() {
  return {.name = "null",
          .what = "memory without a machine: executes nothing",
          .executes = false,
          .open = Open};
}

}  // namespace tessera
