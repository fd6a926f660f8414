// SPDX-License-Identifier: Apache-2.0
//
// The verilated RTL as a driver: tsr_top with one of the exact memory models behind its bus, in
// this process. The device is a register port and a memory; runtime/device has the protocol. Its
// cycles are those of the machine. Depends on: plugin, runtime/device. Used by: lists of drivers.
#ifndef TESSERA_SIM_RTL_RTL_DEVICE_H_
#define TESSERA_SIM_RTL_RTL_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera::sim {

// Driver "rtl". If a machine is not prebuilt, the driver verilates it when it opens the device,
// which takes minutes. A machine with a waveform is never prebuilt. Besides the errors of
// OpenDevice:
//   errors  kInvalidArgument  option wave does not end in .vcd or .fst
//           kUnavailable      the waveform or the cache cannot be written
//           kUnsupported      the machine cannot be built here: what is missing
Driver RtlDriver();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_RTL_DEVICE_H_
