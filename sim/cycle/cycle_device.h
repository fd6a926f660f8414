// SPDX-License-Identifier: Apache-2.0
//
// The cycle model as a driver: the results of func and the cycles of the RTL, in a small part of
// the time that the RTL takes. Depends on: machine.h, SystemC, runtime/device. Used by: lists of
// drivers.
#ifndef TESSERA_SIM_CYCLE_CYCLE_DEVICE_H_
#define TESSERA_SIM_CYCLE_CYCLE_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera::sim {

// Driver "cycle". A process runs its devices one at a time, because SystemC has one kernel.
Driver CycleDriver();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_CYCLE_CYCLE_DEVICE_H_
