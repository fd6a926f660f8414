// SPDX-License-Identifier: Apache-2.0
//
// The schedules that a user gives, and those with which a network was compiled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "compiler/driver/build.h"

namespace tessera::compiler {

const schedule::LayerTrace* Build::GivenFor(size_t index, std::string_view target) const {
  const std::string name = Legible(network.regions[index].name);
  const auto given = std::ranges::find_if(options.schedules, [&](const schedule::LayerTrace& l) {
    return l.target == target && l.layer == name;
  });
  return given == options.schedules.end() ? nullptr : &*given;
}

const schedule::Trace* Build::TraceOf(size_t index, std::string_view target) const {
  const schedule::LayerTrace* given = GivenFor(index, target);
  return given == nullptr ? nullptr : &given->trace;
}

const schedule::NetworkTrace* Build::NetworkTraceOf(size_t index, std::string_view target) const {
  const schedule::LayerTrace* given = GivenFor(index, target);
  return given == nullptr ? nullptr : &given->network;
}

void Build::Keep(const schedule::LayerTrace& layer, std::string_view notes) {
  net.provenance.schedules += schedule::Print(layer);
  if (options.dumps.contains("schedule")) schedule_dump += schedule::Print(layer, notes);
}

void Build::AddSchedule(size_t index, const char* target, const schedule::Trace& trace,
                        std::string_view notes) {
  Keep({.target = target, .layer = network.regions[index].name, .trace = trace}, notes);
}

void Build::AddNetworkTrace(size_t index, const char* target, const schedule::NetworkTrace& trace) {
  Keep({.target = target, .layer = network.regions[index].name, .network = trace}, "");
}

Status Build::CheckSchedules() const {
  constexpr size_t kShown = 12;
  std::vector<std::string> names;
  for (const graph::Region& region : network.regions) names.push_back(Legible(region.name));
  for (const schedule::LayerTrace& given : options.schedules) {
    const std::string from = given.from.empty() ? "" : given.from + ": ";
    const auto found = static_cast<size_t>(std::ranges::find(names, given.layer) - names.begin());
    if (found == names.size()) {
      const size_t more = names.size() > kShown ? names.size() - kShown : 0;
      names.resize(names.size() - more);
      return Fail(Code::kNotFound, "{}no layer '{}' for the schedule that is given; there are {}{}",
                  from, given.layer, fmt::join(names, ", "),
                  more > 0 ? fmt::format(" and {} more (--dump schedule)", more) : "");
    }
    const bool on_accelerator = options.device && network.devices[found] == network::kAccelerator,
               accelerated =
                   on_accelerator &&
                   !network::IsView(network.graph, network.regions[found], options.config);
    const auto is_on = [&](uint32_t device) { return network.devices[found] == device; };
    const bool view = network::ViewedBy(network.graph, network.regions[found]).has_value();
    const std::map<std::string_view, bool> runs = {
        {schedule::kHostTrace, options.cpu || (options.device && is_on(network::kHost))},
        {schedule::kHostNetworkTrace, options.cpu},
        {schedule::kAcceleratorTrace, accelerated},
        {schedule::kStoreTrace, accelerated},
        {schedule::kNetworkTrace, accelerated},
        {schedule::kOpenClTrace, options.opencl || is_on(network::kOpenCl)},
        {schedule::kCudaTrace, options.cuda || is_on(network::kCuda)}};
    if (runs.at(given.target) && !view) continue;
    return Fail(Code::kNotFound,
                "{}layer {} has no code for {}, so it takes no schedule for it; --dump schedule "
                "prints those that it has",
                from, given.layer, schedule::TraceTargetText(given.target));
  }
  return {};
}

}  // namespace tessera::compiler
