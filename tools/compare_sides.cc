// SPDX-License-Identifier: Apache-2.0
#include "tools/compare_sides.h"

#include <algorithm>
#include <utility>

#include "runtime/executor/layer_cycles.h"
#include "tools/failed_run.h"
#include "tools/run_shares.h"

namespace tessera::tools {
namespace {

std::vector<HostTensor> SliceOf(std::span<const HostTensor> items, int64_t first, int64_t count) {
  std::vector<HostTensor> some;
  for (const HostTensor& input : items) some.push_back(input.Slice(first, count));
  return some;
}

Result<std::vector<HostTensor>> RunOnce(std::span<Runner> runners,
                                        std::span<const HostTensor> items, int64_t first,
                                        ExecutionReport* report) {
  Runner* failed = nullptr;
  Result<std::vector<HostTensor>> outputs = RunShares(runners, items, first, report, &failed);
  if (!outputs) return Within(failed->name, WithDump(outputs.error(), "compare", *failed));
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

namespace {

// Runs |items| at once, no more than there are accelerators.
Result<std::vector<Captured>> RunAtOnce(Side& side, std::span<const HostTensor> items,
                                        int64_t first, ExecutionReport* report) {
  const int64_t count = items[0].shape[0];
  const auto some = [&](std::vector<Runner>& runners) {
    return std::span(runners).first(static_cast<size_t>(count));
  };
  TESSERA_ASSIGN(const std::vector<HostTensor> outputs,
                 RunOnce(some(side.runners), items, first, report));
  ExecutionReport unread;
  if (!side.observers.empty()) TESSERA_TRY(RunOnce(some(side.observers), items, first, &unread));
  std::vector<Captured> captured(static_cast<size_t>(count));
  for (size_t k = 0; k < captured.size(); ++k) {
    captured[k].outputs = SliceOf(outputs, static_cast<int64_t>(k), 1);
    const Runner& seen = side.Seen()[k];
    captured[k].layers.resize(seen.executor->artifact().layers.size());
    for (uint32_t l = 0; l < captured[k].layers.size(); ++l) {
      if (!Sees(seen, l)) continue;
      TESSERA_ASSIGN(captured[k].layers[l], seen.executor->CaptureLayer(l));
    }
  }
  return captured;
}

// Adds to |c| the time of the host's steps in the |count| inferences of |report|.
void AddHostTime(const Side& side, const ExecutionReport& report, int64_t count, Comparison& c) {
  if (!side.runner().chosen.machine()) return;
  c.host_runs += count;
  for (HostStep& step : c.host) {
    for (const size_t s : step.plan_steps) step.seconds += report.step_seconds[s];
  }
}

}  // namespace

Result<std::vector<Captured>> RunTimed(Side& side, std::span<const HostTensor> items, int64_t first,
                                       Comparison& c) {
  const int64_t all = items[0].shape[0], at_once = std::ssize(side.runners);
  std::vector<Captured> captured;
  for (int64_t k = 0; k < all; k += at_once) {
    const int64_t count = std::min(at_once, all - k);
    ExecutionReport report;
    TESSERA_ASSIGN(std::vector<Captured> ran,
                   RunAtOnce(side, SliceOf(items, k, count), first + k, &report));
    AddHostTime(side, report, count, c);
    for (Captured& one : ran) captured.push_back(std::move(one));
  }
  return captured;
}

Result<std::vector<Captured>> RunClocked(Side& side, std::span<const HostTensor> item,
                                         Comparison& c) {
  const Runner& runner = side.runner();
  const artifact::Artifact& net = runner.executor->artifact();
  ClockedRun clock{.device = runner.name, .mhz = runner.device->clock_mhz()};
  TESSERA_ASSIGN(clock.unseen, WhyUnseen(*runner.device));
  const bool tells = clock.unseen.empty();
  ExecutionReport report;
  report.traced = tells;
  Result<std::vector<Captured>> captured = RunAtOnce(side, item, 0, &report);
  if (!captured) return captured;
  AddHostTime(side, report, 1, c);
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
