// SPDX-License-Identifier: Apache-2.0
//
// The HLS twin alone: it needs no Verilated machine.
#include "tests/cosim/machines.h"

namespace tessera::cosim {

std::span<const char* const> Machines() {
  static constexpr const char* kMachines[] = {"hls"};
  return kMachines;
}

}  // namespace tessera::cosim
