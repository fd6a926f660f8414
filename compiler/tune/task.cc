// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/network/host_form.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/cuda.h"
#include "compiler/target/host_level.h"
#include "compiler/tune/layer_space.h"
#include "compiler/tune/network_space.h"

namespace tessera::tune {
namespace {

using network::Activation;

// Whether region |index| of |program| reads |activation|.
bool Reads(const compiler::PlannedProgram& program, size_t index, int activation) {
  return std::ranges::any_of(program.regions[index].activations,
                             [&](const auto& entry) { return entry.second == activation; });
}

}  // namespace

std::vector<size_t> CutsOf(const compiler::PlannedProgram& program) {
  const size_t count = program.regions.size();
  std::vector<bool> held(count + 1, false);  // by region: a tensor stays on chip across its start
  for (size_t made = 0; made < count; ++made) {
    const int result = program.regions[made].result;
    if (!program.on_chip[static_cast<size_t>(result)]) continue;
    size_t last = made;
    for (size_t r = made + 1; r < count; ++r) {
      if (Reads(program, r, result)) last = r;
    }
    for (size_t r = made + 1; r <= last; ++r) held[r] = true;
  }
  std::vector<size_t> cuts;
  for (size_t r = 0; r <= count; ++r) {
    if (!held[r]) cuts.push_back(r);
  }
  return cuts;
}

compiler::PlannedProgram PartOf(const compiler::PlannedProgram& program, size_t first,
                                size_t last) {
  compiler::PlannedProgram part;
  part.activations = program.activations;
  part.on_chip = program.on_chip;
  for (size_t r = 0; r < program.regions.size(); ++r) {
    const auto result = static_cast<size_t>(program.regions[r].result);
    if (r < first) {
      part.activations[result].kind = Activation::Kind::kInMemory;
      part.activations[result].on_host = false;
    } else if (r < last) {
      part.regions.push_back(program.regions[r]);
      part.traces.push_back(program.traces[r]);
      part.network.push_back(program.network[r]);
      part.regions.back().network.reset();  // schedules say it too
      for (size_t later = last; later < program.regions.size(); ++later) {
        if (Reads(program, later, program.regions[r].result))
          part.activations[result].kind = Activation::Kind::kOutput;
      }
    }
  }
  return part;
}

Result<std::vector<Task>> TasksOf(const std::vector<compiler::PlannedProgram>& programs,
                                  const isa::Config& config) {
  std::vector<Task> tasks;
  const auto target = target::Accelerator(config);
  for (const compiler::PlannedProgram& program : programs) {
    const std::vector<size_t> cuts = CutsOf(program);
    for (size_t r = 0; r < program.regions.size(); ++r) {
      const lower::accel::AccelRegion& region = program.regions[r];
      const TaskKey key = KeyOf(region, program.traces[r], config);
      const auto known = std::ranges::find_if(tasks, [&](const Task& t) { return t.key == key; });
      if (known != tasks.end()) {
        ++known->weight;
        continue;
      }
      const auto next = std::ranges::upper_bound(cuts, r);
      const size_t first = *(next - 1), last = *next;
      auto space =
          LayerSpace::Make({{"plain", region.output, program.traces[r]}}, target, r - first);
      if (!space) return Within(region.op, space.error());
      if (space->knobs().empty()) continue;
      Task task{.name = region.op,
                .key = key,
                .space = std::make_unique<LayerSpace>(std::move(*space)),
                .follows = r > 0,
                .part = PartOf(program, first, last)};
      for (size_t k = 0; k < task.part.regions.size(); ++k)
        task.part.regions[k].schedule = task.part.traces[k];
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

Result<Task> NetworkTaskOf(const std::vector<compiler::PlannedProgram>& programs, size_t index,
                           const isa::Config& config) {
  const compiler::PlannedProgram& program = programs[index];
  TESSERA_ASSIGN(NetworkSpace space, NetworkSpace::Make(program, config));
  return Task{.name = programs.size() == 1 ? "network" : fmt::format("program {}", index + 1),
              .key = KeyOf(program, config),
              .space = std::make_unique<NetworkSpace>(std::move(space)),
              .program = index,
              .part = program};
}

std::vector<schedule::Sketch> SketchesOf(const compiler::PlannedHostLayer& planned) {
  if (!planned.sketches.empty()) return planned.sketches;
  const auto host = target::Host(*planned.layer.level);
  const te::RegionTe region = network::ForHost(planned.layer.region, *host, &planned.trace);
  return {{"given", region.output, planned.trace}};
}
std::vector<schedule::Sketch> SketchesOf(const compiler::PlannedGpuLayer& planned) {
  if (!planned.sketches.empty()) return planned.sketches;
  return {{"given", planned.layer.region.output, planned.trace}};
}

Result<LayerSpace> SpaceOf(const compiler::PlannedHostLayer& planned) {
  const te::RegionTe& region = planned.layer.region;
  auto space = LayerSpace::Make(SketchesOf(planned), target::Host(*planned.layer.level), 0,
                                /*one_core=*/true);
  if (!space) return Within(region.name, space.error());
  return space;
}

Result<LayerSpace> SpaceOf(const compiler::PlannedGpuLayer& planned) {
  const te::RegionTe& region = planned.layer.region;
  const auto target =
      planned.layer.kind == artifact::DeviceKind::kCuda ? target::Cuda() : target::Gpu();
  auto space = LayerSpace::Make(SketchesOf(planned), target);
  if (!space) return Within(region.name, space.error());
  return space;
}

namespace {

void Measure(const compiler::HostLayer& layer, Task* task) {
  task->host = std::make_shared<compiler::HostLayer>(layer);
}
void Measure(const compiler::GpuLayer& layer, Task* task) {
  task->gpu = std::make_shared<compiler::GpuLayer>(layer);
}

// The tasks of |layers|, which are measured one by one.
template <typename Planned>
Result<std::vector<Task>> TimedTasks(const std::vector<Planned>& layers) {
  std::vector<Task> tasks;
  for (const Planned& planned : layers) {
    const TaskKey key = KeyOf(planned);
    const auto known = std::ranges::find_if(tasks, [&](const Task& t) { return t.key == key; });
    if (known != tasks.end()) {
      ++known->weight;
      continue;
    }
    TESSERA_ASSIGN(LayerSpace space, SpaceOf(planned));
    if (!space.HasChoice()) continue;
    tasks.push_back({.name = planned.layer.region.name,
                     .key = key,
                     .space = std::make_unique<LayerSpace>(std::move(space))});
    Measure(planned.layer, &tasks.back());
  }
  return tasks;
}

}  // namespace

Result<std::vector<Task>> TasksOf(const std::vector<compiler::PlannedHostLayer>& layers) {
  return TimedTasks(layers);
}
Result<std::vector<Task>> TasksOf(const std::vector<compiler::PlannedGpuLayer>& layers) {
  return TimedTasks(layers);
}

Result<uint64_t> CyclesOf(const Task& task, const Point& point, const isa::Config& config,
                          uint64_t budget) {
  compiler::PlannedProgram program = task.part;
  task.space->Put(point, &program);
  TESSERA_ASSIGN(const RunReport report, compiler::Evaluate(program, config, budget));
  return report.cycles;
}

std::optional<std::vector<float>> ProgramNumbers(const Task& task, const Point& point,
                                                 const isa::Config& config) {
  if (task.host || task.gpu) return std::nullopt;
  compiler::PlannedProgram program = task.part;
  task.space->Put(point, &program);
  const auto stats = compiler::StatsOf(program, config);
  if (!stats) return std::nullopt;
  std::vector<float> numbers;
  for (const int64_t n :
       {stats->instructions, stats->tokens, stats->kernels, stats->kernel_loads, stats->gemm_steps,
        stats->vector_steps, stats->load_bytes, stats->store_bytes})
    numbers.push_back(std::log2(static_cast<float>(n) + 1));
  return numbers;
}

}  // namespace tessera::tune
