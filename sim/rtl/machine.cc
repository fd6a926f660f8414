// SPDX-License-Identifier: Apache-2.0
//
// The plugin's side of machine.h: the verilated tsr_top with its memory behind the AXI port.
// build_machine.sh compiles this file once for each configuration, with the files of Verilator.
#include "sim/rtl/machine.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

#include "Vtsr_top.h"
#include "isa/regs.h"
#include "sim/dram/dram.h"
#include "sim/rtl/run_teller.h"
#include "sim/trace/digest.h"
#include "verilated.h"
#if VM_COVERAGE
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <mutex>

#include "Vtsr_top__Syms.h"
#include "verilated_cov.h"
#endif
#if defined(TESSERA_TRACE_VCD)
#include "verilated_vcd_c.h"
using WaveFile = VerilatedVcdC;
#elif defined(TESSERA_TRACE_FST)
#include "verilated_fst_c.h"
using WaveFile = VerilatedFstC;
#endif

namespace {
// The first assertion that failed on this thread. Verilated code reports it through vl_stop.
thread_local std::string t_assertion;
}  // namespace

void vl_stop(const char* file, int line, const char* scope) VL_MT_UNSAFE {
  if (t_assertion.empty()) t_assertion = fmt::format("{}:{} {}", file, line, scope);
}
void vl_fatal(const char* file, int line, const char* scope, const char* message) VL_MT_UNSAFE {
  if (t_assertion.empty()) t_assertion = fmt::format("{}:{} {} {}", file, line, scope, message);
}

namespace tessera::sim {
namespace {

constexpr uint32_t kResponseOk = 0;
constexpr uint32_t kResponseError = 2;  // SLVERR
constexpr int kUnits = isa::kUnits;
// Cycles within which a register must answer.
constexpr uint64_t kRegisterCycles = 64;

class Machine : public RtlMachine {
 public:
  explicit Machine(const RtlMachineOptions& options)
      : options_(options),
        dram_(options.dram, kBusBytes, options.stall_seed, options.memory_stops) {
    Enter();
    top_ = std::make_unique<Vtsr_top>(&context_);
    top_->clk_i = 0;
    top_->rst_ni = 0;
    top_->trace_en_i = 0;
    top_->m_axi_reset_i = 0;
    top_->s_axil_awvalid_i = 0;
    top_->s_axil_wvalid_i = 0;
    top_->s_axil_wstrb_i = 0xf;
    top_->s_axil_bready_i = 1;
    top_->s_axil_arvalid_i = 0;
    top_->s_axil_rready_i = 1;
    for (int i = 0; i < 4; ++i) Cycle();
    top_->rst_ni = 1;
    for (int i = 0; i < 2; ++i) Cycle();
    dram_.Reset();
  }

  ~Machine() override {
#if defined(TESSERA_TRACE_VCD) || defined(TESSERA_TRACE_FST)
    if (wave_) wave_->close();
#endif
    Enter();
    top_->final();
#if VM_COVERAGE
    WriteCoverage();
#endif
    top_.reset();
  }

#if VM_COVERAGE
  // Writes what all machines of this process have counted so far to a file in $TESSERA_COVERAGE.
  void WriteCoverage() {
    static std::mutex mutex;
    auto& counted = top_->rootp->vlSymsp->__Vcoverage;
    static std::array<uint32_t, std::extent_v<std::remove_reference_t<decltype(counted)>>> sum;
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < sum.size(); ++i) counted[i] = sum[i] += counted[i];
    const char* folder = std::getenv("TESSERA_COVERAGE");
    if (folder == nullptr) return;
    context_.coveragep()->write(fmt::format("{}/{}.dat", folder, getpid()).c_str());
  }
#endif

  bool ReadRegister(uint32_t offset, uint32_t* value) override {
    Enter();
    top_->s_axil_araddr_i = offset;
    top_->s_axil_arvalid_i = 1;
    bool good = false, answered = false;
    for (uint64_t cycles = 0; !answered && cycles < kRegisterCycles; ++cycles) {
      Settle();
      const bool asked = top_->s_axil_arvalid_i && top_->s_axil_arready_o;
      answered = top_->s_axil_rvalid_o;
      if (answered) {
        *value = top_->s_axil_rdata_o;
        good = top_->s_axil_rresp_o == kResponseOk;
      }
      Edge();
      if (asked) top_->s_axil_arvalid_i = 0;
    }
    return good;
  }

  bool WriteRegister(uint32_t offset, uint32_t value) override {
    Enter();
    // At a start the memory is at the beginning of a frame, so equal runs take equal cycles.
    if (offset == isa::reg::kControl && dram_.idle()) dram_.Reset();
    top_->s_axil_awaddr_i = offset;
    top_->s_axil_awvalid_i = 1;
    top_->s_axil_wdata_i = value;
    top_->s_axil_wvalid_i = 1;
    bool good = false, answered = false;
    for (uint64_t cycles = 0; !answered && cycles < kRegisterCycles; ++cycles) {
      Settle();
      const bool address = top_->s_axil_awvalid_i && top_->s_axil_awready_o;
      const bool data = top_->s_axil_wvalid_i && top_->s_axil_wready_o;
      answered = top_->s_axil_bvalid_o;
      good = answered && top_->s_axil_bresp_o == kResponseOk;
      Edge();
      if (address) top_->s_axil_awvalid_i = 0;
      if (data) top_->s_axil_wvalid_i = 0;
    }
    return good;
  }

  void BeginRun() override {
    bytes_read_ = bytes_written_ = 0;
    run_cycle_ = 0;
    store_digest_.clear();
    assertion_.clear();
    refused_.clear();
  }

  void Step(uint64_t cycles) override {
    Enter();
    for (uint64_t i = 0; i < cycles; ++i) Cycle();
    if (!t_assertion.empty()) [[unlikely]]
      assertion_ = std::exchange(t_assertion, "");
  }

  void SetObserver(RunObserver* observer) override {
    if (teller_) teller_->End(top_->trace_cycles_o);
    teller_.reset();
    if (observer != nullptr) teller_ = std::make_unique<RunTeller>(*observer);
    observer_ = observer;
    top_->trace_en_i = observer != nullptr;
  }

  bool OpenWaveform(const std::string& path) override {
#if defined(TESSERA_TRACE_VCD) || defined(TESSERA_TRACE_FST)
    context_.traceEverOn(true);
    wave_ = std::make_unique<WaveFile>();
    top_->trace(wave_.get(), 99);
    wave_->open(path.c_str());
    return wave_->isOpen();
#else
    static_cast<void>(path);
    return false;
#endif
  }
  void SetWaveWindow(uint64_t begin, uint64_t end) override {
    wave_cycle_ = 0;
    wave_begin_ = begin;
    wave_end_ = end;
  }

  uint64_t cycles() const override { return run_cycle_; }
  uint64_t bytes_read() const override { return bytes_read_; }
  uint64_t bytes_written() const override { return bytes_written_; }
  const std::string& assertion() const override { return assertion_; }
  std::vector<isa::MemoryWait> MemoryWaits() const override { return dram_.Waits(dram_.cycle()); }
  const std::vector<isa::MemoryRefusal>& refused() const override { return refused_; }

 private:
  static constexpr uint32_t kBusBytes = sizeof(decltype(Vtsr_top::m_axi_rdata_i));

  // The library of Verilator keeps the current context in a thread-local variable, and dying scopes
  // look there. With several machines in a process, each makes itself current first.
  void Enter() { Verilated::threadContextp(&context_); }

  // Runs one cycle. Settle sets the memory's offers on the pins, with the clock low. Edge does the
  // transfers that both sides agree on and raises the clock.
  void Cycle() {
    Settle();
    Edge();
  }

  void Settle() {
    Vtsr_top& top = *top_;
    dram_.BeginCycle(top.m_axi_wvalid_o);
    top.m_axi_arready_i = dram_.read_ready();
    top.m_axi_awready_i = dram_.write_ready();
    top.m_axi_wready_i = dram_.beat_ready();
    top.m_axi_rvalid_i = dram_.beat_valid();
    if (dram_.beat_valid()) {
      const DramBeat& beat = dram_.read_beat();
      top.m_axi_rid_i = beat.id;
      top.m_axi_rlast_i = beat.last;
      if (Inside(beat.address)) {
        std::memcpy(&top.m_axi_rdata_i, options_.memory + beat.address, kBusBytes);
        top.m_axi_rresp_i = kResponseOk;
      } else {
        top.m_axi_rresp_i = kResponseError;
      }
    }
    top.m_axi_bvalid_i = dram_.response_valid();
    top.m_axi_bresp_i = write_failed_ ? kResponseError : kResponseOk;
    top.clk_i = 0;
    top.eval();
    Dump();
  }

  void Edge() {
    Vtsr_top& top = *top_;
    if (top.m_axi_rvalid_i && top.m_axi_rready_o) {
      bytes_read_ += kBusBytes;
      if (top.m_axi_rresp_i != kResponseOk) [[unlikely]] {
        const bool fetch = top.m_axi_rid_i == 0;
        Refuse(fetch ? isa::kUnits : static_cast<uint32_t>(isa::Unit::kLoad),
               dram_.read_beat().address);
      }
      dram_.TakeReadBeat();
    }
    if (top.m_axi_wvalid_o && top.m_axi_wready_i) {
      WriteBeat(dram_.write_beat());
      dram_.PutWriteBeat();
    }
    if (top.m_axi_bvalid_i && top.m_axi_bready_o) {
      write_failed_ = false;
      dram_.TakeResponse();
    }
    if (top.m_axi_arvalid_o && top.m_axi_arready_i) {
      dram_.AcceptRead({top.m_axi_araddr_o, top.m_axi_arlen_o + 1u, top.m_axi_arid_o});
    }
    if (top.m_axi_awvalid_o && top.m_axi_awready_i) {
      dram_.AcceptWrite({top.m_axi_awaddr_o, top.m_axi_awlen_o + 1u, 0});
    }
    if (teller_) Tell();
    ++run_cycle_;
    ++wave_cycle_;
    top.clk_i = 1;
    top.eval();
    Dump();
    dram_.EndCycle();
  }

  bool Inside(uint64_t address) const {
    return address < options_.memory_bytes && kBusBytes <= options_.memory_bytes - address;
  }

  void Refuse(uint32_t unit, uint64_t address) {
    for (const isa::MemoryRefusal& r : refused_) {
      if (r.unit == unit) return;
    }
    refused_.push_back({unit, address});
  }

  void WriteBeat(const DramBeat& beat) {
    if (!Inside(beat.address)) {
      write_failed_ = true;
      Refuse(static_cast<uint32_t>(isa::Unit::kStore), beat.address);
      return;
    }
    uint8_t data[kBusBytes];
    std::memcpy(data, &top_->m_axi_wdata_o, kBusBytes);
    uint8_t* memory = options_.memory + beat.address;
    uint64_t digest = 0;
    for (uint32_t i = 0; i < kBusBytes; ++i) {
      if (!(top_->m_axi_wstrb_o >> i & 1)) continue;
      if (observer_ != nullptr)
        digest += DigestByte(isa::ByteSpace::kDram, beat.address + i, memory[i], data[i]);
      memory[i] = data[i];
      ++bytes_written_;
    }
    if (observer_ != nullptr) store_digest_[top_->trace_wnum_o] += digest;
  }

  void Retire() {
    for (int unit = 0; unit < kUnits; ++unit) {
      if (!(top_->trace_valid_o >> unit & 1)) continue;
      TraceEntry entry;
      entry.unit = static_cast<isa::Unit>(unit);
      entry.cycle = top_->trace_cycles_o;
      for (size_t u = 0; u < isa::kUnits; ++u) {
        UnitCounters& c = entry.units[u];
        const uint32_t* count = &top_->trace_counts_o[u];
        c = {count[0], count[kUnits], count[2 * kUnits], count[3 * kUnits], 0};
        c.idle = entry.cycle - c.busy - c.token_wait - c.memory_wait - c.hazard;
      }
      entry.insn = top_->trace_num_o[unit];
      std::memcpy(&entry.digest, &top_->trace_digest_o[2 * unit], sizeof(entry.digest));
      if (entry.unit == isa::Unit::kStore) {
        const auto stored = store_digest_.find(entry.insn);
        if (stored != store_digest_.end()) {
          entry.digest += stored->second;
          store_digest_.erase(stored);
        }
      }
      observer_->OnRetired(entry);
    }
  }

  // Reports this cycle to the observer.
  void Tell() {
    const Vtsr_top& top = *top_;
    if (!teller_->In(top.busy_o, top.trace_cycles_o)) return;
    teller_->Stand(top.trace_stand_o);
    if (top.m_axi_rvalid_i && top.m_axi_rready_o)
      teller_->Beat(top.m_axi_rid_i == 0 ? BusUser::kFetch : BusUser::kLoad);
    if (top.m_axi_wvalid_o && top.m_axi_wready_i) teller_->Beat(BusUser::kStore);
    const uint64_t moves = top.trace_moves_o;
    const uint32_t* taken = &top.trace_taken_num_o[0];
    if (moves >> 16 & 0xffff) teller_->Tokens(moves >> 16 & 0xffff, true, &top.trace_num_o[0]);
    if (top.trace_valid_o != 0) Retire();
    if (moves & 0xffff) teller_->Tokens(moves & 0xffff, false, taken);
    if (moves >> 32) teller_->Taken(static_cast<uint8_t>(moves >> 32), taken);
  }

  void Dump() {
#if defined(TESSERA_TRACE_VCD) || defined(TESSERA_TRACE_FST)
    context_.timeInc(1);
    if (wave_ && wave_cycle_ >= wave_begin_ && wave_cycle_ < wave_end_)
      wave_->dump(context_.time());
#endif
  }

  RtlMachineOptions options_;
  std::vector<isa::MemoryRefusal> refused_;
  VerilatedContext context_;
  std::unique_ptr<Vtsr_top> top_;
  Dram dram_;
  RunObserver* observer_ = nullptr;
  std::unique_ptr<RunTeller> teller_;                    // set while there is an observer
  std::unordered_map<uint32_t, uint64_t> store_digest_;  // by STORE that has not retired
  std::string assertion_;
  uint64_t run_cycle_ = 0;
  uint64_t bytes_read_ = 0, bytes_written_ = 0;
  bool write_failed_ = false;
  uint64_t wave_cycle_ = 0, wave_begin_ = 0, wave_end_ = 0;
#if defined(TESSERA_TRACE_VCD) || defined(TESSERA_TRACE_FST)
  std::unique_ptr<WaveFile> wave_;
#endif
};

}  // namespace
}  // namespace tessera::sim

__attribute__((visibility("default"))) void TesseraRtlInfo(tessera::sim::RtlPluginInfo* info) {
  *info = {tessera::sim::kRtlPluginVersion, TESSERA_CONFIG_HASH};
}

__attribute__((visibility("default"))) tessera::sim::RtlMachine* TesseraRtlNew(
    const tessera::sim::RtlMachineOptions* options) {
  return new tessera::sim::Machine(*options);
}
