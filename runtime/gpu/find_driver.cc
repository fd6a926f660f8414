// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/gpu_drivers.h"

namespace tessera {

const GpuDriver* FindGpuDriver(std::string_view name) {
  for (const GpuDriver& driver : GpuDrivers()) {
    if (driver.name == name) return &driver;
  }
  return nullptr;
}

}  // namespace tessera
