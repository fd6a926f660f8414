// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/rtl_device.h"

#include <algorithm>
#include <utility>

#include "isa/regs.h"
#include "runtime/device/register_device.h"
#include "sim/rtl/plugin.h"

namespace tessera::sim {
namespace {

// Cycles between two reads of STATUS.
constexpr uint64_t kPollCycles = 32;

struct Waveform {
  WaveKind kind = WaveKind::kNone;
  std::string path;
  uint64_t run = 0;             // the run in the waveform, from 1 on; 0: all runs
  uint64_t begin = 0, end = 0;  // cycles of a run
};

// The verilated machine as a register port. It steps the machine and finds the cycle in which a run
// ends.
class RtlPort : public RegisterPort {
 public:
  RtlPort(std::shared_ptr<RtlPlugin> plugin, const RtlMachineOptions& options, Waveform waveform)
      : plugin_(std::move(plugin)), options_(options), waveform_(std::move(waveform)) {}

  Result<uint32_t> Read(uint32_t offset) override {
    uint32_t value = 0;
    if (machine_->ReadRegister(offset, &value)) return value;
    return NoAnswer(offset);
  }

  Status Write(uint32_t offset, uint32_t value) override {
    if (machine_->WriteRegister(offset, value)) return {};
    return NoAnswer(offset);
  }

  Result<WaitOutcome> Wait(uint64_t budget) override {
    ++run_;
    TESSERA_TRY(OpenWave());
    Aim(run_);
    machine_->BeginRun();
    for (;;) {
      machine_->Step(std::min(kPollCycles, budget - std::min(budget, machine_->cycles())));
      if (!machine_->assertion().empty()) return Outcome(WaitEnd::kAssertion);
      TESSERA_ASSIGN(const uint32_t status, Read(isa::reg::kStatus));
      if (!isa::reg::kStatusBusy.Get(status)) return Outcome(WaitEnd::kDone);
      if (machine_->cycles() >= budget) return Outcome(WaitEnd::kBudget);
    }
  }

  // Makes a machine fresh from reset, with zero scratchpads.
  Status Reset() override {
    if (machine_) machine_->SetObserver(nullptr);  // the observer receives the end of its spans
    machine_.reset();
    machine_ = plugin_->NewMachine(options_);
    machine_->SetObserver(observer_);
    // After a failed run, its waveform stays until the next run.
    wave_open_ = false;
    Aim(run_ + 1);
    return std::exchange(first_, false) ? OpenWave() : Status{};
  }

  Status SetObserver(RunObserver* observer) override {
    observer_ = observer;
    machine_->SetObserver(observer);
    return {};
  }

 private:
  // Selects the cycles of |run| for the waveform. A run starts some cycles before Wait.
  void Aim(uint64_t run) {
    const bool chosen = waveform_.run == 0 || waveform_.run == run;
    machine_->SetWaveWindow(chosen ? waveform_.begin : 0, chosen ? waveform_.end : 0);
  }

  Status OpenWave() {
    if (waveform_.kind == WaveKind::kNone || std::exchange(wave_open_, true)) return {};
    if (waveform_.run != 0 && run_ > waveform_.run) return {};
    if (machine_->OpenWaveform(waveform_.path)) return {};
    return Fail(Code::kUnavailable, "{}: the waveform cannot be written", waveform_.path);
  }

  WaitOutcome Outcome(WaitEnd end) {
    Aim(run_ + 1);
    return {.end = end,
            .assertion = machine_->assertion(),
            .bytes_read = machine_->bytes_read(),
            .bytes_written = machine_->bytes_written(),
            .memory =
                end == WaitEnd::kBudget ? machine_->MemoryWaits() : std::vector<isa::MemoryWait>{},
            .refused = machine_->refused()};
  }

  static std::unexpected<Error> NoAnswer(uint32_t offset) {
    return Fail(Code::kDataLoss,
                "the machine does not answer at register {:#05x} within 64 cycles, or answers with "
                "an error: look at tsr_regs in a waveform",
                offset);
  }

  std::shared_ptr<RtlPlugin> plugin_;
  RtlMachineOptions options_;
  Waveform waveform_;
  bool first_ = true, wave_open_ = false;
  uint64_t run_ = 0;  // runs so far, with the current one
  RunObserver* observer_ = nullptr;
  std::unique_ptr<RtlMachine> machine_;  // destroyed before plugin_
};

constexpr std::string_view kWave = "wave";
constexpr std::string_view kWaveRun = "wave-run";
constexpr std::string_view kWaveBegin = "wave-begin";
constexpr std::string_view kWaveEnd = "wave-end";
constexpr std::string_view kStallSeed = "stall-seed";
constexpr std::string_view kMemoryStops = "memory-stops";
constexpr std::string_view kCache = "cache";
constexpr std::string_view kMachine = "machine";

Result<WaveKind> WaveKindOf(const std::string& path) {
  if (path.empty()) return WaveKind::kNone;
  if (path.ends_with(".vcd")) return WaveKind::kVcd;
  if (path.ends_with(".fst")) return WaveKind::kFst;
  return Fail(Code::kInvalidArgument, "{}: a waveform's name ends in .vcd or .fst", path);
}

Result<std::unique_ptr<Device>> Open(const isa::Config& config, uint64_t memory_bytes,
                                     const OptionValues& options) {
  Waveform waveform{.path = options.Text(kWave),
                    .run = options.Number(kWaveRun),
                    .begin = options.Number(kWaveBegin),
                    .end = options.Number(kWaveEnd)};
  TESSERA_ASSIGN(waveform.kind, WaveKindOf(waveform.path));
  TESSERA_ASSIGN(std::unique_ptr<HostMemory> memory, HostMemory::Make(memory_bytes));
  const std::string& machine = options.Text(kMachine);
  TESSERA_ASSIGN(std::shared_ptr<RtlPlugin> plugin,
                 machine.empty() ? FindRtlPlugin(config, waveform.kind, options.Text(kCache))
                                 : RtlPlugin::Open(machine, config));
  auto port =
      std::make_unique<RtlPort>(std::move(plugin),
                                RtlMachineOptions{.memory = memory->bytes().data(),
                                                  .memory_bytes = memory->size(),
                                                  .dram = config.dram,
                                                  .stall_seed = options.Number(kStallSeed),
                                                  .memory_stops = options.Number(kMemoryStops)},
                                std::move(waveform));
  TESSERA_TRY(port->Reset());
  return OpenRegisterDevice("rtl", config, std::move(port), std::move(memory));
}

}  // namespace

Driver RtlDriver() {
  return {
      .name = "rtl",
      .what = "the accelerator's SystemVerilog, compiled by Verilator, cycle by cycle",
      .clock = true,
      .many = true,
      .options = {{.name = kWave,
                   .value = "FILE",
                   .help = "write a waveform, .vcd or .fst (the machine is verilated for it once)"},
                  {.name = kWaveRun,
                   .kind = OptionKind::kNumber,
                   .value = "RUN",
                   .fallback = "0",
                   .help = "the run in the waveform, counted from 1 on; 0: all"},
                  {.name = kWaveBegin,
                   .kind = OptionKind::kNumber,
                   .value = "CYCLE",
                   .fallback = "0",
                   .help = "first cycle of a run in the waveform"},
                  {.name = kWaveEnd,
                   .kind = OptionKind::kNumber,
                   .value = "CYCLE",
                   .fallback = "18446744073709551615",
                   .help = "cycle of a run at which the waveform ends"},
                  {.name = kStallSeed,
                   .kind = OptionKind::kNumber,
                   .value = "SEED",
                   .fallback = "0",
                   .help = "not 0: memory stalls at random, drawn from this seed"},
                  {.name = kMemoryStops,
                   .kind = OptionKind::kNumber,
                   .value = "CYCLE",
                   .fallback = "18446744073709551615",
                   .help = "cycle of a run from which on the memory answers nothing"},
                  {.name = kCache,
                   .value = "FOLDER",
                   .help = "where machines verilated on first use are kept (default: "
                           "$XDG_CACHE_HOME/tessera or ~/.cache/tessera)"},
                  {.name = kMachine,
                   .value = "FILE",
                   .help =
                       "a verilated machine that sim/rtl/build_machine.sh made, in place of the "
                       "one that is found"}},
      .open = Open,
      .here = RtlMachinesHere};
}

}  // namespace tessera::sim
