// SPDX-License-Identifier: Apache-2.0
//
// The null device: has memory, executes nothing. It is the smallest driver, and what a program has
// when it only wants device memory laid out. Depends on: runtime/device. Used by: lists of drivers.
//
// Submit refuses every launch with kUnsupported: a device that did nothing and reported
// success would be worse than none.
#ifndef TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_
#define TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera {

Driver NullDriver();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_
