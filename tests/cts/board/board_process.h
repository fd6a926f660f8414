// SPDX-License-Identifier: Apache-2.0
//
// Starts simulated_board for one device: the process ends when the device closes, or with this
// process. Depends on: sim/board (the program). Used by: tests/cts, tests/runtime/drivers.
#ifndef TESSERA_TESTS_CTS_BOARD_BOARD_PROCESS_H_
#define TESSERA_TESTS_CTS_BOARD_BOARD_PROCESS_H_

#include <sys/types.h>

#include <string>

#include "base/error.h"
#include "runtime/device/registry.h"

namespace tessera::test {

struct BoardProcess {
  pid_t pid = -1;
  int fd = -1;       // the shared file, which has no name; the caller closes it
  std::string path;  // of the shared file, while it is open
};

// A board with the machine of a named configuration; it is ready on return.
//   errors  kUnavailable  the process did not start, or ended at once
Result<BoardProcess> StartBoard(const std::string& config, uint64_t memory_bytes);

// |driver|, which must be zynq's, changed to start a board for each device.
Driver OnSimulatedBoard(Driver driver);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_CTS_BOARD_BOARD_PROCESS_H_
