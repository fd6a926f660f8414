// SPDX-License-Identifier: Apache-2.0
//
// Devices by their names on the command line: "cpu", which is the host itself, a driver of a GPU,
// or a driver of the machine with its options, "rtl:wave=run.fst". Depends on:
// runtime/device/registry.h, runtime/gpu. Used by: the verbs that run on devices.
#ifndef TESSERA_TOOLS_DEVICES_H_
#define TESSERA_TOOLS_DEVICES_H_

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/device/registry.h"
#include "runtime/gpu/gpu_drivers.h"

namespace tessera::tools {

inline constexpr const char* kCpu = "cpu";

// An existing device with options that it takes.
struct ChosenDevice {
  std::string name;  // kCpu or a driver's
  DeviceOptions options;
  bool cpu() const { return name == kCpu; }
  const GpuDriver* gpu() const { return FindGpuDriver(name); }  // null: not a GPU
  bool machine() const { return !cpu() && gpu() == nullptr; }  // it runs the accelerator's programs
};

// Reads |text|, NAME or NAME:option=value,...; |flags| are options from the verb's own flags.
//   errors  kNotFound         no such device
//           kInvalidArgument  an option that the device lacks, a repeated option, a value of
//                             another kind
Result<ChosenDevice> ChooseDevice(const std::string& text,
                                  const std::map<std::string, std::string>& flags = {});

// Reads "cpu,rtl:stall-seed=3,wave=a.fst,func": an item of the form option=value belongs to the
// device before it.
//   errors  kInvalidArgument  an empty or repeated name; and those of ChooseDevice
Result<std::vector<ChosenDevice>> ChooseDevices(const std::string& list);

// A device described for a newcomer: "func: functional simulator of ...".
std::string DescribeDevice(const std::string& name);

// Adds a flag --NAME to |verb| for every option of every driver, unless the verb has a flag of that
// name. Puts given values into |flags|.
void AddDriverFlags(CLI::App& verb, std::map<std::string, std::string>& flags);

// Every device on a line, its options below it, for the end of a verb's help.
std::string DevicesHelp();

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DEVICES_H_
