// SPDX-License-Identifier: Apache-2.0
//
// The cycle model as a driver: results as func's, cycles as the RTL's, in a small part of the RTL's
// time. Depends on: machine.h, SystemC, runtime/device. Used by: lists of drivers.
#ifndef TESSERA_SIM_CYCLE_CYCLE_DEVICE_H_
#define TESSERA_SIM_CYCLE_CYCLE_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera::sim {

// Driver "cycle". Devices of a process run one at a time: SystemC has one kernel.
Driver CycleDriver();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_CYCLE_CYCLE_DEVICE_H_
