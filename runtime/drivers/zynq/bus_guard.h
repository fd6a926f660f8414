// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of mapped registers that return an error if the bus does not answer: the kernel
// then sends SIGBUS. Internal to runtime/drivers/zynq. Depends on nothing.
//
// The first use installs a handler for SIGBUS until the process ends; it passes signals from
// elsewhere to the handler before it. A bus that holds an access for ever stops the processor
// itself, and no program can catch that.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_BUS_GUARD_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_BUS_GUARD_H_

#include <cstdint>

namespace tessera::zynq {

// One aligned 32-bit access, in program order with all others. False: SIGBUS.
bool GuardedRead(const volatile uint32_t* from, uint32_t* value);
bool GuardedWrite(volatile uint32_t* to, uint32_t value);

}  // namespace tessera::zynq

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_BUS_GUARD_H_
