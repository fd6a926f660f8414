// SPDX-License-Identifier: Apache-2.0
#include "tools/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "compiler/tune/select.h"
#include "tools/output.h"

namespace tessera::tools {
namespace {

// Why a record of the same layer is not for |key|.
std::string WhyNot(const tune::TaskKey& record, const tune::TaskKey& key) {
  const bool accelerator = key.target == schedule::kAcceleratorTrace;
  if (record.processor != key.processor)
    return fmt::format("for another processor, '{}'", Legible(record.processor));
  if (record.config_hash != key.config_hash) {
    return fmt::format("for another machine, {} '{}'", accelerator ? "configuration" : "level",
                       Legible(record.config));
  }
  if (record.isa != key.isa) return "for another version of the instruction set";
  if (record.steps != key.steps) return "in another version of the language of schedules";
  return "for other schedules than the compiler makes now";
}

// What is found for the layers of one network.
class RecordUse {
 public:
  RecordUse(const std::string& file, const tune::RecordSet& records, uint64_t network,
            compiler::CompileOptions* options)
      : file_(file), records_(records), network_(network), options_(options) {
    given_ = options->schedules;
  }

  void UseForAccelerator(std::vector<compiler::PlannedProgram> programs);
  // For layers that run one by one: on "the host", as traces of |target|.
  template <typename Planned>
  void UseForEach(const std::vector<Planned>& layers, const char* target, const char* where);
  UsedRecords Finish(std::vector<std::string> problems);

 private:
  // Whether the user has given a schedule of layer |name| for |target|, which comes first.
  bool Given(std::string_view target, const std::string& name) const {
    return std::ranges::any_of(given_, [&](const schedule::LayerTrace& trace) {
      return trace.target == target && trace.layer == name;
    });
  }
  RecordCount& CountOf(const char* where) {
    return used_.counts.emplace_back(where, RecordCount()).second;
  }
  // Says what there is for |layer|, of the task |key|; whether its schedule is to be used.
  bool Tell(const tune::LayerRecord& layer, const tune::TaskKey& key, RecordCount* count);

  const std::string& file_;
  const tune::RecordSet& records_;
  uint64_t network_;
  compiler::CompileOptions* options_;
  std::vector<schedule::LayerTrace> given_;
  std::map<std::string, int64_t> others_;
  UsedRecords used_;
};

bool RecordUse::Tell(const tune::LayerRecord& layer, const tune::TaskKey& key, RecordCount* count) {
  ++count->layers;
  const std::string name = Legible(layer.name);
  if (layer.record == nullptr) {
    used_.lines.push_back(fmt::format("{}: no record", name));
    if (layer.another != nullptr) ++others_[WhyNot(layer.another->key, key)];
    return false;
  }
  ++count->found;
  const bool taken = Given(key.target, name);
  used_.lines.push_back(fmt::format("{}: {}", name,
                                    taken ? "a record, but --schedule comes first"
                                    : layer.generated
                                        ? "a record: the compiler's own schedule is best"
                                        : "a record: another schedule"));
  return !taken && !layer.generated;
}

template <typename Planned>
void RecordUse::UseForEach(const std::vector<Planned>& layers, const char* target,
                           const char* where) {
  RecordCount& count = CountOf(where);
  for (tune::LayerRecord& layer : tune::ApplyRecords(layers, records_, network_)) {
    if (!Tell(layer, tune::KeyOf(layers[layer.region]), &count)) continue;
    options_->schedules.push_back({.target = target,
                                   .layer = Legible(layer.name),
                                   .trace = std::move(layer.trace),
                                   .from = file_});
  }
}

void RecordUse::UseForAccelerator(std::vector<compiler::PlannedProgram> programs) {
  RecordCount& count = CountOf("the accelerator");
  const std::vector<bool> network =
      tune::ApplyNetworkRecords(&programs, options_->config, records_, network_);
  std::vector<bool> other(network.size());  // a layer has another schedule than the compiler's
  for (tune::LayerRecord& layer :
       tune::ApplyRecords(programs, options_->config, records_, network_)) {
    const auto& region = programs[layer.program].regions[layer.region];
    schedule::Trace& trace = programs[layer.program].traces[layer.region];
    if (!Tell(layer, tune::KeyOf(region, trace, options_->config), &count)) continue;
    trace = std::move(layer.trace);
    other[layer.program] = true;
  }
  // Layers of one program depend on each other: all of them are given.
  for (size_t p = 0; p < programs.size(); ++p) {
    const compiler::PlannedProgram& program = programs[p];
    for (size_t r = 0; r < program.regions.size() && (network[p] || other[p]); ++r) {
      const std::string name = Legible(program.regions[r].op);
      schedule::LayerTrace trace{.target = schedule::kNetworkTrace,
                                 .layer = name,
                                 .network = program.network[r],
                                 .from = file_};
      if (!Given(schedule::kNetworkTrace, name)) options_->schedules.push_back(trace);
      trace = {.target = schedule::kAcceleratorTrace,
               .layer = name,
               .trace = program.traces[r],
               .from = file_};
      if (other[p] && !Given(schedule::kAcceleratorTrace, name))
        options_->schedules.push_back(std::move(trace));
    }
  }
}

UsedRecords RecordUse::Finish(std::vector<std::string> problems) {
  used_.warnings = std::move(problems);
  for (const auto& [why, count] : others_) {
    used_.warnings.push_back(fmt::format(
        "{}: {} layers have records {}, which are not used; tessera tune makes new ones", file_,
        count, why));
  }
  return std::move(used_);
}

}  // namespace

Result<UsedRecords> UseRecords(const std::string& file, const graph::Graph& graph,
                               const std::string& model, uint64_t model_crc,
                               compiler::CompileOptions* options) {
  TESSERA_ASSIGN(tune::RecordFile records, tune::ReadRecords(file));
  // Of several targets, those that the file is about.
  const std::vector<tune::Record>& all = records.records.all();
  const auto about = [&](const char* target) {
    return std::ranges::any_of(all, [&](const tune::Record& r) { return r.key.target == target; });
  };
  bool device =
      options->device && (about(schedule::kAcceleratorTrace) || about(schedule::kNetworkTrace));
  bool host = (options->cpu || options->device) && about(schedule::kHostTrace);
  bool opencl = options->opencl && about(schedule::kOpenClTrace);
  bool cuda = options->cuda && about(schedule::kCudaTrace);
  if (!device && !host && !opencl && !cuda)
    std::tie(device, host, opencl, cuda) = std::tuple(
        options->device, options->cpu && !options->device, options->opencl, options->cuda);
  // What the generator does says which layers there are and what can be chosen of each.
  compiler::CompileOptions plain;
  plain.config = options->config;
  plain.cpu = options->cpu && host;
  plain.opencl = opencl;
  plain.cuda = cuda;
  plain.device = options->device;
  plain.layers_only = true;
  plain.cpu_levels = options->cpu_levels;
  plain.fuse = options->fuse;
  plain.simplify = options->simplify;
  TESSERA_ASSIGN(compiler::Compiled generated, compiler::Compile(graph, model, model_crc, plain));
  RecordUse use(file, records.records, model_crc, options);
  if (device) use.UseForAccelerator(std::move(generated.programs));
  if (host) use.UseForEach(generated.host_layers, schedule::kHostTrace, "the host");
  for (const char* target : {schedule::kOpenClTrace, schedule::kCudaTrace}) {
    std::vector<compiler::PlannedGpuLayer> layers = generated.gpu_layers;
    std::erase_if(layers, [&](const auto& planned) {
      return std::string_view(compiler::GpuName(planned.layer.kind)) != target;
    });
    if (!layers.empty()) use.UseForEach(layers, target, target);
  }
  return use.Finish(std::move(records.problems));
}

}  // namespace tessera::tools
