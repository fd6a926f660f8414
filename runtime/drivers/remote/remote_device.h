// SPDX-License-Identifier: Apache-2.0
//
// Driver "remote": a device of another process on this computer (serve.h), through a local socket.
// So the steps of one plan run in two processes: each transfer is sent or received. Depends on:
// runtime/device. Used by: lists of drivers.
#ifndef TESSERA_RUNTIME_DRIVERS_REMOTE_REMOTE_DEVICE_H_
#define TESSERA_RUNTIME_DRIVERS_REMOTE_REMOTE_DEVICE_H_

#include "runtime/device/registry.h"

namespace tessera {

// Every call fails with kUnavailable when the other process is gone or silent for ten seconds; a
// process at work says so each second.
Driver RemoteDriver();

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DRIVERS_REMOTE_REMOTE_DEVICE_H_
