// SPDX-License-Identifier: Apache-2.0
//
// tessera compare: runs one network and the same items on several devices, and compares every
// layer.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "tools/compare_apart.h"
#include "tools/compare_report.h"
#include "tools/compare_sides.h"
#include "tools/compare_where.h"
#include "tools/coverage_text.h"
#include "tools/failed_run.h"
#include "tools/inputs.h"
#include "tools/interrupt.h"
#include "tools/network.h"
#include "tools/output.h"
#include "tools/run_shares.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct CompareFlags {
  std::string model, devices = "cpu,func,rtl", config, json, dump_dir, floats;
  ImportWords import;
  InputOptions inputs;
  std::vector<std::string> reference;
  ExecutorOptions executor;
  int64_t top = 1;
  int accelerators = 1;  // of each simulator; they share the items
  bool explain = false;
};

// The host's steps around the device's runs: its kernels in their order, then all copies.
std::vector<HostStep> HostSteps(const artifact::Artifact& net) {
  std::vector<HostStep> steps;
  HostStep copies{.what = "copy to and from the machine's memory"};
  const artifact::ExecutionPlan* plan = net.PlanNamed("device");
  for (size_t s = 0; plan != nullptr && s < plan->steps.size(); ++s) {
    const artifact::PlanStep& step = plan->steps[s];
    if (const auto* transfer = std::get_if<artifact::TransferStep>(&step)) {
      const auto bytes = static_cast<int64_t>(plan->buffers[transfer->from].bytes);
      copies.bytes_read += bytes, copies.bytes_written += bytes;
      copies.plan_steps.push_back(s);
    }
    const auto* kernel = std::get_if<artifact::KernelStep>(&step);
    if (kernel == nullptr) continue;
    HostStep host{.plan_steps = {s}};
    if (kernel->layer >= 0) {
      const artifact::Layer& layer = net.layers[static_cast<size_t>(kernel->layer)];
      host.what = fmt::format("{} ({})", layer.name, layer.op);
    } else {
      host.what = kernel->symbol.starts_with("pack")     ? "pack an input for the machine"
                  : kernel->symbol.starts_with("unpack") ? "unpack an output"
                                                         : "reorder dimensions";
    }
    for (const uint32_t b : artifact::BuffersRead(step))
      host.bytes_read += static_cast<int64_t>(plan->buffers[b].bytes);
    host.bytes_written = static_cast<int64_t>(plan->buffers[kernel->buffers[kernel->result]].bytes);
    steps.push_back(std::move(host));
  }
  if (!copies.plan_steps.empty()) steps.push_back(std::move(copies));
  return steps;
}

Result<Comparison> Begin(const CompareFlags& options, const LoadedNetwork& network,
                         const std::vector<std::string>& devices, const Inputs& inputs) {
  Comparison c;
  c.model = options.model;
  c.config = network.config;
  c.devices = devices;
  c.asked = inputs.count;
  c.pixels_line = inputs.pixels_line;
  c.labels = inputs.labels;
  c.top = options.top;
  const std::vector<artifact::TensorInfo>& outputs = network.artifact->outputs;
  TESSERA_TRY(CheckClasses(outputs, inputs.labels, options.top > 1));
  c.class_output = ClassOutput(outputs);
  if (c.class_output) c.classes.resize(devices.size());
  std::vector<std::string> references(outputs.size());
  if (!options.reference.empty()) {
    TESSERA_ASSIGN(references, FilesByName(options.reference, outputs, "--reference", "outputs"));
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    OutputRow row;
    row.name = outputs[o].name;
    row.type = fmt::format("{} {}", Text(outputs[o].dtype), ShapeText(outputs[o].shape));
    if (!references[o].empty()) {
      TESSERA_ASSIGN(row.reference,
                     ReferenceOutput::Read(references[o], outputs[o], inputs.count, inputs.all));
    }
    c.outputs.push_back(std::move(row));
  }
  c.explain = options.explain;
  c.host = HostSteps(*network.artifact);
  c.programs = network.artifact->programs.size();
  c.coverage_lines = CoverageLines(*network.artifact);
  if (!c.coverage_lines.empty()) c.coverage = CoverageJson(network.artifact->coverage);
  const artifact::ExecutionPlan* device_plan = network.artifact->PlanNamed("device");
  for (size_t l = 0; l < network.artifact->layers.size(); ++l) {
    const artifact::Layer& layer = network.artifact->layers[l];
    const artifact::LayerPlace place =
        device_plan ? device_plan->layers[l] : artifact::LayerPlace{};
    LayerRow row;
    row.name = layer.name;
    row.op = layer.op;
    const artifact::DeviceEntry& where = network.artifact->devices[place.device];
    row.device = where.kind == artifact::DeviceKind::kAccelerator ? "accelerator" : where.name;
    row.stays = place.resident;
    row.macs = static_cast<int64_t>(layer.macs);
    c.layers.push_back(std::move(row));
  }
  c.allowed = AllowedApart(*network.artifact);
  return c;
}

// Adds to |c| what the first side made of an item, |first|, against another one, |ran|. |rounds|:
// one of them computes floats by fast algorithms.
void CompareResults(const Captured& first, const Captured& ran, bool rounds, Comparison& c) {
  const auto allowed = [&](size_t layer) {
    return rounds && !c.allowed.empty() ? c.allowed[layer] : 0;
  };
  for (size_t o = 0; o < c.outputs.size(); ++o) {
    c.outputs[o].values += ran.outputs[o].count();
    c.outputs[o].mismatches +=
        c.apart.Add(first.outputs[o], ran.outputs[o], allowed(c.allowed.size() - 1));
  }
  for (size_t l = 0; l < ran.layers.size(); ++l) {
    if (!ran.layers[l] || !first.layers[l]) continue;
    c.layers[l].values += ran.layers[l]->count();
    c.layers[l].mismatches += c.apart.Add(*first.layers[l], *ran.layers[l], allowed(l));
  }
}

// Adds the outputs of item |image| on the first side to the references of |c|.
void AddToReferences(int64_t image, const Captured& first, Comparison& c) {
  for (size_t o = 0; o < c.outputs.size(); ++o) {
    if (c.outputs[o].reference) c.outputs[o].reference->Add(image, first.outputs[o]);
  }
}

// Runs the next items on all sides and adds the results to |c|: the first item alone, then as many
// as there are accelerators.
Status CompareItems(const Inputs& inputs, const ExecutorOptions& executor, std::vector<Side>& sides,
                    Comparison& c) {
  const int64_t count = c.images == 0 ? 1 : std::min<int64_t>(c.accelerators, c.asked - c.images);
  const std::vector<HostTensor> items = inputs.Items(c.images, count);
  std::vector<Captured> firsts;
  for (size_t d = 0; d < sides.size(); ++d) {
    TESSERA_ASSIGN(std::vector<Captured> ran, c.images == 0 && sides[d].runner().has_clock()
                                                  ? RunClocked(sides[d], items, c)
                                                  : RunTimed(sides[d], items, c.images, c));
    for (const Captured& one : ran) {
      if (c.class_output)
        c.classes[d].top.push_back(TopClasses(one.outputs[*c.class_output], c.top));
    }
    if (d == 0) firsts = std::move(ran);
    for (int64_t k = 0; k < count; ++k) {
      const Captured& first = firsts[static_cast<size_t>(k)];
      if (d == 0) {
        AddToReferences(c.images + k, first, c);
        continue;
      }
      const int64_t wrong_before = c.OutputMismatches(), before = c.LayerMismatches();
      CompareResults(first, ran[static_cast<size_t>(k)], sides[0].fast || sides[d].fast, c);
      if (c.OutputMismatches() > wrong_before && !sides[d].observers.empty() &&
          c.LayerMismatches() == before && c.where.empty())
        c.where = WhereItGoesWrong(*sides[d].network, sides[d].runner(), inputs.Item(c.images + k),
                                   executor);
    }
  }
  c.images += count;
  return {};
}

// A network as some sides run it.
struct Source {
  WantedPlans plans;
  LoadedNetwork network;
  std::optional<LoadedNetwork> observed;  // compiled to keep every layer's result, if one asked
};

Result<Source> Load(const CompareFlags& options, const WantedPlans& plans) {
  Source source{plans, {}, {}};
  TESSERA_ASSIGN(source.network, LoadNetwork(options.model, options.config, plans, options.import));
  return source;
}

Result<Side> OpenSide(const CompareFlags& options, const ChosenDevice& device, int64_t items,
                      const ExecutorOptions& executor, Source* source) {
  Side side;
  side.network = &source->network;
  const int count = CanBeMany(device) ? options.accelerators : 1;
  TESSERA_ASSIGN(side.runners, OpenRunners(source->network, device, executor, count, items));
  for (Runner& runner : side.runners) runner.dump_dir = options.dump_dir;
  side.fast = device.gpu() == nullptr && HasFastFloats(*source->network.artifact);
  // Compiles a model once more to see all layers; an artifact has only what it keeps.
  if (!source->network.compiled || SeesAll(side.runner())) return side;
  if (!source->observed) {
    TESSERA_ASSIGN(source->observed,
                   LoadNetwork(options.model, options.config, source->plans, options.import, true));
  }
  for (const Runner& runner : side.runners) {
    TESSERA_ASSIGN(Runner observer, OpenBeside(runner, *source->observed, executor));
    if (SeesAll(observer)) side.observers.push_back(std::move(observer));
  }
  return side;
}

Result<int> Run(const CompareFlags& options) {
  TESSERA_ASSIGN(std::vector<ChosenDevice> chosen, ChooseDevices(options.devices));
  TESSERA_TRY(CheckJson(options.json));
  if (options.accelerators > 1 && std::ranges::none_of(chosen, CanBeMany)) {
    return Fail(
        Code::kUnsupported,
        "--accelerators wants {}, and of --devices {} none can be there several times; name "
        "a simulator of the accelerator, or leave --accelerators out",
        options.accelerators, options.devices);
  }
  WantedPlans plans = PlansFor(chosen);
  plans.floats = options.floats;
  TESSERA_ASSIGN(Source source, Load(options, plans));
  // The first device computes a model by its definition, so that fast floats have something to be
  // compared with; a single device does both.
  std::optional<Source> exact;
  std::vector<std::string> devices;
  for (const ChosenDevice& device : chosen) devices.push_back(device.name);
  if (source.network.compiled && options.floats == kFastFloats) {
    TESSERA_ASSIGN(exact, Load(options, PlansFor({chosen[0]})));
    if (chosen.size() == 1) {
      chosen.push_back(chosen[0]);
      devices.push_back(fmt::format("{} {}", chosen[0].name, kFastFloats));
    }
  }
  TESSERA_ASSIGN(const Inputs inputs, LoadInputs(options.inputs, *source.network.artifact));
  TESSERA_ASSIGN(Comparison c, Begin(options, source.network, devices, inputs));
  ExecutorOptions executor = options.executor;
  executor.pixels = inputs.pixels;
  std::vector<Side> sides;
  for (size_t d = 0; d < chosen.size(); ++d) {
    Source& from = d == 0 && exact ? *exact : source;
    TESSERA_ASSIGN(sides.emplace_back(),
                   OpenSide(options, chosen[d], inputs.count, executor, &from));
    c.accelerators = std::max(c.accelerators, std::ssize(sides.back().runners));
  }
  if (options.explain &&
      std::ranges::none_of(sides, [](const Side& side) { return side.runner().has_clock(); })) {
    return Fail(Code::kInvalidArgument,
                "--explain needs a device with a clock; --devices {} has none, rtl is one",
                options.devices);
  }
  for (uint32_t l = 0; l < c.layers.size(); ++l)
    c.kept += std::ranges::all_of(sides, [l](Side& side) { return Sees(side.Seen()[0], l); });

  CatchInterrupt();
  Progress progress("comparing");
  while (c.images < c.asked && !Interrupted()) {
    TESSERA_TRY(CompareItems(inputs, executor, sides, c));
    progress.Update(c.images, c.asked);
  }
  if (options.json != "-") std::fputs(ReportText(c).c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, ReportJson(c)));
  return !c.Whole() ? kExitInterrupted : c.Ok() ? kExitOk : kExitNo;
}

}  // namespace

Action AddCompare(CLI::App& app) {
  auto options = std::make_shared<CompareFlags>();
  CLI::App* verb = app.add_subcommand(
      "compare", "run a network on several devices and compare every layer's result");
  verb->add_option("model", options->model, "a TFLite or ONNX model, or an artifact (net.tsr)")
      ->required();
  verb->add_option("--devices", options->devices,
                   "which, see below; the first is what the others are compared with")
      ->capture_default_str();
  AddNetworkOptions(verb, options->config, options->import);
  AddFloatsOption(verb, options->floats);
  AddThreadsOption(verb, options->executor);
  AddStateOption(verb, options->executor);
  AddAcceleratorsOption(verb, options->accelerators);
  AddInputOptions(*verb, options->inputs);
  verb->add_option("--top", options->top, "the K greatest classes of each item")
      ->check(CountFromOne());
  verb->add_option(
          "--reference", options->reference,
          "what another runtime gave for the same items, .npy [N, ...] of any type; of several "
          "outputs NAME=FILE, repeated: how often the class is the same, the greatest difference, "
          "cosine and signal-to-noise ratio of the first device's outputs; no exit code")
      ->allow_extra_args(false);
  verb->add_flag("--explain", options->explain,
                 "tell what each unit of the machine did in the cycles of each layer");
  verb->add_option("--budget", options->executor.budget, "cycles an inference may take")
      ->check(CountFromOne());
  AddDumpDirOption(*verb, options->dump_dir);
  verb->add_option(
      "--json", options->json,
      "write {ok, model, config, memory, devices, accelerators, coverage, layers[], host[], "
      "outputs[], clocks[], totals, where} to this file; macs, cycles and seconds of "
      "the host are of one inference");
  verb->footer(
      DevicesHelp() +
      "Example: tessera compare models/fashion/fashion_int8.onnx --devices cpu,func,rtl --input "
      "IMAGES.idx.gz "
      "--labels LABELS.idx.gz --first 16\nExits with 1 when a value differs.");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
