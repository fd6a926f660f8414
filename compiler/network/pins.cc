// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/text.h"

namespace tessera::network {
namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::string_view DeviceText(uint32_t device) { return device == kHost ? "host" : "accelerator"; }

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
    const size_t space = line.find_first_of(" \t");
    const std::string_view device = line.substr(0, space),
                           layer =
                               space == std::string_view::npos ? "" : Trimmed(line.substr(space));
    if ((device != DeviceText(kHost) && device != DeviceText(kAccelerator)) || layer.empty()) {
      return Fail(
          Code::kInvalidArgument,
          "{} line {}: '{}' is no placement; a line is 'host LAYER', 'accelerator LAYER' or "
          "begins with #",
          file, number, line);
    }
    if (std::ranges::count(pins, layer, &Pin::layer) > 0) {
      return Fail(Code::kInvalidArgument,
                  "{} line {}: layer {} has a device already; leave one out", file, number, layer);
    }
    pins.push_back({std::string(layer), device == DeviceText(kHost) ? kHost : kAccelerator});
  }
  return pins;
}

std::string PrintPins(const Pins& pins) {
  std::string text;
  for (const Pin& pin : pins)
    text += fmt::format("{:<11} {}\n", DeviceText(pin.device), Legible(pin.layer));
  return text;
}

}  // namespace tessera::network
