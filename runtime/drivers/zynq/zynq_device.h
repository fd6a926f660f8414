// SPDX-License-Identifier: Apache-2.0
//
// The driver of boards with a Zynq-7000 or a Zynq UltraScale+: registers and interrupt through UIO,
// memory for the programmable logic through u-dma-buf, zocl or a dma-heap. Option `shared` opens a
// simulated device in another process instead (sim/board). Depends on: runtime/device. Used by:
// lists of drivers.
//
// A board's reset is the soft reset of the registers, so scratchpads keep their contents, unlike
// those of simulated machines; option `firmware` names a file to load at a reset instead. Programs
// of the compiler read nothing that they have not written.
#ifndef TESSERA_RUNTIME_DRIVERS_ZYNQ_ZYNQ_DEVICE_H_
#define TESSERA_RUNTIME_DRIVERS_ZYNQ_ZYNQ_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera {

Driver ZynqDriver();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_ZYNQ_ZYNQ_DEVICE_H_
