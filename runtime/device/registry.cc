// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/registry.h"

#include <algorithm>

#include "base/check.h"
#include "base/number.h"

namespace tessera {
namespace {

bool Fits(OptionKind kind, std::string_view value) {
  switch (kind) {
    case OptionKind::kText:
      return true;
    case OptionKind::kNumber:
      return NumberIn<uint64_t>(value).has_value();
    case OptionKind::kSwitch:
      return value == "on" || value == "off";
  }
  return false;
}

std::string_view Wanted(OptionKind kind) {
  switch (kind) {
    case OptionKind::kText:
      return "a text";
    case OptionKind::kNumber:
      return "a whole number from 0 to 2^64-1";
    case OptionKind::kSwitch:
      return "on or off";
  }
  return "";
}

}  // namespace

std::string OptionList(std::span<const DriverOption> options) {
  std::string text;
  for (const DriverOption& option : options) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", option.name, option.value);
  }
  return text.empty() ? "no options" : text;
}

Result<OptionValues> OptionValues::Make(std::string_view driver,
                                        std::span<const DriverOption> declared,
                                        const std::map<std::string, std::string>& given) {
  OptionValues values;
  for (const DriverOption& option : declared) {
    TESSERA_CHECK(Fits(option.kind, option.fallback), "{} {}", driver, option.name);
    values.values_.emplace(option.name, option.fallback);
  }
  for (const auto& [written, value] : given) {
    std::string name = written;
    if (name.empty()) {  // a plain number
      const auto plain = std::ranges::find(declared, true, &DriverOption::plain);
      if (plain == declared.end()) {
        return Fail(Code::kInvalidArgument, "device {}: '{}' is not option=value; it takes {}",
                    driver, value, OptionList(declared));
      }
      name = plain->name;
      if (given.contains(name)) {
        return Fail(Code::kInvalidArgument, "device {}: '{}' is option {}, which is there twice",
                    driver, value, name);
      }
    }
    const auto at = values.values_.find(name);
    if (at == values.values_.end()) {
      return Fail(Code::kInvalidArgument, "device {}: no option '{}'; it takes {}", driver, name,
                  OptionList(declared));
    }
    for (const DriverOption& option : declared) {
      if (option.name != name || Fits(option.kind, value)) continue;
      return Fail(Code::kInvalidArgument, "device {}: option {} is '{}', wanted is {}: {}", driver,
                  name, value, Wanted(option.kind), option.help);
    }
    at->second = value;
  }
  return values;
}

const std::string& OptionValues::Text(std::string_view name) const {
  const auto at = values_.find(name);
  TESSERA_CHECK(at != values_.end(), "the driver does not declare {}", name);
  return at->second;
}

uint64_t OptionValues::Number(std::string_view name) const {
  const auto number = NumberIn<uint64_t>(Text(name));
  TESSERA_CHECK(number, "{} is not declared as a number", name);
  return *number;
}

bool OptionValues::Switch(std::string_view name) const {
  TESSERA_CHECK(Fits(OptionKind::kSwitch, Text(name)), "{} is not declared as a switch", name);
  return Text(name) == "on";
}

Result<const Driver*> FindDriver(std::span<const Driver> drivers, std::string_view name) {
  std::string known;
  for (const Driver& driver : drivers) {
    if (name == driver.name) return &driver;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", driver.name);
  }
  return Fail(Code::kNotFound, "device {}: no such driver; there are {}", name, known);
}

Result<std::unique_ptr<Device>> OpenDevice(std::span<const Driver> drivers, std::string_view name,
                                           const isa::Config& config,
                                           const DeviceOptions& options) {
  TESSERA_ASSIGN(const Driver* driver, FindDriver(drivers, name));
  TESSERA_ASSIGN(const OptionValues values,
                 OptionValues::Make(driver->name, driver->options, options.values));
  TESSERA_TRY(isa::ValidateConfig(config));
  return driver->open(config, options.memory_bytes, values);
}

Result<DeviceSpec> ParseDeviceSpec(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  DeviceSpec spec{.name = std::string(text.substr(0, colon)), .values = {}};
  if (spec.name.empty()) {
    return Fail(Code::kInvalidArgument, "device '{}': no name; write NAME or NAME:option=value,...",
                text);
  }
  for (size_t at = colon + 1; at <= text.size() && colon < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, end - at);
    const size_t equals = item.find('=');
    if (at == colon + 1 && NumberIn<uint64_t>(item)) {
      spec.values.emplace("", item);
      at = end + 1;
      continue;
    }
    if (equals == std::string_view::npos || equals == 0) {
      return Fail(Code::kInvalidArgument, "device '{}': '{}' is not option=value", text, item);
    }
    const auto [place, fresh] =
        spec.values.emplace(item.substr(0, equals), item.substr(equals + 1));
    if (!fresh) {
      return Fail(Code::kInvalidArgument, "device '{}': option {} is there twice", text,
                  place->first);
    }
    at = end + 1;
  }
  return spec;
}

}  // namespace tessera
