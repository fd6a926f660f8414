// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/register_device.h"

#include <utility>

#include "isa/regs.h"
#include "runtime/device/clear.h"
#include "runtime/device/device_base.h"
#include "runtime/device/explain.h"

namespace tessera {
namespace {

namespace reg = isa::reg;

class RegisterDevice : public DeviceBase {
 public:
  RegisterDevice(std::string name, const isa::Config& config, std::unique_ptr<RegisterPort> port,
                 std::unique_ptr<MemoryPort> memory, uint64_t clock_hz)
      : DeviceBase(config, std::move(memory)),
        name_(std::move(name)),
        port_(std::move(port)),
        clock_hz_(clock_hz) {}

  std::string_view name() const override { return name_; }
  bool has_clock() const override { return true; }
  double clock_mhz() const override {
    return clock_hz_ == 0 ? Device::clock_mhz() : static_cast<double>(clock_hz_) / 1e6;
  }
  Status SetObserver(RunObserver* observer) override { return port_->SetObserver(observer); }

  // Checks that the machine is the one of |config|, and idle.
  Status Greet();

 private:
  Status Start(const Launch& launch, const isa::Fetcher& fetcher) override;
  Result<RunReport> Finish(const Launch& launch, const isa::Fetcher& fetcher) override;
  Status Forget() override;
  Status Watch(MachineWatcher* watcher) override { return port_->SetWatcher(watcher); }

  Status Write64(uint32_t low, uint32_t high, uint64_t value) {
    TESSERA_TRY(port_->Write(low, static_cast<uint32_t>(value)));
    return port_->Write(high, static_cast<uint32_t>(value >> 32));
  }
  // Runs the program that makes the scratchpads zero; memory is afterwards as before.
  Status ClearScratchpads();
  // The counters of a finished run.
  Result<RunReport> Counters();

  std::string name_;
  std::unique_ptr<RegisterPort> port_;  // destroyed before the memory, which the base holds
  uint64_t clock_hz_;                   // 0: unknown
};

Status RegisterDevice::Greet() {
  TESSERA_ASSIGN(const uint32_t id, port_->Read(reg::kId));
  if (id != reg::kIdValue) {
    return Fail(Code::kNotFound,
                "{}: register ID reads {:#010x}, a machine of this project says {:#010x}; is it "
                "configured, and is the address right?",
                name_, id, reg::kIdValue);
  }
  TESSERA_ASSIGN(const uint32_t version, port_->Read(reg::kVersion));
  if (version != reg::kVersionValue) {
    return Fail(
        Code::kUnsupported,
        "{}: the machine has version {}.{} of registers and instructions, this program {}.{}; "
        "use a machine and a program of one version",
        name_, version >> 16, version & 0xffff, reg::kVersionValue >> 16,
        reg::kVersionValue & 0xffff);
  }
  TESSERA_ASSIGN(const uint32_t low, port_->Read(reg::kConfigHashLo));
  TESSERA_ASSIGN(const uint32_t high, port_->Read(reg::kConfigHashHi));
  const uint64_t hash = uint64_t{high} << 32 | low;
  if (hash != config().Hash()) {
    return Fail(Code::kInvalidArgument,
                "{}: the machine was made for the configuration with hash {:016x}, {} has {:016x}; "
                "open it with the configuration it was made for",
                name_, hash, config().name, config().Hash());
  }
  TESSERA_ASSIGN(const uint32_t status, port_->Read(reg::kStatus));
  return reg::kStatusBusy.Get(status) ? port_->Reset() : Status{};
}

Status RegisterDevice::Start(const Launch& launch, const isa::Fetcher& /*fetcher*/) {
  const uint64_t bus = memory().bus_address();
  TESSERA_TRY(Write64(reg::kInsnAddrLo, reg::kInsnAddrHi, bus + launch.insn_addr));
  TESSERA_TRY(port_->Write(reg::kInsnCount, launch.insn_count));
  for (uint32_t s = 0; s < isa::kSegments; ++s) {
    const SegmentBinding& segment = launch.segments[s];
    TESSERA_TRY(Write64(reg::kSegmentBaseLo[s], reg::kSegmentBaseHi[s], bus + segment.base));
    TESSERA_TRY(Write64(reg::kSegmentSizeLo[s], reg::kSegmentSizeHi[s], segment.size));
  }
  const auto profile = static_cast<uint32_t>(launch.profile);
  TESSERA_TRY(
      port_->Write(reg::kControl, reg::kControlStart.Put(1) | reg::kControlProfile.Put(profile)));
  TESSERA_ASSIGN(const uint32_t status, port_->Read(reg::kStatus));
  if (!reg::kStatusRefused.Get(status)) return {};
  return Fail(Code::kUnavailable,
              "{}: the machine refused to start: it runs a program of somebody else, which the "
              "reset after this ends; let one process use it at a time",
              name_);
}

Result<RunReport> RegisterDevice::Finish(const Launch& launch, const isa::Fetcher& fetcher) {
  const RunCode code{&fetcher, &config(), &memory(), &launch};
  TESSERA_ASSIGN(const WaitOutcome outcome, port_->Wait(launch.budget));
  switch (outcome.end) {
    case WaitEnd::kAssertion:
      return Fail(Code::kDataLoss,
                  "an assertion of the RTL failed, which is a bug of the machine and not of the "
                  "program: {}",
                  outcome.assertion);
    case WaitEnd::kBudget:
      return std::unexpected(ExplainTimeout(*port_, code, launch.budget, outcome.memory));
    case WaitEnd::kDone:
      break;
  }
  TESSERA_ASSIGN(const uint32_t status, port_->Read(reg::kStatus));
  if (!reg::kStatusDone.Get(status)) {
    return Fail(Code::kDataLoss,
                "the machine stopped without being done (STATUS is {:#x}): something else reset it",
                status);
  }
  if (reg::kStatusError.Get(status))
    return std::unexpected(ExplainError(*port_, code, outcome.refused));
  TESSERA_ASSIGN(RunReport report, Counters());
  report.leftover_tokens = reg::kStatusLeftover.Get(status);
  report.bytes_read = outcome.bytes_read;
  report.bytes_written = outcome.bytes_written;
  return report;
}

Status RegisterDevice::Forget() {
  TESSERA_TRY(port_->Reset());
  return port_->reset_clears() ? Status{} : ClearScratchpads();
}

Status RegisterDevice::ClearScratchpads() {
  const ClearProgram clear = MakeClearProgram(config());
  TESSERA_ASSIGN(const isa::Fetcher fetcher, isa::Fetcher::Make(clear.launch.profile, config()));
  std::vector<uint8_t> kept(clear.bytes.size());
  TESSERA_TRY(memory().Read(0, kept));
  TESSERA_TRY(memory().Write(0, clear.bytes));
  Status done = Start(clear.launch, fetcher);
  if (done) {
    const Result<RunReport> report = Finish(clear.launch, fetcher);
    if (!report) done = std::unexpected(report.error());
  }
  TESSERA_TRY(memory().Write(0, kept));
  return done;
}

Result<RunReport> RegisterDevice::Counters() {
  RunReport report;
  TESSERA_ASSIGN(report.cycles, ReadCounter(*port_, reg::kCyclesLo, reg::kCyclesHi));
  TESSERA_ASSIGN(report.instructions, port_->Read(reg::kRetired));
  for (uint32_t u = 0; u < isa::kUnits; ++u) {
    UnitCounters& unit = report.units[u];
    TESSERA_ASSIGN(unit.busy, port_->Read(reg::kBusy[u]));
    TESSERA_ASSIGN(unit.token_wait, port_->Read(reg::kTokenWait[u]));
    TESSERA_ASSIGN(unit.memory_wait, port_->Read(reg::kMemoryWait[u]));
    TESSERA_ASSIGN(unit.hazard, port_->Read(reg::kHazard[u]));
    unit.SetIdle(report.cycles);
  }
  return report;
}

}  // namespace

Result<std::unique_ptr<Device>> OpenRegisterDevice(std::string name, const isa::Config& config,
                                                   std::unique_ptr<RegisterPort> port,
                                                   std::unique_ptr<MemoryPort> memory,
                                                   uint64_t clock_hz) {
  auto device = std::make_unique<RegisterDevice>(std::move(name), config, std::move(port),
                                                 std::move(memory), clock_hz);
  TESSERA_TRY(device->Greet());
  return device;
}

}  // namespace tessera
