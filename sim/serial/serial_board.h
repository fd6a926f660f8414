// SPDX-License-Identifier: Apache-2.0
//
// SerialBoard: the verilated top of the ULX3S behind a pseudo-terminal. Every bit of the serial
// line goes through the model's UART. Depends on: boards/ulx3s (the RTL), base. Used by:
// simulated_ulx3s.
#ifndef TESSERA_SIM_SERIAL_SERIAL_BOARD_H_
#define TESSERA_SIM_SERIAL_SERIAL_BOARD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"

namespace tessera::sim {

// What the line does to bytes, in each direction, with random numbers from |seed|. Each is the mean
// number of bytes from one fault to the next; 0: none.
struct LineFaults {
  uint64_t seed = 1;
  uint64_t lose = 0;    // a byte does not arrive
  uint64_t twice = 0;   // a byte arrives twice
  uint64_t change = 0;  // a bit of a byte changes
};

class SerialBoard {
 public:
  // A board that is configured and in its power-on state.
  //   errors  kUnavailable  the system gives no pseudo-terminal
  static Result<std::unique_ptr<SerialBoard>> Make(const LineFaults& faults);
  virtual ~SerialBoard() = default;

  // The end for the user: "/dev/pts/5".
  virtual const std::string& path() const = 0;

  // Moves bytes and steps the clock until |over| returns true, which it is asked about a hundred
  // times a second. |over| is told whether a process has had the port open and has closed it.
  virtual void Serve(const std::function<bool(bool closed)>& over) = 0;
};

}  // namespace tessera::sim

#endif  // TESSERA_SIM_SERIAL_SERIAL_BOARD_H_
