// SPDX-License-Identifier: Apache-2.0
#include "tools/place_measure.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>

#include "runtime/executor/layer_cycles.h"
#include "runtime/host/cpu_level.h"
#include "runtime/host/threads.h"
#include "tools/devices.h"
#include "tools/network.h"

namespace tessera::tools {
namespace {

// The host and a GPU run for about kRunSeconds, and each step's fastest run counts: other work on
// the computer takes the processor for some hundredths of a second.
constexpr int kLeastRuns = 5;
constexpr double kRunSeconds = 1;

std::vector<HostTensor> Zeros(const artifact::Artifact& net) {
  std::vector<HostTensor> items;
  for (const artifact::TensorInfo& input : net.inputs) {
    items.push_back(HostTensor::Zeros(input.dtype, input.shape));
    AddItemAxis(input, items.back());
  }
  return items;
}

// Seconds of each layer of |net|, as far as the run tells.
class LayerSeconds {
 public:
  explicit LayerSeconds(const artifact::Artifact& net) : net_(net), seconds_(net.layers.size()) {}

  const std::vector<std::optional<double>>& seconds() const { return seconds_; }
  double carry() const { return carry_; }
  double host() const { return host_; }
  double gpu() const { return gpu_; }

  // Of the steps of |plan|, which took |times|.
  void AddHost(const artifact::ExecutionPlan& plan, const std::vector<double>& times) {
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      if (std::holds_alternative<artifact::ProgramStep>(plan.steps[s])) continue;
      const auto* call = std::get_if<artifact::KernelStep>(&plan.steps[s]);
      const bool of_layer = call != nullptr && call->layer >= 0;
      (UsesGpu(plan, plan.steps[s]) ? gpu_ : of_layer ? host_ : carry_) += times[s];
      if (!of_layer) continue;
      std::optional<double>& layer = seconds_[static_cast<size_t>(call->layer)];
      layer = layer.value_or(0) + times[s];
    }
  }

  // Of |run|, whose trace tells the layers.
  void AddProgram(const ProgramRun& run, double mhz) {
    const std::vector<uint64_t> cycles = LayerCycles(net_.programs[run.program].image, run.trace,
                                                     net_.layers.size(), run.report.cycles);
    for (size_t l = 0; l < cycles.size(); ++l) {
      if (cycles[l] > 0)
        seconds_[l] = seconds_[l].value_or(0) + static_cast<double>(cycles[l]) / (mhz * 1e6);
    }
  }

 private:
  bool UsesGpu(const artifact::ExecutionPlan& plan, const artifact::PlanStep& step) const {
    std::vector<uint32_t> buffers = artifact::BuffersRead(step);
    std::ranges::copy(artifact::BuffersWritten(step), std::back_inserter(buffers));
    return std::ranges::any_of(buffers, [&](uint32_t b) {
      return artifact::RunsSource(net_.devices[plan.buffers[b].device].kind);
    });
  }

  const artifact::Artifact& net_;
  std::vector<std::optional<double>> seconds_;
  double carry_ = 0, host_ = 0, gpu_ = 0;
};

}  // namespace

Result<MeasuredPlacement> MeasurePlacement(const compiler::PlacedNetwork& placed,
                                           const graph::Graph& graph,
                                           compiler::CompileOptions options,
                                           const std::string& device) {
  TESSERA_ASSIGN(const ChosenDevice chosen, ChooseDevice(device));
  if (!chosen.machine()) {
    return Fail(Code::kUnsupported,
                "--measure {}: it does not run the accelerator's programs; take cycle, rtl or a "
                "board",
                device);
  }
  options.cpu = false;
  TESSERA_ASSIGN(compiler::Compiled compiled, compiler::Compile(graph, "", 0, options));
  const LoadedNetwork network{
      .artifact = std::make_shared<const artifact::Artifact>(std::move(compiled.artifact)),
      .config = options.config,
      .compiled = true};
  const int64_t threads = std::min<int64_t>(options.config.cpu.cores, AllowedProcessors());
  TESSERA_ASSIGN(Runner runner,
                 OpenRunner(network, chosen, {.threads = static_cast<int>(threads)}));
  if (!runner.has_clock()) {
    return Fail(Code::kUnsupported,
                "--measure {}: the device has no clock; take cycle, rtl or a board", device);
  }
  const artifact::Artifact& net = *network.artifact;
  const artifact::ExecutionPlan& plan = *net.PlanNamed("device");
  const std::vector<HostTensor> items = Zeros(net);

  // A device that cannot tell its instructions still tells the cycles of a program.
  ExecutionReport traced;
  traced.traced = traced.each_kernel = true;
  if (const auto ran = runner.executor->Run(items, &traced); !ran) {
    if (ran.error().code != Code::kUnsupported) return std::unexpected(ran.error());
    traced.traced = false;
    TESSERA_TRY(runner.executor->Run(items, &traced));
  }
  std::vector<double> fastest = traced.step_seconds;
  const bool repeats = !std::ranges::all_of(plan.steps, [](const artifact::PlanStep& step) {
    return std::holds_alternative<artifact::ProgramStep>(step);
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return passed.count() >= kRunSeconds;
  };
  for (int n = 1; repeats && (n < kLeastRuns || !is_over()); ++n) {
    ExecutionReport again{.each_kernel = true};
    TESSERA_TRY(runner.executor->Run(items, &again));
    for (size_t s = 0; s < fastest.size(); ++s)
      fastest[s] = std::min(fastest[s], again.step_seconds[s]);
  }
  const double mhz = runner.device->clock_mhz();
  LayerSeconds layers(net);
  layers.AddHost(plan, fastest);
  MeasuredPlacement measured{
      .device = runner.name, .host = layers.host(), .gpu = layers.gpu(), .carry = layers.carry()};
  for (const ProgramRun& run : traced.runs) {
    measured.accelerator += static_cast<double>(run.report.cycles) / (mhz * 1e6);
    if (traced.traced) layers.AddProgram(run, mhz);
  }
  std::map<std::string, std::optional<double>> by_name;
  for (size_t l = 0; l < net.layers.size(); ++l) by_name[net.layers[l].name] = layers.seconds()[l];
  for (const compiler::PlacedLayer& layer : placed.layers) {
    const auto found = by_name.find(layer.name);
    measured.layers.push_back(found == by_name.end() ? std::nullopt : found->second);
  }
  const std::vector<std::string> levels = CpuLevels();
  measured.same_cpu = std::ranges::count(levels, network.config.cpu.level) > 0;
  return measured;
}

}  // namespace tessera::tools
