// SPDX-License-Identifier: Apache-2.0
//
// The program that makes a machine's scratchpads zero, for machines whose reset keeps them. Depends
// on: isa. Used by: RegisterDevice.
#ifndef TESSERA_RUNTIME_DEVICE_CLEAR_H_
#define TESSERA_RUNTIME_DEVICE_CLEAR_H_

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "runtime/device.h"

namespace tessera {

// Bytes for device memory from address 0 on: LOADs that fill each memory of |config| with zeros,
// FINISH, and behind them the tile of zeros that the LOADs read.
struct ClearProgram {
  std::vector<uint8_t> bytes;
  Launch launch;
};
ClearProgram MakeClearProgram(const isa::Config& config);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_CLEAR_H_
