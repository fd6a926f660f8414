// SPDX-License-Identifier: Apache-2.0
//
// Devices as the command line names them: "cpu", which is the host itself, a driver of a GPU, or
// one of the machine with its options, "rtl:wave=run.fst". Depends on: runtime/device/registry.h,
// runtime/gpu. Used by: run, compare.
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

// A device that exists, with options that it takes.
struct ChosenDevice {
  std::string name;  // kCpu or a driver's
  DeviceOptions options;
  bool cpu() const { return name == kCpu; }
  const GpuDriver* gpu() const { return FindGpuDriver(name); }  // null: no GPU
  bool machine() const { return !cpu() && gpu() == nullptr; }  // it runs the accelerator's programs
};

// |text| as NAME or NAME:option=value,...; |flags| are more options, from flags of their own.
//   errors  kNotFound         no such device
//           kInvalidArgument  an option that it lacks or that is there twice, a value of another
//           kind
Result<ChosenDevice> ChooseDevice(const std::string& text,
                                  const std::map<std::string, std::string>& flags = {});

// "cpu,rtl:stall-seed=3,wave=a.fst,func": an item with '=' and no name is the device's before it.
//   errors  kInvalidArgument  an empty or repeated name; and those of ChooseDevice
Result<std::vector<ChosenDevice>> ChooseDevices(const std::string& list);

// A device's name in words for a newcomer: "func: functional simulator of ...".
std::string DescribeDevice(const std::string& name);

// Adds a flag --NAME to |verb| for every option of every driver, unless the verb has one of that
// name; what is given is put into |flags|.
void AddDriverFlags(CLI::App& verb, std::map<std::string, std::string>& flags);

// Every device in a line, its options below it: for the end of a verb's help.
std::string DevicesHelp();

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_DEVICES_H_
