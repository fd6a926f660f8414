// SPDX-License-Identifier: Apache-2.0
//
// CycleKernel: a separate SystemC simulation for one machine. One SystemC process asks the run for
// each cycle in which something changes and advances simulated time between these cycles. Depends
// on: SystemC, machine.h. Used by: cycle_device.
#ifndef TESSERA_SIM_CYCLE_KERNEL_H_
#define TESSERA_SIM_CYCLE_KERNEL_H_

#include <cstdint>
#include <memory>

#include "sim/cycle/machine.h"

namespace tessera::sim::cycle {
struct Ddr3Parameters;
}

namespace tessera::sim::cycle {

class CycleKernel {
 public:
  // |clock_mhz|: clock of the machine. |bus_bytes|: width of its bus. |ddr3|: the DDR3 memory
  // behind the bus; null: this simulation has no memory.
  CycleKernel(double clock_mhz, uint32_t bus_bytes, const Ddr3Parameters* ddr3);
  ~CycleKernel();
  CycleKernel(const CycleKernel&) = delete;
  CycleKernel& operator=(const CycleKernel&) = delete;

  // The DDR3 memory behind the bus, null if the simulation has none.
  MemoryModel* memory();

  // Runs |run| to its end, for at most |budget| cycles. Returns false when the run used up the
  // budget.
  bool Run(CycleRun& run, uint64_t budget);

 private:
  struct Simulation;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_KERNEL_H_
