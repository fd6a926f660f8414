// SPDX-License-Identifier: Apache-2.0
//
// CycleKernel: a SystemC simulation of its own for one machine. A process asks the run for each
// cycle in which something happens; between two of them time passes. Depends on: SystemC. Used by:
// cycle_device.
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
  // |clock_mhz|: of the machine, with a bus of |bus_bytes|. |ddr3|: the memory behind its bus;
  // null: it has none here.
  CycleKernel(double clock_mhz, uint32_t bus_bytes, const Ddr3Parameters* ddr3);
  ~CycleKernel();
  CycleKernel(const CycleKernel&) = delete;
  CycleKernel& operator=(const CycleKernel&) = delete;

  // The memory; null if there is none.
  MemoryModel* memory();

  // Runs |run| to its end, at most |budget| cycles. False: the budget is spent.
  bool Run(CycleRun& run, uint64_t budget);

 private:
  struct Simulation;
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_KERNEL_H_
