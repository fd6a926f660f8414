// SPDX-License-Identifier: Apache-2.0
#include "sim/func/func_device.h"

#include <optional>
#include <utility>

#include "runtime/device/device_base.h"
#include "sim/func/run.h"

namespace tessera::sim {
namespace {

class FuncDevice : public DeviceBase {
 public:
  // |bytes|: the bytes of |memory|.
  FuncDevice(const isa::Config& config, const FuncOptions& options, std::span<uint8_t> bytes,
             std::unique_ptr<HostMemory> memory)
      : DeviceBase(config, std::move(memory)), options_(options), machine_(config) {
    machine_.dram = bytes;
  }

  std::string_view name() const override { return "func"; }
  bool has_clock() const override { return false; }
  Status SetObserver(RunObserver* observer) override {
    observer_ = observer;
    return {};
  }

 private:
  Result<RunReport> Finish(const Launch& launch, const isa::Fetcher& fetcher) override {
    machine_.profile = launch.profile;
    machine_.vta = fetcher.vta();
    for (int s = 0; s < isa::kSegments; ++s) {
      machine_.segments[s] = {launch.segments[s].base, launch.segments[s].size};
    }
    run_.emplace(launch, fetcher, machine_, options_.schedule_seed, options_.kernels);
    return run_->Run(observer_, watcher_);
  }

  Status Forget() override {
    machine_.ClearScratchpads();
    return {};
  }

  Status Watch(MachineWatcher* watcher) override {
    watcher_ = watcher;
    return {};
  }

  FuncOptions options_;
  isa::MachineState machine_;
  RunObserver* observer_ = nullptr;
  MachineWatcher* watcher_ = nullptr;
  std::optional<FuncRun> run_;  // the last run; a watcher may read it until OnEnd
};

constexpr std::string_view kSchedule = "schedule";
constexpr std::string_view kKernels = "kernels";

}  // namespace

Result<std::unique_ptr<Device>> MakeFuncDevice(const isa::Config& config,
                                               const FuncOptions& options) {
  TESSERA_TRY(isa::ValidateConfig(config));
  TESSERA_ASSIGN(std::unique_ptr<HostMemory> memory, HostMemory::Make(options.memory_bytes));
  const std::span<uint8_t> bytes = memory->bytes();
  return std::make_unique<FuncDevice>(config, options, bytes, std::move(memory));
}

Driver FuncDriver() {
  return {
      .name = "func",
      .what = "functional simulator of the accelerator, exact results, no clock",
      .view = true,
      .many = true,
      .options = {{.name = kSchedule,
                   .kind = OptionKind::kNumber,
                   .value = "SEED",
                   .fallback = "0",
                   .help = "not 0: units take turns at random, drawn from this seed"},
                  {.name = kKernels,
                   .kind = OptionKind::kSwitch,
                   .value = "on|off",
                   .fallback = "on",
                   .help = "off: every instruction by its semantics, no vector kernels"}},
      .open = [](const isa::Config& config, uint64_t memory_bytes, const OptionValues& options) {
        return MakeFuncDevice(config, {.memory_bytes = memory_bytes,
                                       .schedule_seed = options.Number(kSchedule),
                                       .kernels = options.Switch(kKernels)});
      }};
}

}  // namespace tessera::sim
