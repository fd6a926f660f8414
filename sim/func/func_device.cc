// SPDX-License-Identifier: Apache-2.0
#include "sim/func/func_device.h"

#include <optional>
#include <utility>

#include "sim/func/run.h"
#include "sim/memory/device_memory.h"

namespace tessera::sim {
namespace {

class FuncDevice : public Device {
 public:
  FuncDevice(const isa::Config& config, const FuncOptions& options, DeviceMemory memory)
      : options_(options), memory_(std::move(memory)), machine_(config) {
    machine_.dram = memory_.bytes();
  }

  std::string_view name() const override { return "func"; }
  const isa::Config& config() const override { return machine_.config; }
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

  Status Submit(const Launch& launch) override {
    if (launch_) return Fail(Code::kInvalidArgument, "a run is in progress; call Wait first");
    if (launch.insn_count == 0)
      return Fail(Code::kInvalidArgument, "the stream has no instruction; FINISH is the least");
    if (launch.budget == 0)
      return Fail(Code::kInvalidArgument, "the budget is 0, must be at least 1");
    if (launch.insn_addr % 64 != 0) {
      return Fail(Code::kInvalidArgument, "code address {}, must be a multiple of 64",
                  launch.insn_addr);
    }
    const uint64_t code =
        launch.insn_count *
        (launch.profile == isa::Profile::kVta ? isa::kVtaInsnBytes : isa::kInsnBytes);
    if (launch.insn_addr > memory_.size() || code > memory_.size() - launch.insn_addr) {
      return Fail(Code::kInvalidArgument,
                  "{} instructions at address {}: device memory has {} bytes", launch.insn_count,
                  launch.insn_addr, memory_.size());
    }
    for (int s = 0; s < isa::kSegments; ++s) {
      if (launch.segments[s].base % 64 != 0) {
        return Fail(Code::kInvalidArgument, "segment {} at address {}, must be a multiple of 64", s,
                    launch.segments[s].base);
      }
    }
    // Made once a profile: VTA's layout takes a while to work out.
    if (!fetcher_ || fetcher_->profile() != launch.profile) {
      TESSERA_ASSIGN(fetcher_, isa::Fetcher::Make(launch.profile, machine_.config));
    }
    launch_ = launch;
    return {};
  }

  Result<RunReport> Wait() override {
    if (!launch_) return Fail(Code::kInvalidArgument, "nothing was submitted");
    const Launch launch = *std::exchange(launch_, std::nullopt);
    machine_.profile = launch.profile;
    machine_.vta = fetcher_->vta();
    for (int s = 0; s < isa::kSegments; ++s) {
      machine_.segments[s] = {launch.segments[s].base, launch.segments[s].size};
    }
    FuncRun run(launch, *fetcher_, machine_, options_.schedule_seed, options_.kernels);
    Result<RunReport> report = run.Run(trace_);
    if (!report) machine_.ClearScratchpads();
    return report;
  }

  Status Reset() override {
    launch_.reset();
    machine_.ClearScratchpads();
    return {};
  }

  Status SetTrace(std::vector<TraceEntry>* trace) override {
    trace_ = trace;
    return {};
  }

 private:
  FuncOptions options_;
  DeviceMemory memory_;
  isa::MachineState machine_;
  std::optional<isa::Fetcher> fetcher_;
  std::optional<Launch> launch_;  // submitted, and Wait not called
  std::vector<TraceEntry>* trace_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Device>> MakeFuncDevice(const isa::Config& config,
                                               const DeviceOptions& options,
                                               const FuncOptions& func) {
  TESSERA_TRY(isa::ValidateConfig(config));
  TESSERA_ASSIGN(DeviceMemory memory, DeviceMemory::Make(options.memory_bytes));
  return std::make_unique<FuncDevice>(config, func, std::move(memory));
}

Result<std::unique_ptr<Device>> MakeFuncDevice(const isa::Config& config,
                                               const DeviceOptions& options) {
  return MakeFuncDevice(config, options, FuncOptions{});
}

}  // namespace tessera::sim
