// SPDX-License-Identifier: Apache-2.0
//
// Drivers: the name, description and options of each, and how to open it. This header knows no
// driver; a program lists its drivers in one unit outside runtime/ (tools/drivers.cc). Depends on:
// runtime/device.h, isa/config.h. Used by: drivers, tools, the VTA library, tests.
#ifndef TESSERA_RUNTIME_DEVICE_REGISTRY_H_
#define TESSERA_RUNTIME_DEVICE_REGISTRY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "isa/config.h"
#include "runtime/device.h"
#include "runtime/device/memory.h"

namespace tessera {

// The options of an open: memory, for all drivers, and a driver's own options by name.
struct DeviceOptions {
  uint64_t memory_bytes = kDefaultMemoryBytes;
  std::map<std::string, std::string> values =
      {};  // {"wave", "run.fst"}; Driver::options lists the names
};

// The kind of value that an option takes.
enum class OptionKind : uint8_t { kText, kNumber, kSwitch };  // kSwitch: on or off

struct DriverOption {
  std::string_view name;  // "stall-seed"
  OptionKind kind = OptionKind::kText;
  std::string_view value;     // the placeholder in a line of help: "SEED"
  std::string_view fallback;  // the value if none is given
  std::string_view help;      // one line
  bool plain = false;         // NAME:3 means NAME:option=3; a number; at most one for each driver
};

// The checked options of one driver: each declared option has a value of its kind. Only a bug of
// the driver asks for another name.
class OptionValues {
 public:
  const std::string& Text(std::string_view name) const;
  uint64_t Number(std::string_view name) const;
  bool Switch(std::string_view name) const;

  // The values of |given|, and the fallbacks of the other options.
  //   errors  kInvalidArgument  an option that |driver| lacks, or a value of another kind; the
  //                             message lists the options of the driver
  static Result<OptionValues> Make(std::string_view driver, std::span<const DriverOption> declared,
                                   const std::map<std::string, std::string>& given);

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct Driver {
  std::string_view name;  // "func"
  std::string_view what;  // one line for a newcomer
  bool clock = false;     // RunReport::cycles means something
  bool view = false;      // its runs can be watched: runtime/machine_view.h
  bool executes = true;   // false: the device has memory only (null)
  bool many = false;      // each open makes a machine of its own: it is simulated here
  std::vector<DriverOption> options = {};
  Result<std::unique_ptr<Device>> (*open)(const isa::Config& config, uint64_t memory_bytes,
                                          const OptionValues& options) = nullptr;
  // What this computer has for the driver, in a few words: "2 cards". Opens and changes nothing.
  // Null: the driver needs only this program.
  //   errors  what is missing, and what to do
  Result<std::string> (*here)() = nullptr;
};

// The drivers of this program, in the order in which to list them. The one unit that names them all
// defines this function; a program that opens devices by name links that unit.
std::span<const Driver> Drivers();

// The driver |name| of |drivers|.
//   errors  kNotFound  no such driver; the message lists the drivers
Result<const Driver*> FindDriver(std::span<const Driver> drivers, std::string_view name);

// Opens driver |name| of |drivers| (default: Drivers()).
//   errors  kNotFound         as FindDriver
//           kInvalidArgument  as OptionValues::Make
//           kUnsupported      the driver cannot be built or found here; the message says what is
//                             missing
//           others            as ValidateConfig and the driver
Result<std::unique_ptr<Device>> OpenDevice(std::span<const Driver> drivers, std::string_view name,
                                           const isa::Config& config,
                                           const DeviceOptions& options = {});
inline Result<std::unique_ptr<Device>> OpenDevice(std::string_view name, const isa::Config& config,
                                                  const DeviceOptions& options = {}) {
  return OpenDevice(Drivers(), name, config, options);
}

// A device as people write it: NAME or NAME:option=value,option=value. The first item may be a
// plain number; it is the value of "" until OptionValues::Make finds the driver's plain option.
struct DeviceSpec {
  std::string name;
  std::map<std::string, std::string> values;
};
//   errors  kInvalidArgument  no name, an option without '=', a repeated option
Result<DeviceSpec> ParseDeviceSpec(std::string_view text);

// "stall-seed=SEED, wave=FILE", or "no options".
std::string OptionList(std::span<const DriverOption> options);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_REGISTRY_H_
