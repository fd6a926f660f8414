// SPDX-License-Identifier: Apache-2.0
//
// Ddr3Channel: the times at which a DDR3 channel transfers data. It models banks with open rows,
// activation, precharge, refresh and one data bus. Accesses run first come, first served; rows stay
// open. Times are in clocks of the memory, with the names of JEDEC JESD79-3F. Depends on: base.
// Used by: ddr3_memory, cycle_device.
#ifndef TESSERA_SIM_CYCLE_DDR3_CHANNEL_H_
#define TESSERA_SIM_CYCLE_DDR3_CHANNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::sim::cycle {

struct Ddr3Parameters {
  double clock_mhz = 533;  // two transfers a clock
  uint64_t bytes = 4;      // of one transfer: the width of the data bus
  uint64_t banks = 8;
  uint64_t row_bytes = 8192;       // of a row, over the whole width of the bus
  uint64_t cl = 7, cwl = 6;        // from a read or write command to its data
  uint64_t rcd = 7, rp = 7;        // activate to command; precharge to activate
  uint64_t ras = 20, wr = 8;       // activate to precharge; last write data to precharge
  uint64_t wtr = 4;                // last write data to a read
  uint64_t refi = 4160, rfc = 86;  // from one refresh to the next; duration of one
  uint64_t controller = 10;        // latency that the controller adds to a request
};

// Reads a JSON object with any of the names above as keys; missing keys keep the defaults.
//   errors  kInvalidArgument  not a JSON object, an unknown key, a value that is not a number
//           kOutOfRange       a value outside the range that the message gives
Result<Ddr3Parameters> ParseDdr3(const std::string& text);

class Ddr3Channel {
 public:
  explicit Ddr3Channel(const Ddr3Parameters& parameters)
      : p_(parameters), banks_(parameters.banks) {}

  struct Times {
    uint64_t first = 0;  // the clock in which the first data are on the bus
    uint64_t end = 0;    // the clock after the last
  };
  // The times of the next access, requested in clock |now|. Call in the order of the requests.
  Times Access(uint64_t now, uint64_t address, uint64_t bytes, bool write);

 private:
  struct Bank {
    bool open = false;
    uint64_t row = 0;
    uint64_t ready = 0;      // earliest clock of a command to the open row, or of an activation
    uint64_t precharge = 0;  // earliest clock of a precharge
  };
  void Refresh(uint64_t now);

  const Ddr3Parameters p_;
  std::vector<Bank> banks_;
  uint64_t bus_free_ = 0;    // clock from which the data bus is free
  uint64_t read_after_ = 0;  // earliest clock of a read command, after the writes before
  uint64_t refreshed_ = 0;   // number of refreshes done
};

}  // namespace tessera::sim::cycle

#endif  // TESSERA_SIM_CYCLE_DDR3_CHANNEL_H_
