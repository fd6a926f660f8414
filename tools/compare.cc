// SPDX-License-Identifier: Apache-2.0
//
// tessera compare: the same network and items on several devices, every layer compared.
#include <cstdio>
#include <cstring>
#include <memory>

#include "runtime/executor/layer_cycles.h"
#include "tools/compare_report.h"
#include "tools/compare_where.h"
#include "tools/failed_run.h"
#include "tools/inputs.h"
#include "tools/network.h"
#include "tools/output.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct CompareFlags {
  std::string model, devices = "cpu,func,rtl", config, json, tflite, dump_dir;
  InputOptions inputs;
  ExecutorOptions executor;
  bool explain = false;
};

int64_t CountDifferent(const HostTensor& a, const HostTensor& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return a.count();
  const size_t size = static_cast<size_t>(SizeOf(a.dtype));
  int64_t different = 0;
  for (size_t at = 0; at < a.bytes.size(); at += size)
    different += std::memcmp(&a.bytes[at], &b.bytes[at], size) != 0;
  return different;
}

// One image on one device: the model's output and every layer's that can be read.
struct Captured {
  HostTensor output;
  std::vector<std::optional<HostTensor>> layers;
};

// The network on one device. |observer| runs it compiled so that every layer's result is kept,
// where |runner|'s is not.
struct Side {
  Runner runner;
  std::optional<Runner> observer;
  Runner& Seen() { return observer ? *observer : runner; }
};

bool Sees(const Runner& runner, uint32_t layer) {
  return runner.executor->plan().TapOf(layer) != nullptr;
}

bool SeesAll(const Runner& runner) {
  for (uint32_t l = 0; l < runner.executor->artifact().layers.size(); ++l) {
    if (!Sees(runner, l)) return false;
  }
  return true;
}

Result<HostTensor> RunOnce(Runner& runner, const HostTensor& item, ExecutionReport* report) {
  Result<std::vector<HostTensor>> outputs =
      runner.executor->Run(std::vector<HostTensor>{item}, report);
  if (!outputs) return Within(runner.name, WithDump(outputs.error(), "compare", runner));
  return std::move((*outputs)[0]);
}

Result<Captured> RunOne(Side& side, const HostTensor& item, ExecutionReport* report) {
  Captured captured;
  TESSERA_ASSIGN(captured.output, RunOnce(side.runner, item, report));
  Runner& seen = side.Seen();
  if (side.observer) TESSERA_TRY(RunOnce(seen, item, nullptr));
  captured.layers.resize(seen.executor->artifact().layers.size());
  for (uint32_t l = 0; l < captured.layers.size(); ++l) {
    if (!Sees(seen, l)) continue;
    TESSERA_ASSIGN(captured.layers[l], seen.executor->CaptureLayer(l));
  }
  return captured;
}

// Why |device| does not tell its observers when instructions retire; "": it does.
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

// Runs |item| on a device with a clock and adds what it counted, of all programs; by layer where
// the device tells when instructions retire.
Result<Captured> RunClocked(Side& side, const HostTensor& item, Comparison& c) {
  const artifact::Artifact& net = side.runner.executor->artifact();
  ClockedRun clock{.device = side.runner.name, .mhz = side.runner.device->clock_mhz()};
  TESSERA_ASSIGN(clock.unseen, WhyUnseen(*side.runner.device));
  const bool tells = clock.unseen.empty();
  ExecutionReport report;
  report.traced = tells;
  Result<Captured> captured = RunOne(side, item, &report);
  if (!captured) return captured;
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

// What the host does around the device's runs.
std::vector<HostStep> HostSteps(const artifact::Artifact& net) {
  std::vector<HostStep> steps;
  const artifact::ExecutionPlan* plan = net.PlanNamed("device");
  for (const artifact::PlanStep& step : plan ? plan->steps : std::vector<artifact::PlanStep>{}) {
    const auto* kernel = std::get_if<artifact::KernelStep>(&step);
    if (kernel == nullptr) continue;
    HostStep host;
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
  return steps;
}

Comparison Begin(const CompareFlags& options, const LoadedNetwork& network,
                 const std::vector<std::string>& devices, const Inputs& inputs) {
  Comparison c;
  c.model = options.model;
  c.config = network.config;
  c.devices = devices;
  c.images = inputs.count();
  c.labels.assign(inputs.labels.begin(), inputs.labels.end());
  c.predictions.resize(devices.size());
  c.explain = options.explain;
  c.host = HostSteps(*network.artifact);
  c.programs = network.artifact->programs.size();
  c.host_only = HostOnlyLine(*network.artifact);
  const artifact::ExecutionPlan* device_plan = network.artifact->PlanNamed("device");
  for (size_t l = 0; l < network.artifact->layers.size(); ++l) {
    const artifact::Layer& layer = network.artifact->layers[l];
    const artifact::LayerPlace place =
        device_plan ? device_plan->layers[l] : artifact::LayerPlace{};
    LayerRow row;
    row.name = layer.name;
    row.op = layer.op;
    row.device = place.device == artifact::kHostDevice ? "host" : "accelerator";
    row.stays = place.resident;
    row.macs = static_cast<int64_t>(layer.macs);
    c.layers.push_back(std::move(row));
  }
  return c;
}

Result<int> Run(const CompareFlags& options) {
  TESSERA_ASSIGN(const std::vector<ChosenDevice> chosen, ChooseDevices(options.devices));
  std::vector<std::string> devices;
  for (const ChosenDevice& device : chosen) devices.push_back(device.name);
  TESSERA_ASSIGN(const Inputs inputs, LoadInputs(options.inputs));
  const WantedPlans plans = PlansFor(chosen);
  TESSERA_ASSIGN(const LoadedNetwork network,
                 LoadNetwork(options.model, options.config, plans, options.tflite));
  std::vector<Side> sides;
  std::optional<LoadedNetwork> observed;
  for (const ChosenDevice& device : chosen) {
    Side side;
    TESSERA_ASSIGN(side.runner, OpenRunner(network, device, options.executor));
    side.runner.dump_dir = options.dump_dir;
    // A model is compiled once more; what an artifact does not keep is not there.
    if (network.compiled && !SeesAll(side.runner)) {
      if (!observed) {
        TESSERA_ASSIGN(observed,
                       LoadNetwork(options.model, options.config, plans, options.tflite, true));
      }
      TESSERA_ASSIGN(Runner observer, OpenBeside(side.runner, *observed, options.executor));
      if (SeesAll(observer)) side.observer = std::move(observer);
    }
    sides.push_back(std::move(side));
  }
  if (options.explain &&
      std::ranges::none_of(sides, [](const Side& side) { return side.runner.has_clock(); })) {
    return Fail(Code::kInvalidArgument,
                "--explain needs a device with a clock; --devices {} has none, rtl is one",
                options.devices);
  }
  Comparison c = Begin(options, network, devices, inputs);
  for (uint32_t l = 0; l < c.layers.size(); ++l)
    c.kept += std::ranges::all_of(sides, [l](Side& side) { return Sees(side.Seen(), l); });

  Progress progress("comparing");
  for (int64_t i = 0; i < inputs.count(); ++i) {
    const HostTensor item = inputs.items.Slice(i, 1);
    Captured reference;
    for (size_t d = 0; d < sides.size(); ++d) {
      Result<Captured> ran = i == 0 && sides[d].runner.has_clock()
                                 ? RunClocked(sides[d], item, c)
                                 : RunOne(sides[d], item, nullptr);
      if (!ran) return std::unexpected(ran.error());
      c.predictions[d].push_back(ArgMax(ran->output));
      if (d == 0) {
        reference = std::move(*ran);
        continue;
      }
      c.output_values += ran->output.count();
      const int64_t wrong = CountDifferent(reference.output, ran->output),
                    before = c.LayerMismatches();
      c.output_mismatches += wrong;
      for (size_t l = 0; l < ran->layers.size(); ++l) {
        if (!ran->layers[l] || !reference.layers[l]) continue;
        c.layers[l].values += ran->layers[l]->count();
        c.layers[l].mismatches += CountDifferent(*reference.layers[l], *ran->layers[l]);
      }
      if (wrong > 0 && sides[d].observer && c.LayerMismatches() == before && c.where.empty())
        c.where = WhereItGoesWrong(network, sides[d].runner, item, options.executor);
    }
    progress.Update(i + 1, inputs.count());
  }
  if (options.json != "-") std::fputs(ReportText(c).c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, ReportJson(c)));
  return c.Ok() ? kExitOk : kExitNo;
}

}  // namespace

Action AddCompare(CLI::App& app) {
  auto options = std::make_shared<CompareFlags>();
  CLI::App* verb = app.add_subcommand(
      "compare", "run a network on several devices and compare every layer's result");
  verb->add_option("model", options->model,
                   "an int8 model (TFLite, or ONNX in QDQ form) or an artifact (net.tsr)")
      ->required();
  verb->add_option("--devices", options->devices,
                   "which, see below; the first is what the others are compared with")
      ->capture_default_str();
  AddNetworkOptions(verb, options->config, options->tflite);
  AddThreadsOption(verb, options->executor);
  AddInputOptions(*verb, options->inputs);
  verb->add_flag("--explain", options->explain,
                 "tell what each unit of the machine did in the cycles of each layer");
  verb->add_option("--budget", options->executor.budget, "cycles an inference may take")
      ->check(CountFromOne());
  AddDumpDirOption(*verb, options->dump_dir);
  verb->add_option(
      "--json", options->json,
      "write {ok, model, config, memory, devices, layers[], clocks[], totals, where} to this "
      "file; macs and cycles are of one inference");
  verb->footer(
      DevicesHelp() +
      "Example: tessera compare models/fashion/fashion_int8.onnx --devices cpu,func,rtl --input "
      "IMAGES.idx.gz "
      "--labels LABELS.idx.gz --first 16\nExits with 1 when a value differs.");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
