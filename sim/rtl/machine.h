// SPDX-License-Identifier: Apache-2.0
//
// RtlMachine: one verilated machine with its memory model, as a plugin sees it. A plugin is a
// shared object made for one configuration by build_machine.sh; it exports the two functions at the
// end. Depends on: isa, runtime/observer.h. Used by: rtl_device, and machine.cc
// implements it. It answers for hardware: pins, cycles, memory; what registers mean to a driver is
// runtime/device's business.
#ifndef TESSERA_SIM_RTL_MACHINE_H_
#define TESSERA_SIM_RTL_MACHINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/semantics/standing.h"
#include "runtime/observer.h"

namespace tessera::sim {

struct RtlMachineOptions {
  uint8_t* memory = nullptr;  // device memory from address 0; outlives the machine
  uint64_t memory_bytes = 0;
  isa::DramModel dram = isa::DramModel::kTsim;
  uint64_t stall_seed = 0;               // 0: the memory never hesitates
  uint64_t memory_stops = ~uint64_t{0};  // from this cycle of a run on the memory answers nothing
};

class RtlMachine {
 public:
  virtual ~RtlMachine() = default;

  // A register through AXI4-Lite; takes a few cycles. False: the machine does not answer in 64, or
  // answers with an error.
  virtual bool ReadRegister(uint32_t offset, uint32_t* value) = 0;
  virtual bool WriteRegister(uint32_t offset, uint32_t value) = 0;

  // A run begins: what is counted since then is zero.
  virtual void BeginRun() = 0;

  // Steps |cycles| cycles, whatever the machine does.
  virtual void Step(uint64_t cycles) = 0;

  // Tells |observer| of every later run, until it is set to null.
  virtual void SetObserver(RunObserver* observer) = 0;

  // Begins a waveform in |path|. Only machines built with tracing can; false: this one cannot, or
  // the file cannot be written.
  virtual bool OpenWaveform(const std::string& path) = 0;
  // Cycles [begin, end), counted from now on, go into the waveform, if there is one.
  virtual void SetWaveWindow(uint64_t begin, uint64_t end) = 0;

  // Since the run began. The assertion in the RTL that failed, at the end of a Step; "": none.
  virtual uint64_t cycles() const = 0;
  virtual uint64_t bytes_read() const = 0;
  virtual uint64_t bytes_written() const = 0;
  virtual const std::string& assertion() const = 0;

  // What the memory owes to each user of the bus now.
  virtual std::vector<isa::MemoryWait> MemoryWaits() const = 0;
  // What it refused to each since the run began: its first beat outside.
  virtual const std::vector<isa::MemoryRefusal>& refused() const = 0;
};

// Changes whenever this header or runtime/observer.h does: both sides must agree on them.
inline constexpr uint32_t kRtlPluginVersion = 7;

struct RtlPluginInfo {
  uint32_t version = 0;
  uint64_t config_hash = 0;
};

}  // namespace tessera::sim

extern "C" {
void TesseraRtlInfo(tessera::sim::RtlPluginInfo* info);
tessera::sim::RtlMachine* TesseraRtlNew(const tessera::sim::RtlMachineOptions* options);
}

#endif  // TESSERA_SIM_RTL_MACHINE_H_
