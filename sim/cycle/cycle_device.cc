// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/cycle_device.h"

#include <optional>
#include <utility>

#include "base/file.h"
#include "isa/regs.h"
#include "runtime/device/register_device.h"
#include "sim/cycle/ddr3_channel.h"
#include "sim/cycle/kernel.h"
#include "sim/dram/dram.h"

namespace tessera::sim {
namespace {

namespace reg = isa::reg;

// The registers of the machine: reads return the last value written or the results of the last run.
class CyclePort : public RegisterPort {
 public:
  // |ddr3|: the memory behind the bus; without it, the memory model of the configuration.
  CyclePort(const isa::Config& config, std::span<uint8_t> memory, uint64_t stall_seed,
            uint64_t memory_stops, std::optional<cycle::Ddr3Parameters> ddr3)
      : state_(config),
        dram_(config.dram, static_cast<uint32_t>(config.bus_bytes()), stall_seed, memory_stops),
        ddr3_(std::move(ddr3)) {
    state_.dram = memory;
    MakeKernel();
    Put(reg::kId, reg::kIdValue);
    Put(reg::kVersion, reg::kVersionValue);
    Put64(reg::kConfigHashLo, reg::kConfigHashHi, config.Hash());
  }

  Result<uint32_t> Read(uint32_t offset) override { return Get(offset); }

  Status Write(uint32_t offset, uint32_t value) override {
    Put(offset, value);
    if (offset != reg::kControl || !reg::kControlStart.Get(value)) return {};
    state_.profile = static_cast<isa::Profile>(reg::kControlProfile.Get(value));
    Put(reg::kStatus, reg::kStatusBusy.Put(1));
    return {};
  }

  Result<WaitOutcome> Wait(uint64_t budget) override {
    launch_ = {.profile = state_.profile,
               .insn_addr = Get64(reg::kInsnAddrLo, reg::kInsnAddrHi),
               .insn_count = Get(reg::kInsnCount),
               .segments = {},
               .budget = budget};
    for (uint32_t s = 0; s < isa::kSegments; ++s) {
      SegmentBinding& segment = launch_.segments[s];
      segment = {Get64(reg::kSegmentBaseLo[s], reg::kSegmentBaseHi[s]),
                 Get64(reg::kSegmentSizeLo[s], reg::kSegmentSizeHi[s])};
      state_.segments[s] = {segment.base, segment.size};
    }
    TESSERA_ASSIGN(fetcher_, isa::Fetcher::Make(state_.profile, state_.config));
    state_.vta = fetcher_->vta();
    MemoryModel& memory = ddr3_ ? *kernel_->memory() : dram_;
    memory.Reset();
    observers_ = {};
    observers_.Add(observer_);
    observers_.Add(watcher_);
    RunObserver* observer = watcher_ == nullptr ? observer_ : observers_.any();
    cycle::CycleRun& run = run_.emplace(launch_, *fetcher_, state_, memory, observer);
    if (watcher_ != nullptr) watcher_->OnBegin(launch_, run);
    const bool done = kernel_->Run(run, budget);
    const cycle::RunEnd end = run.End(done);
    Keep(end);
    return WaitOutcome{.end = done ? WaitEnd::kDone : WaitEnd::kBudget,
                       .bytes_read = end.bytes_read,
                       .bytes_written = end.bytes_written,
                       .memory = done ? std::vector<isa::MemoryWait>{}
                                      : memory.Waits(cycle::kMemoryBegin + budget),
                       .refused = end.refused};
  }

  Status Reset() override {
    run_.reset();
    state_.ClearScratchpads();
    MakeKernel();  // drops the SystemC state of an unfinished run
    Put(reg::kStatus, 0);
    return {};
  }

  Status SetObserver(RunObserver* observer) override {
    observer_ = observer;
    return {};
  }
  Status SetWatcher(MachineWatcher* watcher) override {
    watcher_ = watcher;
    return {};
  }

 private:
  void MakeKernel() {
    const isa::Config& config = state_.config;
    kernel_ = std::make_unique<cycle::CycleKernel>(static_cast<double>(config.clock_mhz),
                                                   static_cast<uint32_t>(config.bus_bytes()),
                                                   ddr3_ ? &*ddr3_ : nullptr);
  }

  uint32_t Get(uint32_t offset) const { return registers_[offset / 4]; }
  void Put(uint32_t offset, uint32_t value) { registers_[offset / 4] = value; }
  uint64_t Get64(uint32_t low, uint32_t high) const { return uint64_t{Get(high)} << 32 | Get(low); }
  void Put64(uint32_t low, uint32_t high, uint64_t value) {
    Put(low, static_cast<uint32_t>(value));
    Put(high, static_cast<uint32_t>(value >> 32));
  }

  void Keep(const cycle::RunEnd& end) {
    const bool error = end.error != isa::MachineError::kNone;
    Put(reg::kStatus, reg::kStatusBusy.Put(!end.done) | reg::kStatusDone.Put(end.done) |
                          reg::kStatusError.Put(error) | reg::kStatusLeftover.Put(end.leftover));
    Put(reg::kError, reg::kErrorCode.Put(static_cast<uint32_t>(end.error)) |
                         reg::kErrorUnit.Put(end.error_unit));
    Put(reg::kErrorInsn, end.error_insn);
    Put(reg::kRetired, end.instructions);
    Put64(reg::kCyclesLo, reg::kCyclesHi, end.cycles);
    for (uint32_t u = 0; u < isa::kUnits; ++u) {
      const UnitCounters& unit = end.units[u];
      Put(reg::kBusy[u], static_cast<uint32_t>(unit.busy));
      Put(reg::kTokenWait[u], static_cast<uint32_t>(unit.token_wait));
      Put(reg::kMemoryWait[u], static_cast<uint32_t>(unit.memory_wait));
      Put(reg::kHazard[u], static_cast<uint32_t>(unit.hazard));
      const isa::UnitStanding& standing = end.standing[u];
      Put(reg::kUnitState[u],
          uint32_t{standing.holds} | standing.missing << 4 | standing.full << 8);
      Put(reg::kUnitInsn[u], standing.insn);
    }
  }

  isa::MachineState state_;
  Dram dram_;
  std::optional<cycle::Ddr3Parameters> ddr3_;
  std::unique_ptr<cycle::CycleKernel> kernel_;
  RunObserver* observer_ = nullptr;
  MachineWatcher* watcher_ = nullptr;
  ObserverList observers_;  // observer_ and watcher_
  Launch launch_;           // the last run; a watcher may read it until OnEnd
  std::optional<isa::Fetcher> fetcher_;
  std::optional<cycle::CycleRun> run_;
  std::array<uint32_t, 0x200 / 4> registers_{};
};

constexpr std::string_view kStallSeed = "stall-seed";
constexpr std::string_view kDdr3 = "ddr3";
constexpr std::string_view kMemoryStops = "memory-stops";

// The parameters in file |path|, nothing if |path| is "".
Result<std::optional<cycle::Ddr3Parameters>> ReadDdr3(const std::string& path) {
  if (path.empty()) return std::nullopt;
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  Result<cycle::Ddr3Parameters> parameters = cycle::ParseDdr3({bytes.begin(), bytes.end()});
  if (parameters) return *parameters;
  return Fail(parameters.error().code, "{}: {}", path, parameters.error().message);
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& options) {
  TESSERA_TRY(isa::ValidateConfig(config));
  TESSERA_ASSIGN(std::unique_ptr<HostMemory> memory, HostMemory::Make(memory_bytes));
  TESSERA_ASSIGN(std::optional<cycle::Ddr3Parameters> ddr3, ReadDdr3(options.Text(kDdr3)));
  const uint64_t memory_stops = options.Number(kMemoryStops);
  if (ddr3 && memory_stops != Dram::kNever) {
    return Fail(
        Code::kInvalidArgument,
        "cycle: options ddr3 and memory-stops are given, and a DDR3 does not stop; give one "
        "of them");
  }
  auto port = std::make_unique<CyclePort>(config, memory->bytes(), options.Number(kStallSeed),
                                          memory_stops, std::move(ddr3));
  return OpenRegisterDevice("cycle", config, std::move(port), std::move(memory));
}

}  // namespace

Driver CycleDriver() {
  return {.name = "cycle",
          .what = "cycle model of the accelerator in SystemC: the RTL's cycles, func's results",
          .clock = true,
          .view = true,
          .many = true,
          .options = {{.name = kStallSeed,
                       .kind = OptionKind::kNumber,
                       .value = "SEED",
                       .fallback = "0",
                       .help = "not 0: memory stalls at random, drawn from this seed"},
                      {.name = kDdr3,
                       .value = "FILE",
                       .help = "a DDR3 channel behind the bus instead of the configuration's "
                               "memory model: JSON, {} has the defaults"},
                      {.name = kMemoryStops,
                       .kind = OptionKind::kNumber,
                       .value = "CYCLE",
                       .fallback = "18446744073709551615",
                       .help = "cycle of a run from which on the memory answers nothing"}},
          .open = Open};
}

}  // namespace tessera::sim
