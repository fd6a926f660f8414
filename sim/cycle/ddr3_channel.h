// SPDX-License-Identifier: Apache-2.0
//
// Ddr3Channel: when a DDR3 channel gives and takes data: banks with open rows, activation,
// precharge, refresh, one data bus; first come, first served, rows left open. Depends on: base.
// Used by: ddr3_memory, cycle_device. Timings are those of JEDEC JESD79-3F, in clocks of the
// memory.
#ifndef TESSERA_SIM_CYCLE_DDR3_CHANNEL_H_
#define TESSERA_SIM_CYCLE_DDR3_CHANNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::sim::cycle {

struct Ddr3Parameters {
  double clock_mhz = 533;  // two transfers a clock
  uint64_t bytes = 4;      // of a transfer: the width of the data bus
  uint64_t banks = 8;
  uint64_t row_bytes = 8192;       // of an open row, over the whole width
  uint64_t cl = 7, cwl = 6;        // from a read or write command to its data
  uint64_t rcd = 7, rp = 7;        // activate to command; precharge to activate
  uint64_t ras = 20, wr = 8;       // activate to precharge; last write data to precharge
  uint64_t wtr = 4;                // last write data to a read
  uint64_t refi = 4160, rfc = 86;  // between refreshes; what one takes
  uint64_t controller = 10;        // what the controller adds to a request
};

// A JSON object with any of the names above.
//   errors  kInvalidArgument  not JSON, an unknown name, a value that is not a number
//           kOutOfRange       a value that no memory has; the message says which values do
Result<Ddr3Parameters> ParseDdr3(const std::string& text);

class Ddr3Channel {
 public:
  explicit Ddr3Channel(const Ddr3Parameters& parameters)
      : p_(parameters), banks_(parameters.banks) {}

  struct Times {
    uint64_t first = 0;  // the clock in which the first data are on the bus
    uint64_t end = 0;    // the clock after the last
  };
  // The next access, asked for in clock |now|; calls come in order.
  Times Access(uint64_t now, uint64_t address, uint64_t bytes, bool write);

 private:
  struct Bank {
    bool open = false;
    uint64_t row = 0;
    uint64_t ready = 0;      // a command to the open row, or an activation, from here on
    uint64_t precharge = 0;  // not before
  };
  void Refresh(uint64_t now);

  const Ddr3Parameters p_;
  std::vector<Bank> banks_;
  uint64_t bus_free_ = 0;    // data bus
  uint64_t read_after_ = 0;  // writes before
  uint64_t refreshed_ = 0;   // refreshes done
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_DDR3_CHANNEL_H_
