// SPDX-License-Identifier: Apache-2.0
//
// Driver serial: a board without a processor of its own, behind a serial line: the ULX3S. Depends
// on: runtime/device. Used by: the list of drivers.
#ifndef TESSERA_RUNTIME_DRIVERS_SERIAL_SERIAL_DEVICE_H_
#define TESSERA_RUNTIME_DRIVERS_SERIAL_SERIAL_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera {

Driver SerialDriver();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_SERIAL_SERIAL_DEVICE_H_
