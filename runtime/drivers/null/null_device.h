// SPDX-License-Identifier: Apache-2.0
//
// The null device: it has memory and executes nothing. It is the smallest driver, for programs that
// only want device memory laid out. Depends on: runtime/device. Used by: lists of drivers.
//
// Submit rejects every launch with kUnsupported, because a device that did nothing must not report
// success.
#ifndef TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_
#define TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera {

Driver NullDriver();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_
