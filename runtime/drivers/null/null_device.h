// SPDX-License-Identifier: Apache-2.0
//
// The null device: has memory, executes nothing. It is the skeleton to copy for a new driver: docs
// on adding one start here. Depends on: runtime/device.h, sim/memory. Used by: open_device,
// tests/cts.
//
// Submit refuses every launch with kUnsupported: a device that did nothing and reported
// success would be worse than none.
#ifndef TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_
#define TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_

#include <memory>

#include "base/error.h"
#include "runtime/device.h"

namespace tessera {

// errors  kUnavailable  the system does not give options.memory_bytes of address space
Result<std::unique_ptr<Device>> MakeNullDevice(const isa::Config& config,
                                               const DeviceOptions& options);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_NULL_NULL_DEVICE_H_
