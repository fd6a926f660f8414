// SPDX-License-Identifier: Apache-2.0
//
// RegisterPort: how a driver reaches a machine's control registers (isa/regs.def). Two functions
// are enough for hardware; the rest has defaults that work by reading registers. Depends on:
// isa/regs.h, isa/semantics/standing.h, runtime/observer.h. Used by: RegisterDevice, explain.h,
// drivers.
//
//   XRT        Read, Write: xrt::ip::read_register and write_register; xrt::ip::interrupt by
//              InterruptPort (interrupt_port.h)
//   Zynq, UIO  Read, Write: the mapped registers; poll() on the device file by InterruptPort
//   simulator  all: Wait steps it and knows budget and failed assertions to the cycle
#ifndef TESSERA_RUNTIME_DEVICE_REGISTER_PORT_H_
#define TESSERA_RUNTIME_DEVICE_REGISTER_PORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/semantics/standing.h"
#include "runtime/machine_view.h"

namespace tessera {

// How waiting for a machine ended.
enum class WaitEnd : uint8_t {
  kDone,       // it is not busy any more; with or without an error, see the registers
  kBudget,     // the budget is spent
  kAssertion,  // a simulator: an assertion of the machine failed
};

struct WaitOutcome {
  WaitEnd end = WaitEnd::kDone;
  std::string assertion;                       // which one failed
  uint64_t bytes_read = 0, bytes_written = 0;  // memory traffic of the run, where somebody counts
  std::vector<isa::MemoryWait> memory;         // kBudget: what memory owes, where somebody knows
  std::vector<isa::MemoryRefusal> refused;     // kDone: what it refused, where somebody knows
};

class RegisterPort {
 public:
  virtual ~RegisterPort() = default;

  // One 32-bit register; |offset| is of isa/regs.h.
  //   errors  kDataLoss  the bus does not answer, or answers with an error
  virtual Result<uint32_t> Read(uint32_t offset) = 0;
  virtual Status Write(uint32_t offset, uint32_t value) = 0;

  // Waits until a started machine is done, at most |budget| device cycles. A deadlock is an error
  // that the machine ends with. The default looks at STATUS, with Pause between two looks: the
  // machine's own cycle counter is the budget's clock.
  //   errors  those of Read
  //           kTimeout  the default: the cycle counter stands still, so no budget would ever be
  //           spent
  virtual Result<WaitOutcome> Wait(uint64_t budget);

  // Between two looks: returns after a moment, or as soon as an interrupt says that the machine is
  // done. The default sleeps 50 microseconds.
  virtual void Pause();

  // Ends what runs; afterwards the machine is idle and its scratchpads are zero. The default is a
  // soft reset by CONTROL, which is all that the registers offer: hardware whose memories keep
  // their contents over it has to load its configuration again to pass tests/cts.
  //   errors  those of Read
  //           kTimeout  the machine stays busy
  virtual Status Reset();

  // As Device::SetObserver. The default can only be told not to.
  virtual Status SetObserver(RunObserver* observer);

  // As WatchedDevice::SetWatcher, but for OnEnd. The default can only be told not to.
  virtual Status SetWatcher(MachineWatcher* watcher);
};

// A 64-bit counter of a machine that may run: low, which makes the machine keep the high half of
// the same cycle, then high. One reader at a time.
//   errors  those of Read
Result<uint64_t> ReadCounter(RegisterPort& port, uint32_t low, uint32_t high);

// Register UNIT_STATE of one unit, with UNIT_INSN.
Result<isa::UnitStanding> ReadStanding(RegisterPort& port, uint32_t unit);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_REGISTER_PORT_H_
