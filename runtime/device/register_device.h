// SPDX-License-Identifier: Apache-2.0
//
// A Device made of a register port and a memory. It holds the whole protocol to start a machine,
// wait for it, read its counters and decode its errors, for simulated RTL and for boards. Depends
// on: register_port.h, memory.h, explain.h. Used by: sim/rtl, sim/cycle, drivers of boards and
// cards.
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
// |memory|. Resets a machine that is busy because its last user died. |clock_hz|: of the machine's
// clock; 0: use that of the configuration.
//
//   errors  kNotFound         no machine of this project answers at the port
//           kUnsupported      another version of registers and instructions
//           kInvalidArgument  the machine was made for another configuration than |config|
//           others            as the port
Result<std::unique_ptr<Device>> OpenRegisterDevice(std::string name, const isa::Config& config,
                                                   std::unique_ptr<RegisterPort> port,
                                                   std::unique_ptr<MemoryPort> memory,
                                                   uint64_t clock_hz = 0);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_REGISTER_DEVICE_H_
