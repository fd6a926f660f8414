// SPDX-License-Identifier: Apache-2.0
//
// The HLS twin as a Device: the C++ of hw/hls, compiled here by the host's compiler. Each top has
// its own stack, and the queues of the block design connect them. Exact results, no clock. Depends
// on: hw/hls, runtime/device, isa/semantics (texts of instructions, the cause of a deadlock),
// sim/trace. Used by: lists of drivers, tests.
#ifndef TESSERA_SIM_HLS_HLS_DEVICE_H_
#define TESSERA_SIM_HLS_HLS_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera::sim {

// Driver "hls". The budget of a run counts as in func. Besides the errors of OpenDevice:
//   errors  kUnsupported  no twin of this configuration is built; the message says how to build it
Driver HlsDriver();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_HLS_HLS_DEVICE_H_
