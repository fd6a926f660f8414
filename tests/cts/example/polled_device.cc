// SPDX-License-Identifier: Apache-2.0
#include "tests/cts/example/polled_device.h"

#include <utility>

#include "runtime/device/register_device.h"
#include "sim/rtl/plugin.h"

namespace tessera::cts {
namespace {

class PolledPort : public RegisterPort {
 public:
  PolledPort(std::shared_ptr<sim::RtlPlugin> plugin, const sim::RtlMachineOptions& options)
      : plugin_(std::move(plugin)), options_(options), machine_(plugin_->NewMachine(options_)) {}

  Result<uint32_t> Read(uint32_t offset) override {
    uint32_t value = 0;
    if (machine_->ReadRegister(offset, &value)) return value;
    return Fail(Code::kDataLoss, "register {:#05x} does not answer", offset);
  }

  Status Write(uint32_t offset, uint32_t value) override {
    if (machine_->WriteRegister(offset, value)) return {};
    return Fail(Code::kDataLoss, "register {:#05x} does not answer", offset);
  }

  // A board's clock runs by itself; this machine advances only when it is stepped.
  void Pause() override { machine_->Step(512); }

  // A soft reset keeps the scratchpads. A board loads its bitstream again; this device makes a new
  // machine.
  Status Reset() override {
    machine_.reset();
    machine_ = plugin_->NewMachine(options_);
    return {};
  }

 private:
  std::shared_ptr<sim::RtlPlugin> plugin_;
  sim::RtlMachineOptions options_;
  std::unique_ptr<sim::RtlMachine> machine_;  // destroyed before plugin_
};

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& /*options*/) {
  TESSERA_ASSIGN(std::unique_ptr<HostMemory> memory, HostMemory::Make(memory_bytes));
  TESSERA_ASSIGN(std::shared_ptr<sim::RtlPlugin> plugin,
                 sim::FindRtlPlugin(config, sim::WaveKind::kNone, ""));
  auto port = std::make_unique<PolledPort>(
      std::move(plugin),
      sim::RtlMachineOptions{
          .memory = memory->bytes().data(), .memory_bytes = memory->size(), .dram = config.dram});
  return OpenRegisterDevice("polled", config, std::move(port), std::move(memory));
}

}  // namespace

Driver PolledDriver() {
  return {.name = "polled",
          .what = "the verilated machine by register reads and writes alone, as a board is reached",
          .clock = true,
          .open = Open};
}

}  // namespace tessera::cts
