// SPDX-License-Identifier: Apache-2.0
//
// Serves devices to other processes of the same user, through a local socket: the other end of
// driver "remote". Depends on: runtime/device. Used by: tessera serve, tests.
#ifndef TESSERA_RUNTIME_DRIVERS_REMOTE_SERVE_H_
#define TESSERA_RUNTIME_DRIVERS_REMOTE_SERVE_H_

#include <functional>
#include <string>

#include "runtime/device/registry.h"

namespace tessera::remote {

struct ServeOptions {
  std::string socket;  // made, with access for this user alone, and removed at the end
  std::string device;  // name of a driver; each connection opens its own device
  std::map<std::string, std::string> values;  // of the driver's options
};

// Serves until SIGINT or SIGTERM. Calls |ready| when connections are taken. A connection that ends
// frees its device; other connections go on.
//   errors  kInvalidArgument  a path that is no socket's, or that another process serves
//           kNotFound         no such driver
//           kUnavailable      the system refuses the socket
Status Serve(const ServeOptions& options, const std::function<void()>& ready);

}  // namespace tessera::remote

#endif  // TESSERA_RUNTIME_DRIVERS_REMOTE_SERVE_H_
