// SPDX-License-Identifier: Apache-2.0
//
// A Device made of a register port and a memory: the whole protocol of starting a machine, waiting
// for it, reading its counters and decoding its errors, once for simulated RTL and for boards.
// Depends on: register_port.h, memory.h, explain.h. Used by: sim/rtl, drivers of boards.
#ifndef TESSERA_RUNTIME_DEVICE_REGISTER_DEVICE_H_
#define TESSERA_RUNTIME_DEVICE_REGISTER_DEVICE_H_

#include <memory>
#include <string>

#include "base/error.h"
#include "runtime/device.h"
#include "runtime/device/memory.h"
#include "runtime/device/register_port.h"

namespace tessera {

// Opens the machine at |port| as a device called |name| with a clock; the machine's bus sees
// |memory|. A machine that is busy, because its last user died, is reset. |clock_hz|: of its clock,
// 0 where only the configuration tells.
//
//   errors  kNotFound         no machine of this project answers at the port
//           kUnsupported      it has another version of registers and instructions
//           kInvalidArgument  it was made for another configuration than |config|
//           and those of the port
Result<std::unique_ptr<Device>> OpenRegisterDevice(std::string name, const isa::Config& config,
                                                   std::unique_ptr<RegisterPort> port,
                                                   std::unique_ptr<MemoryPort> memory,
                                                   uint64_t clock_hz = 0);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_REGISTER_DEVICE_H_
