// SPDX-License-Identifier: Apache-2.0
//
// Times the replay of a schedule with other picks. For each layer of a model that the accelerator
// runs, draws random values of its decisions and runs one trace after another on one schedule.
// Prints for each layer: steps, decisions, and the median over the traces in microseconds; the
// milliseconds from the layer's own trace to a plan, a program, its check and its cycles; the
// cycles, the error of their estimate (compiler/cost), and the microseconds of the estimate. Prints
// the median layer last.
//
//   ninja -C build replays && build/bin/replays build/models/imagenet/resnet18_int8.onnx [CONFIG]
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/file.h"
#include "base/rng.h"
#include "compiler/codegen/accel/accel.h"
#include "compiler/cost/cost.h"
#include "compiler/driver/evaluate.h"
#include "compiler/import/import.h"
#include "compiler/network/place.h"
#include "compiler/network/program.h"
#include "compiler/network/simplify.h"
#include "compiler/quantize/params.h"
#include "compiler/schedule/picks.h"
#include "compiler/target/accelerator.h"
#include "isa/check/check.h"
#include "sim/cycle/count.h"

namespace tessera {
namespace {

constexpr int kTraces = 200, kCosts = 21;

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The milliseconds of the steps from a trace to a plan, a program, its check and its cycles.
struct ProgramTimes {
  double plan = 0, emit = 0, check = 0, count = 0;
  uint64_t cycles = 0;
};
Result<ProgramTimes> TimesOf(const compiler::AccelLayer& layer, const schedule::Trace& trace) {
  const std::vector<network::Activation>& activations = layer.activations;
  const isa::Config& config = layer.config;
  std::vector<lower::accel::AccelRegion> regions{layer.region};
  regions[0].schedule = trace;
  ProgramTimes times;
  auto begin = std::chrono::steady_clock::now();
  const auto lap = [&] {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> took = now - begin;
    begin = now;
    return took.count();
  };
  TESSERA_ASSIGN(const network::ProgramPlan plan,
                 network::PlanProgram(activations, regions, config));
  times.plan = lap();
  const network::MemoryPlan memory = plan.PlaceNeeds();
  TESSERA_ASSIGN(const codegen::accel::AccelProgram program,
                 codegen::accel::EmitProgram(plan, activations, regions, config, memory.offsets,
                                             memory.bytes));
  times.emit = lap();
  TESSERA_TRY(isa::RequireChecked(program.image, config));
  times.check = lap();
  TESSERA_ASSIGN(const RunReport report, sim::CountCycles(program.image, config));
  times.count = lap();
  times.cycles = report.cycles;
  return times;
}

Status Run(const std::string& file, const std::string& name) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(name));
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(file));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, file, {}));
  TESSERA_TRY(quantize::AttachRequant(graph));
  network::Simplify(graph, &config);
  const network::Layers layers(graph, config);
  const auto places = network::PlaceNodes(layers);
  Rng rng(1);
  std::vector<double> medians, costs;
  fmt::print("{:30} {:>5} {:>9} {:>10} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9} {:>10}\n", "layer",
             "steps", "decisions", "replay, us", "cost, us", "plan, ms", "emit, ms", "check, ms",
             "count, ms", "cycles", "estimated");
  for (const graph::Region& region : network::FusePlaced(layers, places, true)) {
    if (places[region.nodes[0]].device != network::kAccelerator) continue;
    const compiler::AccelLayer layer = compiler::AccelLayerOf(graph, layers.Te(region), config);
    const lower::accel::AccelRegion& bound = layer.region;
    const auto steps = lower::accel::StepsOf(bound, config);
    if (!steps) continue;  // only another view of a tensor
    const schedule::Trace& trace = *steps;
    std::vector<schedule::Trace> traces;
    for (int k = 0; k < kTraces; ++k) {
      TESSERA_ASSIGN(traces.emplace_back(),
                     schedule::PickedBy(bound.output, trace, target::Accelerator(config),
                                        schedule::AnyOf(rng)));
    }
    TESSERA_ASSIGN(schedule::Schedule s,
                   schedule::Schedule::Replay({bound.output}, trace, target::Accelerator(config)));
    std::vector<double> times;
    for (const schedule::Trace& other : traces) {
      const auto begin = std::chrono::steady_clock::now();
      TESSERA_TRY(s.Become(other));
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begin;
      times.push_back(took.count());
    }
    medians.push_back(Median(times));
    TESSERA_ASSIGN(const ProgramTimes ms, TimesOf(layer, trace));
    TESSERA_TRY(s.Become(trace));
    std::vector<double> cost_times;
    cost::Cost cost;
    for (int k = 0; k < kCosts; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      TESSERA_ASSIGN(cost, cost::AccelCost(s, config));
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begin;
      cost_times.push_back(took.count());
    }
    costs.push_back(Median(cost_times));
    fmt::print(
        "{:30} {:>5} {:>9} {:>10.1f} {:>8.1f} {:>8.2f} {:>8.2f} {:>9.2f} {:>9.2f} {:>9} {:>+8.1f} "
        "%\n",
        region.name.substr(0, 30), trace.size(), s.decisions().size(), medians.back(), costs.back(),
        ms.plan, ms.emit, ms.check, ms.count, ms.cycles,
        100 * (cost.cycles / static_cast<double>(ms.cycles) - 1));
  }
  if (!medians.empty())
    fmt::print("median of {} layers: {:.1f} us, the cost {:.1f} us\n", medians.size(),
               Median(medians), Median(costs));
  return {};
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "usage: replays MODEL [CONFIG]\n");
    return 2;
  }
  const tessera::Status status = tessera::Run(argv[1], argc > 2 ? argv[2] : "default");
  if (!status) fmt::print(stderr, "replays: {}\n", status.error().message);
  return status ? 0 : 1;
}
