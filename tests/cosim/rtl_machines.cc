// SPDX-License-Identifier: Apache-2.0
//
// The RTL, and the HLS twin beside it.
#include "tests/cosim/machines.h"

namespace tessera::cosim {

std::span<const char* const> Machines() {
  static constexpr const char* kMachines[] = {"hls", "rtl"};
  return kMachines;
}

}  // namespace tessera::cosim
