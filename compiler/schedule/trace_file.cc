// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/trace_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/text.h"

namespace tessera::schedule {
namespace {

// The target and the layer of a line that begins a trace: "host stem:".
std::optional<LayerTrace> Heading(std::string_view line) {
  while (!line.empty() && std::string_view(" \t\r").contains(line.back())) line.remove_suffix(1);
  for (const std::string_view target : kTraceTargets) {
    if (!line.starts_with(target) || !line.ends_with(':')) continue;
    const std::string_view rest = line.substr(target.size(), line.size() - target.size() - 1);
    if (rest.size() < 2 || rest[0] != ' ') continue;
    return LayerTrace{.target = std::string(target), .layer = std::string(rest.substr(1))};
  }
  return std::nullopt;
}

}  // namespace

std::string TraceTargetText(std::string_view target) {
  if (target == kStoreTrace) return "the accelerator's store";
  if (target == kNetworkTrace) return "the accelerator's network";
  if (target == kHostNetworkTrace) return "the host's network";
  const bool named = target == kHostTrace || target == kAcceleratorTrace;
  return fmt::format("{} {}", named ? "the" : "device", target);
}

std::string Print(const LayerTrace& layer, std::string_view notes) {
  std::string text = fmt::format("{} {}:\n", layer.target, Legible(layer.layer));
  std::istringstream in{std::string(notes)};
  for (std::string line; std::getline(in, line);) text += fmt::format("# {}\n", line);
  return text + Print(layer.trace) + Print(layer.network) + "\n";
}

Result<std::vector<LayerTrace>> ParseTraceFile(const std::string& text, const std::string& file) {
  std::vector<LayerTrace> layers;
  std::string steps;  // of the last layer, behind as many empty lines as precede it in the file
  const auto finish = [&]() -> Status {
    if (layers.empty()) return {};
    const bool for_host = layers.back().target == kHostNetworkTrace;
    if (for_host || layers.back().target == kNetworkTrace) {
      TESSERA_ASSIGN(layers.back().network, ParseNetworkTrace(steps, file));
      for (const NetworkStep& step : layers.back().network) {
        if (IsForHost(step) == for_host) continue;
        return Fail(Code::kInvalidArgument, "{}: not for {}; its steps are: {}", step.from,
                    TraceTargetText(layers.back().target),
                    fmt::join(NetworkStepUsages(for_host), ", "));
      }
    } else {
      TESSERA_ASSIGN(layers.back().trace, ParseTrace(steps, file));
    }
    return {};
  };
  std::istringstream in(text);
  int number = 1;
  for (std::string line; std::getline(in, line); ++number) {
    std::optional<LayerTrace> heading = Heading(line);
    if (!heading) {
      const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
      if (layers.empty() && !blank && line.find_first_not_of(" \t") != line.find('#')) {
        return Fail(Code::kInvalidArgument,
                    "{}:{}: '{}' belongs to no layer; a line 'host LAYER:' comes first; "
                    "targets are {}",
                    file, number, Legible(line, 200), fmt::join(kTraceTargets, ", "));
      }
      steps += line + "\n";
      continue;
    }
    TESSERA_TRY(finish());
    steps.assign(static_cast<size_t>(number), '\n');
    const auto same = [&](const LayerTrace& known) {
      return known.target == heading->target && known.layer == heading->layer;
    };
    if (std::ranges::any_of(layers, same)) {
      return Fail(Code::kInvalidArgument, "{}:{}: layer {} has a trace for {} already", file,
                  number, heading->layer, TraceTargetText(heading->target));
    }
    heading->from = fmt::format("{}:{}", file, number);
    layers.push_back(std::move(*heading));
  }
  TESSERA_TRY(finish());
  if (layers.empty()) {
    return Fail(Code::kInvalidArgument,
                "{}: no layer's schedule is in it; --dump schedule prints what belongs there",
                file);
  }
  return layers;
}

}  // namespace tessera::schedule
