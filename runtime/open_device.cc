// SPDX-License-Identifier: Apache-2.0
//
// The list of drivers. A new driver is one line in kDrivers and one in drivers/CMakeLists.txt.
#include <string>

#include "runtime/device.h"
#include "runtime/drivers/null/null_device.h"
#include "sim/func/func_device.h"
#include "sim/rtl/rtl_device.h"

namespace tessera {
namespace {

struct Driver {
  const char* name;
  Result<std::unique_ptr<Device>> (*make)(const isa::Config& config, const DeviceOptions& options);
};

constexpr Driver kDrivers[] = {
    {"null", MakeNullDevice},
    {"func", sim::MakeFuncDevice},
    {"rtl", sim::MakeRtlDevice},
};

}  // namespace

Result<std::unique_ptr<Device>> OpenDevice(const std::string& name, const isa::Config& config,
                                           const DeviceOptions& options) {
  std::string known;
  for (const Driver& driver : kDrivers) {
    if (name == driver.name) return driver.make(config, options);
    known += std::string(known.empty() ? "" : ", ") + driver.name;
  }
  return Fail(Code::kNotFound, "device {}: no such driver; there are {}", name, known);
}

}  // namespace tessera
