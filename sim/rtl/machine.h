// SPDX-License-Identifier: Apache-2.0
//
// RtlMachine: one verilated machine with its memory model, as a plugin implements it. A plugin is a
// shared object that build_machine.sh makes for one configuration; it exports the two functions at
// the end. RtlMachine models hardware: pins, cycles, memory. runtime/device gives the registers
// their meaning. Depends on: isa, runtime/observer.h. Used by: plugin, rtl_device, sim/board,
// sim/xrt; machine.cc implements it.
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
  uint8_t* memory = nullptr;  // device memory from address 0; must outlive the machine
  uint64_t memory_bytes = 0;
  isa::DramModel dram = isa::DramModel::kTsim;
  uint64_t stall_seed = 0;               // 0: the memory does not stall at random
  uint64_t memory_stops = ~uint64_t{0};  // from this cycle of a run on, the memory answers nothing
};

class RtlMachine {
 public:
  virtual ~RtlMachine() = default;

  // Reads or writes a register through AXI4-Lite, in a few cycles. Returns false if the machine
  // does not answer in 64 cycles or answers with an error.
  virtual bool ReadRegister(uint32_t offset, uint32_t* value) = 0;
  virtual bool WriteRegister(uint32_t offset, uint32_t value) = 0;

  // Begins a run: sets its counts to zero.
  virtual void BeginRun() = 0;

  // Steps |cycles| cycles, also while no program runs.
  virtual void Step(uint64_t cycles) = 0;

  // Reports all later runs to |observer|; null: to none.
  virtual void SetObserver(RunObserver* observer) = 0;

  // Begins a waveform in |path|. Returns false if the machine was built without tracing or the file
  // cannot be written.
  virtual bool OpenWaveform(const std::string& path) = 0;
  // Cycles [begin, end), counted from this call, go into the waveform, if there is one.
  virtual void SetWaveWindow(uint64_t begin, uint64_t end) = 0;

  // Counts since the run began. assertion(): the assertion of the RTL that failed by the end of a
  // Step; "" if none did.
  virtual uint64_t cycles() const = 0;
  virtual uint64_t bytes_read() const = 0;
  virtual uint64_t bytes_written() const = 0;
  virtual const std::string& assertion() const = 0;

  // The accesses that each user of the bus waits for now.
  virtual std::vector<isa::MemoryWait> MemoryWaits() const = 0;
  // The first beat outside memory of each user of the bus since the run began.
  virtual const std::vector<isa::MemoryRefusal>& refused() const = 0;
};

// Must change with this header and with runtime/observer.h: both sides must agree on them.
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
