// SPDX-License-Identifier: Apache-2.0
//
// The functional simulator as a Device: it runs the semantics of isa/semantics in token order,
// without a clock. The other machines are compared with it. Depends on: isa/semantics,
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
  // 0: units take turns in a fixed order. Other values seed a random legal interleaving; a program
  // without races has the same memory and traces under each.
  uint64_t schedule_seed = 0;
  // Use the vector kernels of sim/func/kernels.h that the processor can run. A traced run always
  // uses the semantics.
  bool kernels = true;
};

// The budget of a run counts one for each instruction and one for each tile step of its loops.
//   errors  kUnavailable  the system has not enough memory
//           and those of ValidateConfig
Result<std::unique_ptr<Device>> MakeFuncDevice(const isa::Config& config,
                                               const FuncOptions& options = {});

// The same device as driver "func".
Driver FuncDriver();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_FUNC_FUNC_DEVICE_H_
