// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/layer_times.h"

#include <fmt/format.h>

#include <cmath>
#include <ranges>

#include "base/number.h"
#include "base/text.h"
#include "compiler/network/text_lines.h"

namespace tessera::network {
namespace {

constexpr std::string_view kMachine = "machine ";

std::optional<uint32_t> DeviceNamed(std::string_view word) {
  for (const uint32_t device : {kHost, kOpenCl, kCuda}) {
    if (word == DeviceText(device)) return device;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> LayerTimes::Of(uint32_t device, uint64_t key) const {
  const auto found = times_.find({device, key});
  return found == times_.end() ? std::nullopt : std::optional(found->second.seconds);
}

void LayerTimes::Set(uint32_t device, uint64_t key, double seconds, std::string layer) {
  times_[{device, key}] = {seconds, std::move(layer)};
}

std::string LayerTimes::Print() const {
  std::string text = fmt::format(
      "# Seconds that layers took, by device and structure: tessera place --times.\n{}{}\n",
      kMachine, machine_);
  for (const auto& [at, time] : times_) {
    text += fmt::format("{} {:016x} {:.4g} {}\n", DeviceText(at.first), at.second, time.seconds,
                        Legible(time.layer));
  }
  return text;
}

Result<LayerTimes> ParseLayerTimes(std::string_view text, const std::string& file) {
  std::optional<LayerTimes> times;
  int number = 0;
  for (const auto part : std::views::split(text, '\n')) {
    ++number;
    std::string_view line = Trimmed({part.begin(), part.end()});
    if (line.empty() || line[0] == '#') continue;
    if (!times) {
      if (!line.starts_with(kMachine)) {
        return Fail(Code::kInvalidArgument,
                    "{} line {}: '{}'; the first line of a file of layers' times is 'machine NAME'",
                    file, number, line);
      }
      times.emplace(std::string(line.substr(kMachine.size())));
      continue;
    }
    const std::string_view whole = line;
    const auto device = DeviceNamed(TakeWord(line));
    const auto key = NumberIn<uint64_t>(TakeWord(line), 16);
    const auto seconds = NumberIn<double>(TakeWord(line));
    if (!device || !key || !seconds || !std::isfinite(*seconds) || *seconds < 0) {
      return Fail(Code::kInvalidArgument,
                  "{} line {}: '{}' is no time of a layer; a line is 'host STRUCTURE SECONDS "
                  "LAYER', or with 'opencl' or 'cuda'; leave it out, or measure again",
                  file, number, whole);
    }
    if (times->Of(*device, *key)) {
      return Fail(Code::kInvalidArgument,
                  "{} line {}: structure {:016x} has a time on {} already; leave one out", file,
                  number, *key, DeviceText(*device));
    }
    times->Set(*device, *key, *seconds, std::string(line));
  }
  if (!times) {
    return Fail(
        Code::kInvalidArgument,
        "{}: the first line of a file of layers' times is 'machine NAME', and there is none", file);
  }
  return *std::move(times);
}

}  // namespace tessera::network
