// SPDX-License-Identifier: Apache-2.0
//
// Drivers: what each is called, what it is, which options it takes, how it is opened. This header
// knows no driver; a program's list of them is one unit outside runtime/ (tools/drivers.cc).
// Depends on: runtime/device.h, isa/config.h. Used by: drivers, tools, the VTA library, tests.
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

// What a driver is told when it is opened: memory, which all have, and options of its own by name.
struct DeviceOptions {
  uint64_t memory_bytes = kDefaultMemoryBytes;
  std::map<std::string, std::string> values =
      {};  // {"wave", "run.fst"}; Driver::options says which
};

// What a value must look like.
enum class OptionKind : uint8_t { kText, kNumber, kSwitch };  // kSwitch: on or off

struct DriverOption {
  std::string_view name;  // "stall-seed"
  OptionKind kind = OptionKind::kText;
  std::string_view value;     // what stands for it in a line of help: "SEED"
  std::string_view fallback;  // the value where none is given
  std::string_view help;      // one line
  bool plain = false;         // NAME:3 means NAME:option=3; at most one of a driver, a number
};

// The options of one driver, checked: each that it declares has a value of its kind. Asking for
// another name is a bug of the driver.
class OptionValues {
 public:
  const std::string& Text(std::string_view name) const;
  uint64_t Number(std::string_view name) const;
  bool Switch(std::string_view name) const;

  // The values of |given| and the fallbacks of the rest.
  //   errors  kInvalidArgument  an option that |driver| lacks, a value of another kind: both, and
  //                             what the driver takes
  static Result<OptionValues> Make(std::string_view driver, std::span<const DriverOption> declared,
                                   const std::map<std::string, std::string>& given);

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct Driver {
  std::string_view name;  // "func"
  std::string_view what;  // one line for a newcomer
  bool clock = false;     // RunReport::cycles means something
  bool view = false;      // its runs can be looked at: runtime/machine_view.h
  bool executes = true;   // false: it has memory only (null)
  std::vector<DriverOption> options = {};
  Result<std::unique_ptr<Device>> (*open)(const isa::Config& config, uint64_t memory_bytes,
                                          const OptionValues& options) = nullptr;
  // What this machine has for it, in a few words: "2 cards". Opens nothing and changes nothing.
  // Null: all that it needs is this program.
  //   errors  what is missing, and the way out
  Result<std::string> (*here)() = nullptr;
};

// The drivers of this program, in the order in which to list them. Declared here and defined by
// the one unit that names them all; a program that opens devices by name links it.
std::span<const Driver> Drivers();

// The driver |name| of |drivers|.
//   errors  kNotFound  no such driver; the message lists them
Result<const Driver*> FindDriver(std::span<const Driver> drivers, std::string_view name);

// Opens driver |name|, of Drivers() or of a list.
//   errors  kNotFound         as FindDriver
//           kInvalidArgument  as OptionValues::Make
//           kUnsupported      the driver cannot be built or found here; the message says what is
//                             missing
//           and those of ValidateConfig and of the driver
Result<std::unique_ptr<Device>> OpenDevice(std::span<const Driver> drivers, std::string_view name,
                                           const isa::Config& config,
                                           const DeviceOptions& options = {});
inline Result<std::unique_ptr<Device>> OpenDevice(std::string_view name, const isa::Config& config,
                                                  const DeviceOptions& options = {}) {
  return OpenDevice(Drivers(), name, config, options);
}

// A device as a person writes it: NAME or NAME:option=value,option=value. The first may be a number
// alone, which is the value of "" until OptionValues::Make finds the driver's plain option.
struct DeviceSpec {
  std::string name;
  std::map<std::string, std::string> values;
};
//   errors  kInvalidArgument  no name, an option without '=', one given twice
Result<DeviceSpec> ParseDeviceSpec(std::string_view text);

// "stall-seed=SEED, wave=FILE", or "no options".
std::string OptionList(std::span<const DriverOption> options);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_DEVICE_REGISTRY_H_
