// SPDX-License-Identifier: Apache-2.0
//
// The machine on a card through XRT: a kernel driven by its registers (xrt::ip), memory as one
// buffer object (xrt::bo). In a build without XRT the driver is there and says so. Depends on:
// runtime/device, runtime/xclbin. Used by: lists of drivers.
//
// What a file must have is checked before XRT sees it: XRT trusts lengths, and its emulation ends
// the process where it finds something wrong.
#ifndef TESSERA_RUNTIME_DRIVERS_XRT_XRT_DEVICE_H_
#define TESSERA_RUNTIME_DRIVERS_XRT_XRT_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera {

Driver XrtDriver();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_XRT_XRT_DEVICE_H_
