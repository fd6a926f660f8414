// SPDX-License-Identifier: Apache-2.0
#include "tools/compare_sides.h"

#include "runtime/executor/layer_cycles.h"
#include "tools/failed_run.h"

namespace tessera::tools {
namespace {

Result<std::vector<HostTensor>> RunOnce(Runner& runner, std::span<const HostTensor> item,
                                        ExecutionReport* report) {
  Result<std::vector<HostTensor>> outputs = runner.executor->Run(item, report);
  if (!outputs) return Within(runner.name, WithDump(outputs.error(), "compare", runner));
  return outputs;
}

// Why |device| does not tell its observers of retired instructions; "": it does.
Result<std::string> WhyUnseen(Device& device) {
  RetiredList nobody;
  const Status set = device.SetObserver(&nobody);
  if (set) {
    TESSERA_TRY(device.SetObserver(nullptr));
    return "";
  }
  if (set.error().code != Code::kUnsupported) return std::unexpected(set.error());
  return set.error().message;
}

}  // namespace

bool Sees(const Runner& runner, uint32_t layer) {
  return runner.executor->plan().TapOf(layer) != nullptr;
}

bool SeesAll(const Runner& runner) {
  for (uint32_t l = 0; l < runner.executor->artifact().layers.size(); ++l) {
    if (!Sees(runner, l)) return false;
  }
  return true;
}

Result<Captured> RunOne(Side& side, std::span<const HostTensor> item, ExecutionReport* report) {
  Captured captured;
  TESSERA_ASSIGN(captured.outputs, RunOnce(side.runner, item, report));
  Runner& seen = side.Seen();
  if (side.observer) TESSERA_TRY(RunOnce(seen, item, nullptr));
  captured.layers.resize(seen.executor->artifact().layers.size());
  for (uint32_t l = 0; l < captured.layers.size(); ++l) {
    if (!Sees(seen, l)) continue;
    TESSERA_ASSIGN(captured.layers[l], seen.executor->CaptureLayer(l));
  }
  return captured;
}

namespace {

// Adds to |c| the time of the host's steps in the inference of |report|.
void AddHostTime(const Side& side, const ExecutionReport& report, Comparison& c) {
  if (!side.runner.chosen.machine()) return;
  ++c.host_runs;
  for (HostStep& step : c.host) {
    for (const size_t s : step.plan_steps) step.seconds += report.step_seconds[s];
  }
}

}  // namespace

Result<Captured> RunTimed(Side& side, std::span<const HostTensor> item, Comparison& c) {
  ExecutionReport report;
  Result<Captured> captured = RunOne(side, item, &report);
  if (captured) AddHostTime(side, report, c);
  return captured;
}

Result<Captured> RunClocked(Side& side, std::span<const HostTensor> item, Comparison& c) {
  const artifact::Artifact& net = side.runner.executor->artifact();
  ClockedRun clock{.device = side.runner.name, .mhz = side.runner.device->clock_mhz()};
  TESSERA_ASSIGN(clock.unseen, WhyUnseen(*side.runner.device));
  const bool tells = clock.unseen.empty();
  ExecutionReport report;
  report.traced = tells;
  Result<Captured> captured = RunOne(side, item, &report);
  if (!captured) return captured;
  AddHostTime(side, report, c);
  if (tells) {
    clock.layer_cycles.resize(net.layers.size());
    clock.layer_units.resize(net.layers.size());
  }
  for (const ProgramRun& run : report.runs) {
    clock.cycles += static_cast<int64_t>(run.report.cycles);
    for (size_t u = 0; u < isa::kUnits; ++u) clock.units[u] += run.report.units[u];
    if (!tells) continue;
    const isa::ProgramImage& image = net.programs[run.program].image;
    const std::vector<uint64_t> cycles =
        LayerCycles(image, run.trace, net.layers.size(), run.report.cycles);
    const auto units = LayerUnits(image, run.trace, net.layers.size(), run.report);
    for (size_t l = 0; l < cycles.size(); ++l) {
      clock.layer_cycles[l] += static_cast<int64_t>(cycles[l]);
      for (size_t u = 0; u < isa::kUnits; ++u) clock.layer_units[l][u] += units[l][u];
    }
  }
  c.clocks.push_back(std::move(clock));
  return captured;
}

}  // namespace tessera::tools
