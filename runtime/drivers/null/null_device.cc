// SPDX-License-Identifier: Apache-2.0
#include "runtime/drivers/null/null_device.h"

#include <utility>

#include "sim/memory/device_memory.h"

namespace tessera {
namespace {

class NullDevice : public Device {
 public:
  NullDevice(const isa::Config& config, sim::DeviceMemory memory)
      : config_(config), memory_(std::move(memory)) {}

  std::string_view name() const override { return "null"; }
  const isa::Config& config() const override { return config_; }
  bool has_clock() const override { return false; }

  Result<uint64_t> Allocate(uint64_t bytes, uint64_t align) override {
    return memory_.Allocate(bytes, align);
  }
  Status Free(uint64_t address) override { return memory_.Free(address); }
  Status Write(uint64_t address, std::span<const uint8_t> bytes) override {
    return memory_.Write(address, bytes);
  }
  Status Read(uint64_t address, std::span<uint8_t> bytes) override {
    return memory_.Read(address, bytes);
  }

  Status Submit(const Launch&) override {
    return Fail(Code::kUnsupported, "null: this device executes nothing; open func or rtl");
  }
  Result<RunReport> Wait() override {
    return Fail(Code::kInvalidArgument, "null: Wait without Submit (this device executes nothing)");
  }
  Status Reset() override { return {}; }
  Status SetTrace(std::vector<TraceEntry>* trace) override {
    if (trace == nullptr) return {};
    return Fail(Code::kUnsupported, "null: nothing is executed, so there is nothing to trace");
  }

 private:
  isa::Config config_;
  sim::DeviceMemory memory_;
};

}  // namespace

Result<std::unique_ptr<Device>> MakeNullDevice(const isa::Config& config,
                                               const DeviceOptions& options) {
  TESSERA_ASSIGN(sim::DeviceMemory memory, sim::DeviceMemory::Make(options.memory_bytes));
  return std::make_unique<NullDevice>(config, std::move(memory));
}

}  // namespace tessera
