// SPDX-License-Identifier: Apache-2.0
#include "tools/learn_times.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "compiler/tune/timed_layer.h"
#include "runtime/host/cpu_level.h"

namespace tessera::tools {
namespace {

constexpr int kMostRounds = 4;  // runs of chosen placements

// The processor, the GPU and the version that times are of.
Result<std::string> MachineOf(const isa::Config& config) {
  std::string machine = fmt::format("{}, {} cores", ProcessorName(), config.cpu.cores);
  if (!config.gpu.driver.empty()) {
    const auto kind = static_cast<artifact::DeviceKind>(network::GpuOf(config));
    TESSERA_ASSIGN(const std::string gpu, tune::GpuDeviceName(kind));
    machine += fmt::format("; {}: {}", config.gpu.driver, gpu);
  }
  return machine + fmt::format("; tessera {}", TESSERA_VERSION);
}

void AddTimes(const compiler::PlacedNetwork& placed, const MeasuredPlacement& measured,
              network::LayerTimes* times) {
  for (size_t l = 0; l < placed.layers.size(); ++l) {
    const compiler::PlacedLayer& layer = placed.layers[l];
    if (layer.cost.device != network::kAccelerator && measured.layers[l])
      times->Set(layer.cost.device, layer.key, *measured.layers[l], layer.name);
  }
}

void Nothing(int64_t, int64_t) {}

}  // namespace

Result<std::shared_ptr<network::LayerTimes>> OpenLayerTimes(const std::string& file,
                                                            const isa::Config& config,
                                                            bool may_begin) {
  const std::vector<std::string> levels = CpuLevels();
  if (std::ranges::count(levels, config.cpu.level) == 0) {
    return Fail(Code::kInvalidArgument,
                "--times: layers are measured on this computer, and the processor of "
                "configuration {} is {}; `tessera devices --measure -o FILE` writes one with this "
                "computer's",
                config.name, config.cpu.name);
  }
  TESSERA_ASSIGN(const std::string machine, MachineOf(config));
  if (!std::filesystem::exists(file)) {
    if (may_begin) return std::make_shared<network::LayerTimes>(machine);
    return Fail(Code::kNotFound,
                "--times {}: there is no such file; with --measure cycle the command makes it",
                file);
  }
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
  TESSERA_ASSIGN(
      network::LayerTimes times,
      network::ParseLayerTimes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file));
  if (times.machine() != machine) {
    return Fail(
        Code::kInvalidArgument,
        "{}: the times are of '{}', and this is '{}'; give another file, or remove this one", file,
        times.machine(), machine);
  }
  return std::make_shared<network::LayerTimes>(std::move(times));
}

Result<LearntPlacement> LearnTimes(const graph::Graph& graph,
                                   const compiler::CompileOptions& options, bool exact,
                                   const std::string& device, network::LayerTimes* times,
                                   const std::function<void(int64_t done, int64_t all)>& done) {
  std::vector<uint32_t> whole{network::kHost};
  if (!options.config.gpu.driver.empty()) whole.push_back(network::GpuOf(options.config));
  const int64_t runs = std::ssize(whole) + kMostRounds;
  int64_t run = 0;
  compiler::CompileOptions pinned = options;
  pinned.goal.reset();
  pinned.pins.clear();
  TESSERA_ASSIGN(const compiler::PlacedNetwork any,
                 compiler::PlaceNetwork(graph, pinned, false, Nothing));
  for (const uint32_t on : whole) {
    done(run++, runs);
    compiler::CompileOptions all = pinned;
    for (const compiler::PlacedLayer& layer : any.layers) all.pins.push_back({layer.name, on});
    TESSERA_ASSIGN(const compiler::PlacedNetwork placed,
                   compiler::PlaceNetwork(graph, all, false, Nothing));
    TESSERA_ASSIGN(const MeasuredPlacement measured, MeasurePlacement(placed, graph, all, device));
    AddTimes(placed, measured, times);
  }
  std::optional<LearntPlacement> last;
  for (int round = 0; round < kMostRounds; ++round) {
    done(run++, runs);
    TESSERA_ASSIGN(compiler::PlacedNetwork placed,
                   compiler::PlaceNetwork(graph, options, exact, Nothing));
    const bool same = last && placed.Pins() == last->placed.Pins();
    TESSERA_ASSIGN(MeasuredPlacement measured, MeasurePlacement(placed, graph, options, device));
    AddTimes(placed, measured, times);
    last = {std::move(placed), std::move(measured)};
    if (same) break;
  }
  done(runs, runs);
  return *std::move(last);
}

}  // namespace tessera::tools
