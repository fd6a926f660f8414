// SPDX-License-Identifier: Apache-2.0
//
// The RTL, with the HLS twin and the cycle model beside it.
#include "tests/cosim/machines.h"

namespace tessera::cosim {

std::span<const char* const> Machines() {
  static constexpr const char* kMachines[] = {"hls", "rtl", "cycle"};
  return kMachines;
}

}  // namespace tessera::cosim
