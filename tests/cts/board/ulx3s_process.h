// SPDX-License-Identifier: Apache-2.0
//
// Starts simulated_ulx3s: the process ends when its port is closed, or with this process. Depends
// on: sim/serial (the program). Used by: tests/cts, tests/runtime/drivers.
#ifndef TESSERA_TESTS_CTS_BOARD_ULX3S_PROCESS_H_
#define TESSERA_TESTS_CTS_BOARD_ULX3S_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/device/registry.h"

namespace tessera::test {

// The configuration of the machine in simulated_ulx3s, which is the board's.
inline constexpr const char* kUlx3sConfig = "tiny";

struct Ulx3sProcess {
  pid_t pid = -1;
  std::string port;  // "/dev/pts/5"
};

// A board, with |options| of simulated_ulx3s; it is ready on return.
//   errors  kUnavailable  the process did not start, or ended at once
Result<Ulx3sProcess> StartUlx3s(const std::vector<std::string>& options = {});

// |driver|, which must be serial's, changed to start a board for each device.
Driver OnSimulatedUlx3s(Driver driver);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_CTS_BOARD_ULX3S_PROCESS_H_
