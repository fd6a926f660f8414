// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>

#include "base/number.h"
#include "base/text.h"
#include "compiler/network/text_lines.h"

namespace tessera::network {
namespace {

constexpr std::string_view kFirstChannels = "both:", kFirstRows = "rows:";
constexpr std::array<std::string_view, 4> kDevices{"host", "accelerator", "opencl", "cuda"};

// The pin of |layer| that |device| names: "host", "accelerator", "both:16", "rows:7".
std::optional<Pin> PinOf(std::string_view device, std::string_view layer) {
  if (layer.empty()) return std::nullopt;
  Pin pin{.layer = std::string(layer)};
  for (uint32_t known = 0; known < kDevices.size(); ++known) {
    if (device == kDevices[known]) {
      pin.device = known;
      return pin;
    }
  }
  const bool rows = device.starts_with(kFirstRows);
  if (!rows && !device.starts_with(kFirstChannels)) return std::nullopt;
  const std::string_view number = device.substr(rows ? kFirstRows.size() : kFirstChannels.size());
  pin.device = kAccelerator;
  int64_t& first = rows ? pin.rows : pin.channels;
  first = NumberIn<int64_t>(number).value_or(0);
  return first < 1 ? std::nullopt : std::optional(pin);
}

}  // namespace

std::string_view DeviceText(uint32_t device) { return kDevices.at(device); }

std::vector<std::string> NodesOfLayer(std::string_view layer) {
  std::vector<std::string> nodes;
  for (const auto node : std::views::split(layer, '+'))
    nodes.emplace_back(node.begin(), node.end());
  return nodes;
}

Result<Pins> ParsePins(std::string_view text, const std::string& file) {
  Pins pins;
  int number = 0;
  for (const auto part : std::views::split(text, '\n')) {
    ++number;
    const std::string_view line = Trimmed({part.begin(), part.end()});
    if (line.empty() || line[0] == '#') continue;
    std::string_view layer = line;
    const std::string_view device = TakeWord(layer);
    std::optional<Pin> pin = PinOf(device, layer);
    if (!pin) {
      return Fail(
          Code::kInvalidArgument,
          "{} line {}: '{}' is no placement; a line is 'host LAYER', 'accelerator LAYER', "
          "'opencl LAYER', 'cuda LAYER', 'both:CHANNELS LAYER', 'rows:ROWS LAYER' or begins "
          "with #",
          file, number, line);
    }
    if (std::ranges::count(pins, layer, &Pin::layer) > 0) {
      return Fail(Code::kInvalidArgument,
                  "{} line {}: layer {} has a device already; leave one out", file, number, layer);
    }
    pins.push_back(std::move(*pin));
  }
  return pins;
}

std::string PrintPins(const Pins& pins) {
  std::string text;
  for (const Pin& pin : pins) {
    const std::string device = pin.channels > 0 ? fmt::format("{}{}", kFirstChannels, pin.channels)
                               : pin.rows > 0   ? fmt::format("{}{}", kFirstRows, pin.rows)
                                                : std::string(DeviceText(pin.device));
    text += fmt::format("{:<11} {}\n", device, Legible(pin.layer));
  }
  return text;
}

}  // namespace tessera::network
