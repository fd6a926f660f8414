// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/rtl_device.h"

#include <optional>
#include <utility>

#include "base/check.h"
#include "isa/regs.h"
#include "isa/semantics/fetch.h"
#include "sim/memory/device_memory.h"
#include "sim/rtl/explain.h"
#include "sim/rtl/plugin.h"

namespace tessera::sim {
namespace {

namespace reg = isa::reg;

class RtlDevice : public Device {
 public:
  RtlDevice(const isa::Config& config, const DeviceOptions& options, DeviceMemory memory,
            std::shared_ptr<RtlPlugin> plugin)
      : config_(config),
        options_(options),
        memory_(std::move(memory)),
        plugin_(std::move(plugin)) {}

  std::string_view name() const override { return "rtl"; }
  const isa::Config& config() const override { return config_; }
  bool has_clock() const override { return true; }

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

  Status Submit(const Launch& launch) override;
  Result<RunReport> Wait() override;

  Status Reset() override {
    launch_.reset();
    machine_.reset();
    return StartMachine();
  }

  Status SetTrace(std::vector<TraceEntry>* trace) override {
    trace_ = trace;
    machine_->SetTrace(trace);
    return {};
  }

  // A machine fresh from reset, its scratchpads zero.
  Status StartMachine();

 private:
  void WriteRegister64(uint32_t low, uint32_t high, uint64_t value) {
    machine_->WriteRegister(low, static_cast<uint32_t>(value));
    machine_->WriteRegister(high, static_cast<uint32_t>(value >> 32));
  }
  void Program(const Launch& launch);
  Result<RunReport> Outcome(RtlStop stop, const Launch& launch);
  RunReport Report();

  isa::Config config_;
  DeviceOptions options_;
  DeviceMemory memory_;
  std::shared_ptr<RtlPlugin> plugin_;
  std::unique_ptr<RtlMachine> machine_;  // goes before plugin_
  std::optional<isa::Fetcher> fetcher_;
  std::optional<Launch> launch_;  // submitted, and Wait not called
  std::vector<TraceEntry>* trace_ = nullptr;
};

Status RtlDevice::StartMachine() {
  machine_ = plugin_->NewMachine({.memory = memory_.bytes().data(),
                                  .memory_bytes = memory_.size(),
                                  .dram = config_.dram,
                                  .stall_seed = options_.stall_seed});
  const uint64_t hash = machine_->ReadRegister(reg::kConfigHashLo) |
                        uint64_t{machine_->ReadRegister(reg::kConfigHashHi)} << 32;
  TESSERA_CHECK(machine_->ReadRegister(reg::kId) == reg::kIdValue);
  TESSERA_CHECK(hash == config_.Hash(), "the machine says {:016x}", hash);
  machine_->SetTrace(trace_);
  if (!options_.waveform.empty() &&
      !machine_->OpenWaveform(options_.waveform, options_.waveform_begin, options_.waveform_end)) {
    return Fail(Code::kUnavailable, "{}: the waveform cannot be written", options_.waveform);
  }
  return {};
}

Status RtlDevice::Submit(const Launch& launch) {
  if (launch_) return Fail(Code::kInvalidArgument, "a run is in progress; call Wait first");
  if (launch.insn_count == 0) {
    return Fail(Code::kInvalidArgument, "the stream has no instruction; FINISH is the least");
  }
  if (launch.budget == 0)
    return Fail(Code::kInvalidArgument, "the budget is 0, must be at least 1");
  if (launch.insn_addr % 64 != 0) {
    return Fail(Code::kInvalidArgument, "code address {}, must be a multiple of 64",
                launch.insn_addr);
  }
  const bool vta = launch.profile == isa::Profile::kVta;
  const uint64_t code = uint64_t{launch.insn_count} * (vta ? isa::kVtaInsnBytes : isa::kInsnBytes);
  if (launch.insn_addr > memory_.size() || code > memory_.size() - launch.insn_addr) {
    return Fail(Code::kInvalidArgument, "{} instructions at address {}: device memory has {} bytes",
                launch.insn_count, launch.insn_addr, memory_.size());
  }
  for (int s = 0; s < isa::kSegments; ++s) {
    if (launch.segments[s].base % 64 != 0) {
      return Fail(Code::kInvalidArgument, "segment {} at address {}, must be a multiple of 64", s,
                  launch.segments[s].base);
    }
  }
  if (!fetcher_ || fetcher_->profile() != launch.profile) {
    TESSERA_ASSIGN(fetcher_, isa::Fetcher::Make(launch.profile, config_));
  }
  launch_ = launch;
  return {};
}

void RtlDevice::Program(const Launch& launch) {
  WriteRegister64(reg::kInsnAddrLo, reg::kInsnAddrHi, launch.insn_addr);
  machine_->WriteRegister(reg::kInsnCount, launch.insn_count);
  for (uint32_t s = 0; s < isa::kSegments; ++s) {
    WriteRegister64(reg::kSegmentBaseLo[s], reg::kSegmentBaseHi[s], launch.segments[s].base);
    WriteRegister64(reg::kSegmentSizeLo[s], reg::kSegmentSizeHi[s], launch.segments[s].size);
  }
  machine_->WriteRegister(
      reg::kControl,
      reg::kControlStart.Put(1) | reg::kControlProfile.Put(static_cast<uint32_t>(launch.profile)));
}

Result<RunReport> RtlDevice::Wait() {
  if (!launch_) return Fail(Code::kInvalidArgument, "nothing was submitted");
  const Launch launch = *std::exchange(launch_, std::nullopt);
  Program(launch);
  Result<RunReport> report = Outcome(machine_->Run(launch.budget), launch);
  if (!report) TESSERA_TRY(Reset());
  return report;
}

Result<RunReport> RtlDevice::Outcome(RtlStop stop, const Launch& launch) {
  const size_t bytes =
      static_cast<size_t>(launch.insn_count) * static_cast<size_t>(fetcher_->insn_bytes());
  const RunCode code{&*fetcher_, memory_.bytes().subspan(launch.insn_addr, bytes)};
  switch (stop) {
    case RtlStop::kAssertion:
      return Fail(Code::kDataLoss,
                  "an assertion of the RTL failed, which is a bug of the machine and not of the "
                  "program: {}",
                  machine_->assertion());
    case RtlStop::kDeadlock:
      return std::unexpected(ExplainDeadlock(*machine_, code));
    case RtlStop::kBudget:
      return std::unexpected(ExplainTimeout(*machine_, code, launch.budget));
    case RtlStop::kDone:
      break;
  }
  const uint32_t status = machine_->ReadRegister(reg::kStatus);
  TESSERA_CHECK(reg::kStatusDone.Get(status) == 1, "status is {:#x}", status);
  if (reg::kStatusError.Get(status)) return std::unexpected(ExplainError(*machine_, code));
  RunReport report = Report();
  report.leftover_tokens = reg::kStatusLeftover.Get(status);
  return report;
}

RunReport RtlDevice::Report() {
  RunReport report;
  report.cycles = machine_->ReadRegister(reg::kCyclesLo) |
                  uint64_t{machine_->ReadRegister(reg::kCyclesHi)} << 32;
  report.instructions = machine_->ReadRegister(reg::kRetired);
  for (uint32_t u = 0; u < isa::kUnits; ++u) {
    UnitCounters& unit = report.units[u];
    unit.busy = machine_->ReadRegister(reg::kBusy[u]);
    unit.token_wait = machine_->ReadRegister(reg::kTokenWait[u]);
    unit.memory_wait = machine_->ReadRegister(reg::kMemoryWait[u]);
    unit.hazard = machine_->ReadRegister(reg::kHazard[u]);
    unit.idle = report.cycles - unit.busy - unit.token_wait - unit.memory_wait - unit.hazard;
  }
  report.bytes_read = machine_->bytes_read();
  report.bytes_written = machine_->bytes_written();
  return report;
}

Result<WaveKind> WaveKindOf(const std::string& path) {
  if (path.empty()) return WaveKind::kNone;
  if (path.ends_with(".vcd")) return WaveKind::kVcd;
  if (path.ends_with(".fst")) return WaveKind::kFst;
  return Fail(Code::kInvalidArgument, "{}: a waveform's name ends in .vcd or .fst", path);
}

}  // namespace

Result<std::unique_ptr<Device>> MakeRtlDevice(const isa::Config& config,
                                              const DeviceOptions& options) {
  TESSERA_TRY(isa::ValidateConfig(config));
  TESSERA_ASSIGN(const WaveKind wave, WaveKindOf(options.waveform));
  TESSERA_ASSIGN(DeviceMemory memory, DeviceMemory::Make(options.memory_bytes));
  TESSERA_ASSIGN(std::shared_ptr<RtlPlugin> plugin, FindRtlPlugin(config, wave, options.cache_dir));
  auto device = std::make_unique<RtlDevice>(config, options, std::move(memory), std::move(plugin));
  TESSERA_TRY(device->StartMachine());
  return device;
}

}  // namespace tessera::sim
