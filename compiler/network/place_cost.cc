// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/place_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/network/place.h"
#include "compiler/schedule/accel/plan.h"

namespace tessera::network {
namespace {

using graph::Region;
using graph::TensorId;

// ", of which A and B": the positive times of |parts|, each with its words. Empty if there is none.
std::string OfWhich(const std::vector<std::pair<double, const char*>>& parts) {
  std::string text;
  for (const auto& [seconds, what] : parts) {
    if (seconds > 0)
      text +=
          fmt::format("{} {} {}", text.empty() ? ", of which" : " and", TimeText(seconds), what);
  }
  return text;
}

}  // namespace

std::string TimeText(double seconds) {
  const double us = seconds * 1e6;
  if (us < 9.95) return fmt::format("{:.1f} us", us);
  if (us < 999.5) return fmt::format("{:.0f} us", us);
  return fmt::format("{:.1f} ms", us / 1e3);
}

double PartTimes::OnHost() const { return host + std::max(-start, 0.0) + std::max(-carry, 0.0); }
double PartTimes::OnAccelerator() const {
  return cycles + std::max(start, 0.0) + std::max(carry, 0.0);
}

std::vector<int> TurnsOf(const graph::Graph& graph, const Placement& placement,
                         const std::vector<bool>& on) {
  std::vector<uint32_t> devices;
  for (const bool accelerator : on) devices.push_back(accelerator ? kAccelerator : kHost);
  return Turns(graph, placement.nodes, devices, placement.packed);
}

PlaceCosts::PlaceCosts(const Layers& layers, const Placement& placement)
    : layers_(layers),
      graph_(layers.graph()),
      placement_(placement),
      layers_now_(placement.fuse(placement.on)),
      placed_now_(PlacedOf(layers_now_, placement.on)) {}

PlaceCosts::Placed PlaceCosts::PlacedOf(const std::vector<Region>& layers,
                                        const std::vector<bool>& on) {
  Placed placed;
  for (const Region& layer : layers) placed.emplace(layer.nodes, on[layer.nodes[0]]);
  return placed;
}

std::optional<PartTimes> PlaceCosts::TimesOf(const std::vector<size_t>& part) const {
  std::vector<bool> without = placement_.on;
  for (const size_t n : part) without[n] = false;
  const std::vector<Region> then = placement_.fuse(without);
  PartTimes times;
  bool known = true;
  // Adds the times on the accelerator of those |layers| that are not among |others|, and subtracts
  // those on the host; with a |sign| of -1 the other way round.
  const auto add = [&](const std::vector<Region>& layers, const std::vector<bool>& on,
                       const Placed& others, double sign) {
    for (const Region& layer : layers) {
      const bool accelerator = on[layer.nodes[0]];
      if (others.contains({layer.nodes, accelerator})) continue;
      const std::optional<double> seconds = SecondsOf(layer, accelerator);
      known = known && seconds;
      if (accelerator) {
        times.cycles += sign * seconds.value_or(0);
      } else {
        times.host -= sign * seconds.value_or(0);
      }
    }
  };
  add(layers_now_, placement_.on, PlacedOf(then, without), 1);
  add(then, without, placed_now_, -1);
  if (!known) return std::nullopt;
  times.start = StartSeconds(Starts(placement_.on) - Starts(without));
  times.carry = CarrySeconds(CarriedBytes(placement_.on) - CarriedBytes(without));
  return times;
}

NetworkTimes PlaceCosts::Times() const {
  NetworkTimes times{.start = StartSeconds(Starts(placement_.on)),
                     .carry = CarrySeconds(CarriedBytes(placement_.on))};
  for (const Region& layer : layers_now_) {
    const bool accelerator = placement_.on[layer.nodes[0]];
    (accelerator ? times.accelerator : times.host) += SecondsOf(layer, accelerator).value_or(0);
  }
  return times;
}

std::optional<double> PlaceCosts::SecondsOf(const Region& layer, bool accelerator) const {
  const bool view =
      accelerator ? IsView(graph_, layer, layers_.config()) : ViewedBy(graph_, layer).has_value();
  if (view) return 0;
  return accelerator ? layers_.AcceleratorSeconds(layer) : layers_.HostSeconds(layer);
}

double PlaceCosts::StartSeconds(int64_t starts) const {
  return static_cast<double>(starts * layers_.config().cpu.start_us) / 1e6;
}

double PlaceCosts::CarrySeconds(int64_t bytes) const {
  return static_cast<double>(bytes) / (static_cast<double>(layers_.config().cpu.pack_mb_s) * 1e6);
}

int64_t PlaceCosts::Starts(const std::vector<bool>& on) const {
  const std::vector<int> turns = TurnsOf(graph_, placement_, on);
  std::set<int> started;
  for (size_t n = 0; n < on.size(); ++n) {
    if (on[n] && !IsView(graph_, placement_.nodes[n], layers_.config())) started.insert(turns[n]);
  }
  return std::ssize(started);
}

int64_t PlaceCosts::CarriedBytes(const std::vector<bool>& on) const {
  struct Uses {
    bool made = false, read = false;  // by the accelerator
    bool by_host = false;             // the host reads it, or the user
    bool packed = false;              // the host packs it in a layout of its own
  };
  std::vector<Uses> uses(graph_.tensors.size());
  for (const TensorId id : graph_.outputs) uses[static_cast<size_t>(id)].by_host = true;
  for (size_t n = 0; n < on.size(); ++n) {
    const Region& node = placement_.nodes[n];
    uses[static_cast<size_t>(node.output)].made = on[n];
    for (const TensorId id : node.inputs) {
      Uses& of = uses[static_cast<size_t>(id)];
      if (!on[n]) {
        of.by_host = true;
      } else if (std::ranges::count(placement_.packed[n], id) > 0) {
        of.packed = true;
      } else {
        of.read = true;
      }
    }
  }
  int64_t bytes = 0;
  for (size_t t = 0; t < uses.size(); ++t) {
    const graph::GraphTensor& tensor = graph_.tensors[t];
    const Uses& of = uses[t];
    const int64_t times = (of.made && (of.by_host || of.packed) ? 1 : 0) + (of.packed ? 1 : 0) +
                          (!of.made && of.read ? 1 : 0);
    if (times == 0 || tensor.shape.size() > 4) continue;
    bytes += times *
             schedule::accel::PackingOf(schedule::accel::ToShape4(tensor.shape), layers_.config())
                 .bytes();
  }
  return bytes;
}

std::string TimesText(const PartTimes& times, size_t operators, const std::string& cpu) {
  const std::string with = operators < 2 ? ""
                                         : fmt::format("with {} other operator{} ", operators - 1,
                                                       operators == 2 ? "" : "s");
  return fmt::format(
      "{}{} on {}{}, {} on the accelerator{}", with, TimeText(times.OnHost()), cpu,
      OfWhich({{-times.start, "are starts of the accelerator"}, {-times.carry, "carry tensors"}}),
      TimeText(times.OnAccelerator()),
      OfWhich({{times.start, "start it"}, {times.carry, "carry tensors"}}));
}

}  // namespace tessera::network
