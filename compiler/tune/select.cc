// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/select.h"

#include <algorithm>
#include <utility>

#include "compiler/target/accelerator.h"
#include "compiler/tune/layer_space.h"
#include "compiler/tune/network_space.h"

namespace tessera::tune {
namespace {

// The layers of |programs| with the task |key|.
std::vector<std::pair<size_t, size_t>> LayersOf(const std::vector<std::vector<TaskKey>>& keys,
                                                const TaskKey& key) {
  std::vector<std::pair<size_t, size_t>> layers;
  for (size_t p = 0; p < keys.size(); ++p) {
    for (size_t r = 0; r < keys[p].size(); ++r) {
      if (keys[p][r] == key) layers.emplace_back(p, r);
    }
  }
  return layers;
}

// What |records| say of |layer|, whose generated schedule has the space of |space_of| and the key
// |key|.
void FindRecord(const RecordSet& records, const TaskKey& key, uint64_t network,
                const std::function<Result<LayerSpace>()>& space_of, LayerRecord* layer) {
  layer->record = records.BestOf(key, network);
  if (layer->record != nullptr) {
    auto space = space_of();
    const auto point = space ? PointOf(*space, *layer->record) : std::nullopt;
    if (!point) {
      layer->record = nullptr;
    } else if (*point == space->given()) {
      layer->generated = true;
    } else {
      layer->trace = space->TraceOf(*point);
    }
  }
  if (layer->record == nullptr) layer->another = records.ForAnother(key);
}

}  // namespace

std::optional<Point> PointOf(Space& space, const Record& record) {
  const auto point = space.WithPicks([&](const std::string& name) -> const schedule::Choice* {
    const auto found = record.picks.find(name);
    return found == record.picks.end() ? nullptr : &found->second;
  });
  if (!point || record.picks.size() != space.knobs().size()) return std::nullopt;
  for (size_t k = 0; k < space.knobs().size(); ++k) {
    const auto found = record.picks.find(space.knobs()[k].name);
    if (found == record.picks.end() || found->second != point->picks[k]) return std::nullopt;
  }
  return point;
}

Result<uint64_t> NetworkCycles(const std::vector<compiler::PlannedProgram>& programs,
                               const isa::Config& config, const Schedules& schedules) {
  uint64_t cycles = 0;
  for (size_t p = 0; p < programs.size(); ++p) {
    compiler::PlannedProgram program = programs[p];
    for (size_t r = 0; r < program.regions.size(); ++r) {
      const auto given = schedules.find({p, r});
      program.regions[r].schedule = given != schedules.end() ? given->second : program.traces[r];
    }
    TESSERA_ASSIGN(const RunReport report, compiler::Evaluate(program, config));
    cycles += report.cycles;
  }
  return cycles;
}

Result<Selection> SelectForNetwork(const std::vector<compiler::PlannedProgram>& programs,
                                   const isa::Config& config, std::vector<Task>& tasks,
                                   const Search& search, size_t most,
                                   const std::function<bool()>& stop) {
  std::vector<std::vector<TaskKey>> keys(programs.size());
  for (size_t p = 0; p < programs.size(); ++p) {
    for (size_t r = 0; r < programs[p].regions.size(); ++r)
      keys[p].push_back(KeyOf(programs[p].regions[r], programs[p].traces[r], config));
  }
  const auto target = target::Accelerator(config);
  Selection made;
  TESSERA_ASSIGN(made.given, NetworkCycles(programs, config, {}));
  made.cycles = made.given;
  struct Candidate {
    size_t task = 0;
    double gain = 0;
    std::vector<const Trial*> trials;  // the fastest first
  };
  std::vector<Candidate> candidates;
  for (size_t t = 0; t < tasks.size(); ++t) {
    made.chosen.push_back(tasks[t].space->given());
    const uint64_t given = search.GivenCycles(t);
    Candidate candidate{t, 0, {}};
    for (const Trial* trial : search.history(t).Fastest()) {
      if (*trial->cycles < given) candidate.trials.push_back(trial);
    }
    if (candidate.trials.empty()) continue;
    candidate.gain = static_cast<double>(tasks[t].weight) *
                     static_cast<double>(given - *candidate.trials[0]->cycles);
    candidates.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(candidates,
                           [](const auto& a, const auto& b) { return a.gain > b.gain; });
  Schedules schedules;
  for (const Candidate& candidate : candidates) {
    const Task& task = tasks[candidate.task];
    for (size_t k = 0; k < std::min(most, candidate.trials.size()) && !stop(); ++k) {
      Schedules with = schedules;
      const Record record = RecordOf(task, *candidate.trials[k]);
      for (const auto& [p, r] : LayersOf(keys, task.key)) {
        // Equal layers have tensors of other names: each has its own steps with these picks.
        TESSERA_ASSIGN(
            LayerSpace space,
            LayerSpace::Make({{"plain", programs[p].regions[r].output, programs[p].traces[r]}},
                             target));
        const auto point = PointOf(space, record);
        if (point) with[{p, r}] = space.TraceOf(*point);
      }
      const auto cycles = NetworkCycles(programs, config, with);
      ++made.tried;
      if (!cycles || *cycles >= made.cycles) continue;
      made.cycles = *cycles;
      made.chosen[candidate.task] = candidate.trials[k]->point;
      schedules = std::move(with);
    }
  }
  return made;
}

std::vector<bool> ApplyNetworkRecords(std::vector<compiler::PlannedProgram>* programs,
                                      const isa::Config& config, const RecordSet& records,
                                      uint64_t network) {
  std::vector<bool> found;
  for (compiler::PlannedProgram& program : *programs) {
    const Record* record = records.BestOf(KeyOf(program, config), network);
    auto space =
        record != nullptr ? NetworkSpace::Make(program, config) : Fail(Code::kNotFound, "");
    const auto point = space ? PointOf(*space, *record) : std::nullopt;
    compiler::PlannedProgram planned = program;
    if (point) space->Put(*point, &planned);
    found.push_back(point && compiler::PlanAgain(&planned, config));
    if (found.back()) program = std::move(planned);
  }
  return found;
}

std::vector<LayerRecord> ApplyRecords(const std::vector<compiler::PlannedProgram>& programs,
                                      const isa::Config& config, const RecordSet& records,
                                      uint64_t network) {
  std::vector<LayerRecord> layers;
  const auto target = target::Accelerator(config);
  for (size_t p = 0; p < programs.size(); ++p) {
    for (size_t r = 0; r < programs[p].regions.size(); ++r) {
      const lower::accel::AccelRegion& region = programs[p].regions[r];
      LayerRecord layer{p, r, region.op, nullptr, nullptr, false, {}};
      const TaskKey key = KeyOf(region, programs[p].traces[r], config);
      FindRecord(
          records, key, network,
          [&] {
            return LayerSpace::Make({{"plain", region.output, programs[p].traces[r]}}, target);
          },
          &layer);
      layers.push_back(std::move(layer));
    }
  }
  return layers;
}

namespace {

template <typename Planned>
std::vector<LayerRecord> ApplyTimedRecords(const std::vector<Planned>& layers,
                                           const RecordSet& records, uint64_t network) {
  std::vector<LayerRecord> made;
  for (size_t r = 0; r < layers.size(); ++r) {
    const auto space = SpaceOf(layers[r]);
    if (!space || !space->HasChoice()) continue;
    LayerRecord layer{0, r, layers[r].layer.region.name, nullptr, nullptr, false, {}};
    FindRecord(
        records, KeyOf(layers[r]), network, [&] { return space; }, &layer);
    made.push_back(std::move(layer));
  }
  return made;
}

}  // namespace

std::vector<LayerRecord> ApplyRecords(const std::vector<compiler::PlannedHostLayer>& layers,
                                      const RecordSet& records, uint64_t network) {
  return ApplyTimedRecords(layers, records, network);
}
std::vector<LayerRecord> ApplyRecords(const std::vector<compiler::PlannedGpuLayer>& layers,
                                      const RecordSet& records, uint64_t network) {
  return ApplyTimedRecords(layers, records, network);
}

}  // namespace tessera::tune
