// SPDX-License-Identifier: Apache-2.0
#include "tools/run_pipeline.h"

#include <algorithm>

#include "tools/verb.h"

namespace tessera::tools {

void AddPipelineOption(CLI::App* verb, int& in_flight) {
  verb->add_flag("--pipeline{3}", in_flight,
                 "stream the items through the devices: while one runs on the accelerator, the "
                 "host packs the next one and unpacks the last one. --pipeline=N lets N items be "
                 "in progress at a time instead of 3; each has memory of its own")
      ->check(CLI::Range(2, 64));
}

namespace {

std::string NameOf(const Runner& runner, size_t device) {
  const std::vector<artifact::DeviceEntry>& devices = runner.executor->artifact().devices;
  if (device == artifact::kHostDevice) return "host";
  return devices.size() == 2 ? runner.name : devices[device].name;
}

}  // namespace

Json DeviceSeconds(const Runner& runner, const ExecutionReport& report) {
  Json seconds = Json::object();
  for (size_t d = 0; d < report.device_seconds.size(); ++d)
    seconds[NameOf(runner, d)] = report.device_seconds[d];
  return seconds;
}

std::string TellPipeline(std::span<const Runner> runners, const ExecutionReport& report,
                         double seconds, Json& json) {
  const Runner& runner = runners[0];
  std::vector<double> busy = report.device_seconds;
  for (double& all : busy) all /= static_cast<double>(runners.size());
  const auto slowest = std::ranges::max_element(busy);
  const std::string name = NameOf(runner, static_cast<size_t>(slowest - busy.begin()));
  const size_t in_flight = runner.executor->in_flight();
  const double rate = static_cast<double>(report.inferences) / seconds;
  json["pipeline"] = {{"in_flight", in_flight},
                      {"items_per_second", rate},
                      {"slowest", name},
                      {"time_to_slowest", seconds / *slowest}};
  if (in_flight == 1) {
    return "pipeline: one device does all the work of this network, so items run one after "
           "another\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (size_t d = 0; d < busy.size(); ++d) {
    if (busy[d] == 0) continue;
    rows.push_back({NameOf(runner, d), fmt::format("{:.3f}", busy[d]),
                    fmt::format("{:.1f} %", 100 * busy[d] / seconds)});
  }
  const std::string each =
      runners.size() == 1 ? "" : fmt::format(" on each of {} accelerators", runners.size());
  return fmt::format("pipeline: {} items in progress at a time{}, {:.1f} items a second\n",
                     in_flight, each, rate) +
         Table({"device", "busy s", "of the time"}, "lrr", std::move(rows)) +
         fmt::format("the slowest is {}: the run took {:.2f} times its busy time\n", name,
                     seconds / *slowest);
}

}  // namespace tessera::tools
