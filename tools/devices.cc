// SPDX-License-Identifier: Apache-2.0
#include "tools/devices.h"

#include <algorithm>

namespace tessera::tools {
namespace {

constexpr const char* kCpuIs = "host code made through LLVM";

}  // namespace

Result<ChosenDevice> ChooseDevice(const std::string& text,
                                  const std::map<std::string, std::string>& flags) {
  TESSERA_ASSIGN(DeviceSpec spec, ParseDeviceSpec(text));
  for (const auto& [option, value] : flags) {
    if (!spec.values.emplace(option, value).second) {
      return Fail(Code::kInvalidArgument, "device {}: option {} is there twice, as --{} too", text,
                  option, option);
    }
  }
  ChosenDevice device{.name = std::move(spec.name), .options = {.values = std::move(spec.values)}};
  if (!device.machine()) {
    TESSERA_TRY(OptionValues::Make(device.name, {}, device.options.values));
    return device;
  }
  const Result<const Driver*> driver = FindDriver(Drivers(), device.name);
  if (!driver) {
    return Fail(driver.error().code, "{}, and cpu, the host itself, opencl and cuda",
                driver.error().message);
  }
  TESSERA_TRY(OptionValues::Make(device.name, (*driver)->options, device.options.values));
  return device;
}

Result<std::vector<ChosenDevice>> ChooseDevices(const std::string& list) {
  std::vector<std::string> texts;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string item = list.substr(at, end - at);
    const bool option = item.find('=') < item.find(':');
    if (option && !texts.empty()) {
      texts.back() += (texts.back().find(':') == std::string::npos ? ":" : ",") + item;
    } else {
      texts.push_back(item);
    }
    at = end + 1;
  }
  std::vector<ChosenDevice> devices;
  for (const std::string& text : texts) {
    const std::string name = text.substr(0, text.find(':'));
    if (name.empty() || std::ranges::count(devices, name, &ChosenDevice::name) > 0) {
      return Fail(Code::kInvalidArgument,
                  "device list '{}': a name is empty or there twice; write e.g. cpu,func,rtl",
                  list);
    }
    TESSERA_ASSIGN(ChosenDevice device, ChooseDevice(text));
    devices.push_back(std::move(device));
  }
  return devices;
}

std::string DescribeDevice(const std::string& name) {
  if (name == kCpu) return fmt::format("{}: {}", kCpu, kCpuIs);
  if (const GpuDriver* gpu = FindGpuDriver(name)) return fmt::format("{}: {}", name, gpu->what);
  const Result<const Driver*> driver = FindDriver(Drivers(), name);
  return driver ? fmt::format("{}: {}", name, (*driver)->what) : name;
}

void AddDriverFlags(CLI::App& verb, std::map<std::string, std::string>& flags) {
  for (const Driver& driver : Drivers()) {
    for (const DriverOption& option : driver.options) {
      const std::string name(option.name);
      const std::string flag = "--" + name;
      if (verb.get_option_no_throw(flag) != nullptr) continue;
      verb.add_option_function<std::string>(
              flag, [&flags, name](const std::string& value) { flags[name] = value; },
              fmt::format("{}: {}", driver.name, option.help))
          ->type_name(std::string(option.value));
    }
  }
}

std::string DevicesHelp() {
  std::string text =
      fmt::format("Devices (NAME or NAME:option=value,...):\n  {:5} {}\n", kCpu, kCpuIs);
  for (const GpuDriver& gpu : GpuDrivers()) text += fmt::format("  {:5} {}\n", gpu.name, gpu.what);
  for (const Driver& driver : Drivers()) {
    text += fmt::format("  {:5} {}; {}\n", driver.name, driver.what,
                        driver.clock ? "cycles" : "no cycles");
    for (const DriverOption& option : driver.options) {
      text += fmt::format("          {}={}: {}\n", option.name, option.value, option.help);
    }
  }
  return text;
}

}  // namespace tessera::tools
