// SPDX-License-Identifier: Apache-2.0
//
// The HLS twin as a Device: the C++ of hw/hls, compiled here by the host's compiler, its tops each
// on a stack of its own with the queues of the block design between them. Exact results, no clock.
// Depends on: hw/hls, runtime/device, isa/semantics (instruction texts, tokens for the words of a
// deadlock), sim/trace. Used by: lists of drivers, tests.
#ifndef TESSERA_SIM_HLS_HLS_DEVICE_H_
#define TESSERA_SIM_HLS_HLS_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera::sim {

// Driver "hls". The budget of a run counts as func's does. Beside the errors of OpenDevice:
//   errors  kUnsupported  no twin of this configuration was built; the message says how to
Driver HlsDriver();

}  // namespace tessera::sim

#endif  // TESSERA_SIM_HLS_HLS_DEVICE_H_
