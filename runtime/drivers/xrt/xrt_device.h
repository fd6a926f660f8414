// SPDX-License-Identifier: Apache-2.0
//
// The driver of a machine on a card through XRT: the host drives a kernel by its registers
// (xrt::ip); memory is one buffer object (xrt::bo). In a build without XRT the driver exists and
// reports that. Depends on: runtime/device, runtime/xclbin. Used by: lists of drivers.
//
// The driver checks a file before XRT sees it: XRT trusts lengths, and its emulation ends the
// process when it finds an error.
#ifndef TESSERA_RUNTIME_DRIVERS_XRT_XRT_DEVICE_H_
#define TESSERA_RUNTIME_DRIVERS_XRT_XRT_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera {

Driver XrtDriver();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_XRT_XRT_DEVICE_H_
