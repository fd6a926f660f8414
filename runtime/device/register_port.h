// SPDX-License-Identifier: Apache-2.0
//
// RegisterPort: a driver's access to a machine's control registers (isa/regs.def). Hardware needs
// two functions; the rest has defaults that read registers. Depends on: isa/regs.h,
// isa/semantics/standing.h, runtime/observer.h. Used by: RegisterDevice, explain.h, drivers.
//
//   XRT        Read, Write: xrt::ip::read_register and write_register; xrt::ip::interrupt by
//              InterruptPort (interrupt_port.h)
//   Zynq, UIO  Read, Write: the mapped registers; poll() on the device file by InterruptPort
//   simulator  all: Wait steps the model and knows budget and failed assertions to the cycle
#ifndef TESSERA_RUNTIME_DEVICE_REGISTER_PORT_H_
#define TESSERA_RUNTIME_DEVICE_REGISTER_PORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/semantics/standing.h"
#include "runtime/machine_view.h"

namespace tessera {

// How a wait for a machine ended.
enum class WaitEnd : uint8_t {
  kDone,       // the machine is not busy any more; the registers say whether it had an error
  kBudget,     // the budget is spent
  kAssertion,  // simulators only: an assertion of the machine failed
};

struct WaitOutcome {
  WaitEnd end = WaitEnd::kDone;
  std::string assertion;                       // the one that failed
  uint64_t bytes_read = 0, bytes_written = 0;  // memory traffic of the run, where counted
  std::vector<isa::MemoryWait> memory;         // kBudget: what memory owes, where known
  std::vector<isa::MemoryRefusal> refused;     // kDone: beats with error responses, where known
};

class RegisterPort {
 public:
  virtual ~RegisterPort() = default;

  // One 32-bit register; |offset| is one of isa/regs.h.
  //   errors  kDataLoss  the bus does not answer, or answers with an error
  virtual Result<uint32_t> Read(uint32_t offset) = 0;
  virtual Status Write(uint32_t offset, uint32_t value) = 0;

  // Waits until a started machine is done, at most |budget| device cycles. The machine ends a
  // deadlock itself, with an error. The default looks at STATUS, with Pause between two looks, and
  // measures the budget with the machine's own cycle counter.
  //   errors  kTimeout  the default: the cycle counter stands still, so the budget would never be
  //                     spent
  //           others    as Read
  virtual Result<WaitOutcome> Wait(uint64_t budget);

  // Called between two looks: returns after a moment, or as soon as an interrupt says that the
  // machine is done. The default sleeps 50 microseconds.
  virtual void Pause();

  // Ends the run; afterwards the machine is idle and, if reset_clears, its scratchpads are zero.
  // The default is a soft reset by CONTROL, the only reset of the registers. Hardware whose
  // memories keep their contents over it must load its configuration again to pass tests/cts, or
  // say so.
  //   errors  kTimeout  the machine stays busy
  //           others    as Read
  virtual Status Reset();

  // Whether Reset makes the scratchpads zero. If not, the device runs a program for it.
  virtual bool reset_clears() const { return true; }

  // As Device::SetObserver. The default accepts only null.
  virtual Status SetObserver(RunObserver* observer);

  // As WatchedDevice::SetWatcher, without OnEnd. The default accepts only null.
  virtual Status SetWatcher(MachineWatcher* watcher);
};

// A 64-bit counter of a machine that may run. Reads the low half first: that makes the machine hold
// the high half of the same cycle. One reader at a time.
//   errors  those of Read
Result<uint64_t> ReadCounter(RegisterPort& port, uint32_t low, uint32_t high);

// Registers UNIT_STATE and UNIT_INSN of one unit.
Result<isa::UnitStanding> ReadStanding(RegisterPort& port, uint32_t unit);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_REGISTER_PORT_H_
