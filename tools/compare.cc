// SPDX-License-Identifier: Apache-2.0
//
// tessera compare: the same network and items on several devices, every layer compared.
#include <cstdio>
#include <cstring>
#include <memory>

#include "runtime/executor/layer_cycles.h"
#include "tools/compare_report.h"
#include "tools/inputs.h"
#include "tools/network.h"
#include "tools/output.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct Options {
  std::string model, devices = "cpu,func,rtl", config, json;
  InputOptions inputs;
  ExecutorOptions executor;
};

int64_t CountDifferent(const HostTensor& a, const HostTensor& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return a.count();
  const size_t size = static_cast<size_t>(SizeOf(a.dtype));
  int64_t different = 0;
  for (size_t at = 0; at < a.bytes.size(); at += size) different += std::memcmp(&a.bytes[at], &b.bytes[at], size) != 0;
  return different;
}

// One image on one device: the model's output and every layer's.
struct Captured {
  HostTensor output;
  std::vector<HostTensor> layers;
};

Result<Captured> RunOne(Runner& runner, const HostTensor& item, ExecutionReport* report) {
  Captured captured;
  Result<std::vector<HostTensor>> outputs = runner.executor->Run(std::vector<HostTensor>{item}, report);
  if (!outputs) return Within(runner.name, outputs.error());
  captured.output = std::move((*outputs)[0]);
  for (size_t l = 0; l < runner.executor->artifact().layers.size(); ++l) {
    TESSERA_ASSIGN(HostTensor layer, runner.executor->CaptureLayer(static_cast<uint32_t>(l)));
    captured.layers.push_back(std::move(layer));
  }
  return captured;
}

// Runs |item| on the clocked device with the trace on and fills in the layers' cycles.
Result<Captured> RunTraced(Runner& runner, const HostTensor& item, ExecutionReport* report, Comparison& c) {
  std::vector<TraceEntry> trace;
  TESSERA_TRY(runner.device->SetTrace(&trace));
  Result<Captured> captured = RunOne(runner, item, report);
  TESSERA_TRY(runner.device->SetTrace(nullptr));
  if (!captured) return captured;
  c.cycles = static_cast<int64_t>(report->runs.at(0).cycles);
  c.clocked = runner.name;
  const artifact::Artifact& net = runner.executor->artifact();
  const std::vector<uint64_t> cycles = LayerCycles(*net.program, trace, net.layers.size(), report->runs[0].cycles);
  for (size_t l = 0; l < cycles.size(); ++l) c.layers[l].cycles = static_cast<int64_t>(cycles[l]);
  return captured;
}

Comparison Begin(const Options& options, const Network& network, const std::vector<std::string>& devices, const Inputs& inputs) {
  Comparison c;
  c.model = options.model;
  c.config = network.config;
  c.devices = devices;
  c.images = inputs.count();
  c.labels.assign(inputs.labels.begin(), inputs.labels.end());
  c.predictions.resize(devices.size());
  const artifact::Plan* device_plan = network.artifact->PlanNamed("device");
  for (size_t l = 0; l < network.artifact->layers.size(); ++l) {
    const artifact::Layer& layer = network.artifact->layers[l];
    const artifact::Tap* tap = device_plan ? device_plan->TapOf(static_cast<uint32_t>(l)) : nullptr;
    LayerRow row;
    row.name = layer.name;
    row.op = layer.op;
    row.device = tap && tap->on_device ? "accelerator" : "host";
    row.macs = static_cast<int64_t>(layer.macs);
    c.layers.push_back(std::move(row));
  }
  return c;
}

Result<int> Run(const Options& options) {
  TESSERA_ASSIGN(const std::vector<std::string> devices, SplitNames(options.devices));
  TESSERA_ASSIGN(const Inputs inputs, LoadInputs(options.inputs));
  const bool cpu = std::ranges::count(devices, "cpu") > 0;
  TESSERA_ASSIGN(const Network network, LoadNetwork(options.model, options.config, cpu, devices.size() > (cpu ? 1u : 0u)));
  std::vector<Runner> runners;
  for (const std::string& name : devices) {
    TESSERA_ASSIGN(Runner runner, OpenRunner(network, name, {}, options.executor));
    runners.push_back(std::move(runner));
  }
  Comparison c = Begin(options, network, devices, inputs);

  Progress progress("comparing");
  for (int64_t i = 0; i < inputs.count(); ++i) {
    const HostTensor item = inputs.items.Slice(i, 1);
    Captured reference;
    for (size_t d = 0; d < runners.size(); ++d) {
      ExecutionReport report;
      const bool traced = i == 0 && runners[d].has_clock() && c.clocked.empty();
      Result<Captured> ran = traced ? RunTraced(runners[d], item, &report, c) : RunOne(runners[d], item, &report);
      if (!ran) return std::unexpected(ran.error());
      c.predictions[d].push_back(ArgMax(ran->output));
      if (d == 0) {
        reference = std::move(*ran);
        continue;
      }
      c.output_values += ran->output.count();
      c.output_mismatches += CountDifferent(reference.output, ran->output);
      for (size_t l = 0; l < ran->layers.size(); ++l) {
        c.layers[l].values += ran->layers[l].count();
        c.layers[l].mismatches += CountDifferent(reference.layers[l], ran->layers[l]);
      }
    }
    progress.Update(i + 1, inputs.count());
  }
  if (options.json != "-") std::fputs(ReportText(c).c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, ReportJson(c)));
  return c.Ok() ? kExitOk : kExitNo;
}

}  // namespace

Action AddCompare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("compare", "run a network on several devices and compare every layer's result");
  verb->add_option("model", options->model, "an ONNX model (int8, QDQ) or an artifact (net.tsr)")->required();
  verb->add_option("--devices", options->devices, "of cpu, func, rtl; the first is what the others are compared with")->capture_default_str();
  verb->add_option("--config", options->config, "configuration of the accelerator: a name or a JSON file (default: default)");
  AddInputOptions(*verb, options->inputs);
  verb->add_option("--budget", options->executor.budget, "cycles an inference may take")->check(CLI::PositiveNumber);
  verb->add_option("--json", options->json,
                   "write {ok, model, config, memory, devices, layers[], totals} to this file; macs and cycles are of one inference");
  verb->footer("Example: tessera compare models/fashion/fashion_int8.onnx --devices cpu,func,rtl --input IMAGES.idx.gz "
               "--labels LABELS.idx.gz --first 16\nExits with 1 when a value differs.");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
