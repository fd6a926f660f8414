// SPDX-License-Identifier: Apache-2.0
//
// The verilated RTL as a driver: tsr_top with one of the exact memory models behind its bus, in
// this process. It is a register port and a memory; the protocol is runtime/device's. Its cycles
// are the machine's. Depends on: plugin, runtime/device. Used by: lists of drivers.
#ifndef TESSERA_SIM_RTL_RTL_DEVICE_H_
#define TESSERA_SIM_RTL_RTL_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera::sim {

// Driver "rtl". A machine that is not prebuilt is verilated when it is opened, which takes minutes;
// one with a waveform never is prebuilt. Beside the errors of OpenDevice:
//   errors  kInvalidArgument  option wave does not end in .vcd or .fst
//           kUnavailable      the waveform or the cache cannot be written
//           kUnsupported      the machine cannot be built here: what is missing
Driver RtlDriver();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_RTL_RTL_DEVICE_H_
