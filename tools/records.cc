// SPDX-License-Identifier: Apache-2.0
#include "tools/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "compiler/tune/select.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

// Why a record of the same layer is not for |key|.
std::string WhyNot(const tune::TaskKey& record, const tune::TaskKey& key) {
  if (record.config_hash != key.config_hash) {
    return fmt::format("for another machine, configuration '{}'", Legible(record.config));
  }
  if (record.isa != key.isa) return "for another version of the instruction set";
  if (record.steps != key.steps) return "in another version of the language of schedules";
  return "for other schedules than the compiler makes now";
}

}  // namespace

Result<UsedRecords> UseRecords(const std::string& file, const graph::Graph& graph,
                               const std::string& model, uint64_t model_crc,
                               compiler::CompileOptions* options) {
  if (!options->device) {
    return Fail(Code::kInvalidArgument,
                "--records {}: records are for the accelerator; add vta to --target", file);
  }
  TESSERA_ASSIGN(tune::RecordFile records, tune::ReadRecords(file));
  // What the generator does says which layers there are and what can be chosen of each.
  compiler::CompileOptions plain;
  plain.config = options->config;
  plain.cpu = false;
  plain.fuse = options->fuse;
  plain.simplify = options->simplify;
  TESSERA_ASSIGN(compiler::Compiled generated, compiler::Compile(graph, model, model_crc, plain));
  UsedRecords used;
  used.warnings = std::move(records.problems);
  std::map<std::string, int64_t> others;
  const std::vector<bool> network =
      tune::ApplyNetworkRecords(&generated.programs, options->config, records.records, model_crc);
  std::vector<bool> other(network.size());  // a layer has another schedule than the compiler's
  // What the user gives comes first.
  const auto given = [&](const char* target, const std::string& name) {
    return std::ranges::any_of(options->schedules, [&](const schedule::LayerTrace& trace) {
      return trace.target == target && trace.layer == name;
    });
  };
  for (tune::LayerRecord& layer :
       tune::ApplyRecords(generated.programs, options->config, records.records, model_crc)) {
    ++used.layers;
    const std::string name = Legible(layer.name);
    if (layer.record == nullptr) {
      used.lines.push_back(fmt::format("{}: no record", name));
      if (layer.another != nullptr) {
        const auto& region = generated.programs[layer.program].regions[layer.region];
        const auto& trace = generated.programs[layer.program].traces[layer.region];
        ++others[WhyNot(layer.another->key, tune::KeyOf(region, trace, options->config))];
      }
      continue;
    }
    ++used.found;
    const bool taken = given(schedule::kAcceleratorTrace, name);
    used.lines.push_back(fmt::format("{}: {}", name,
                                     taken ? "a record, but --schedule comes first"
                                     : layer.generated
                                         ? "a record: the compiler's own schedule is best"
                                         : "a record: another schedule"));
    if (taken || layer.generated) continue;
    generated.programs[layer.program].traces[layer.region] = std::move(layer.trace);
    other[layer.program] = true;
  }
  // Layers of one program depend on each other: all of them are given.
  for (size_t p = 0; p < generated.programs.size(); ++p) {
    const compiler::PlannedProgram& program = generated.programs[p];
    for (size_t r = 0; r < program.regions.size() && (network[p] || other[p]); ++r) {
      const std::string name = Legible(program.regions[r].op);
      schedule::LayerTrace trace{.target = schedule::kNetworkTrace,
                                 .layer = name,
                                 .network = program.network[r],
                                 .from = file};
      if (!given(schedule::kNetworkTrace, name)) options->schedules.push_back(trace);
      trace = {.target = schedule::kAcceleratorTrace,
               .layer = name,
               .trace = program.traces[r],
               .from = file};
      if (other[p] && !given(schedule::kAcceleratorTrace, name))
        options->schedules.push_back(std::move(trace));
    }
  }
  for (const auto& [why, count] : others) {
    used.warnings.push_back(fmt::format(
        "{}: {} layers have records {}, which are not used; tessera tune makes new ones", file,
        count, why));
  }
  return used;
}

}  // namespace tessera::tools
