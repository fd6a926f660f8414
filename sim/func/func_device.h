// SPDX-License-Identifier: Apache-2.0
//
// The functional simulator as a Device: the semantics of isa/semantics run in token order, without
// a clock. It is the oracle that the other machines are compared with. Depends on: isa/semantics,
// runtime/device, sim/trace. Used by: lists of drivers, tests.
#ifndef TESSERA_SIM_FUNC_FUNC_DEVICE_H_
#define TESSERA_SIM_FUNC_FUNC_DEVICE_H_

#include <cstdint>
#include <memory>

#include "runtime/device.h"
#include "runtime/device/registry.h"

namespace tessera::sim {

struct FuncOptions {
  uint64_t memory_bytes = kDefaultMemoryBytes;
  // 0: a fixed order of units. Else: any legal interleaving, drawn from this seed; a program
  // without races gives the same memory and traces under each.
  uint64_t schedule_seed = 0;
  // Use the vector kernels of sim/func/kernels.h where the processor has them. A run that is traced
  // uses the semantics themselves.
  bool kernels = true;
};

// The budget of a run counts one for each instruction and one for each tile step of its loops.
//   errors  kUnavailable  the system does not give the memory
//           and those of ValidateConfig
Result<std::unique_ptr<Device>> MakeFuncDevice(const isa::Config& config,
                                               const FuncOptions& options = {});

// The same as driver "func".
Driver FuncDriver();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_FUNC_DEVICE_H_
