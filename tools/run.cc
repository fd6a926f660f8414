// SPDX-License-Identifier: Apache-2.0
//
// tessera run: a network over many items on one device.
#include <chrono>
#include <cstdio>
#include <memory>

#include "runtime/tensor/npy.h"
#include "tools/failed_run.h"
#include "tools/inputs.h"
#include "tools/network.h"
#include "tools/output.h"
#include "tools/run_program.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct RunFlags {
  std::string model, device = "func", config, output, json, tflite, dump_dir;
  InputOptions inputs;
  std::map<std::string, std::string> driver_flags;
  ExecutorOptions executor;
  bool check_races = false;
};

// Results of all items, and what they took.
struct Outcome {
  HostTensor output;  // the first model output, [N, ...]
  uint64_t cycles = 0;
  bool same_cycles = true;  // every inference took as many
  double seconds = 0;       // of the inferences
};

Result<Outcome> RunAll(Runner& runner, const Inputs& inputs) {
  Outcome outcome;
  Progress progress(fmt::format("running on {}", runner.name));
  ExecutionReport report;
  report.done = [&](int64_t done) { progress.Update(done, inputs.count()); };
  const auto start = std::chrono::steady_clock::now();
  TESSERA_ASSIGN(std::vector<HostTensor> outputs,
                 runner.executor->Run(std::span(&inputs.items, 1), &report));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.output = std::move(outputs[0]);
  outcome.cycles = report.Cycles().at(0);
  for (const uint64_t cycles : report.Cycles()) outcome.same_cycles &= cycles == outcome.cycles;
  return outcome;
}

Result<int> Run(const RunFlags& options) {
  TESSERA_ASSIGN(const ChosenDevice device, ChooseDevice(options.device, options.driver_flags));
  if (IsProgram(options.model)) {
    if (!options.inputs.input.empty()) {
      return Fail(
          Code::kInvalidArgument,
          "{}: is a program, whose data are in it; --input goes with a model or an artifact",
          options.model);
    }
    return RunProgram({.path = options.model,
                       .config = options.config,
                       .json = options.json,
                       .dump_dir = options.dump_dir,
                       .budget = options.executor.budget,
                       .check_races = options.check_races},
                      device);
  }
  if (options.inputs.input.empty()) {
    return Fail(Code::kInvalidArgument,
                "{}: a model or an artifact needs --input FILE, the items to run", options.model);
  }
  if (options.check_races) {
    return Fail(Code::kInvalidArgument,
                "{}: --check-races is for programs; what the compiler makes has none (tessera "
                "check)",
                options.model);
  }
  TESSERA_ASSIGN(const Inputs inputs, LoadInputs(options.inputs));
  TESSERA_ASSIGN(const LoadedNetwork network,
                 LoadNetwork(options.model, options.config, PlansFor({device}), options.tflite));
  TESSERA_ASSIGN(Runner runner, OpenRunner(network, device, options.executor));
  runner.dump_dir = options.dump_dir;
  const Result<Outcome> ran = RunAll(runner, inputs);
  if (!ran) return std::unexpected(WithDump(ran.error(), "run", runner));
  const Outcome& outcome = *ran;
  if (!options.output.empty()) TESSERA_TRY(WriteNpy(options.output, outcome.output));

  int64_t hits = 0;
  for (size_t i = 0; i < inputs.labels.size(); ++i) {
    hits += ArgMax(outcome.output.Slice(static_cast<int64_t>(i), 1)) == inputs.labels[i];
  }
  const int64_t count = inputs.count();
  nlohmann::ordered_json json{{"ok", true},
                              {"model", options.model},
                              {"device", options.device},
                              {"config", network.config.name},
                              {"images", count},
                              {"seconds", outcome.seconds}};
  std::string text = fmt::format("{} on {}: {} items in {:.2f} s ({:.1f} a second)\n",
                                 options.model, options.device, Grouped(count), outcome.seconds,
                                 static_cast<double>(count) / outcome.seconds);
  if (device.machine()) text += HostOnlyLine(*network.artifact);
  if (runner.has_clock()) {
    json["cycles"] = outcome.cycles;
    const double mhz = runner.device->clock_mhz();
    text += fmt::format("cycles an inference: {}{} ({:.3f} ms at {:g} MHz)\n",
                        Grouped(static_cast<int64_t>(outcome.cycles)),
                        outcome.same_cycles ? "" : " for the first; others differ",
                        static_cast<double>(outcome.cycles) / (1e3 * mhz), mhz);
  }
  if (!inputs.labels.empty()) {
    const double top1 = static_cast<double>(hits) / static_cast<double>(count);
    json["top1"] = top1;
    text += fmt::format("accuracy: {} of {} right, top-1 {:.2f} %\n", Grouped(hits), Grouped(count),
                        100 * top1);
  }
  if (!options.output.empty())
    text += fmt::format("wrote {}: {} {}\n", options.output, Text(outcome.output.dtype),
                        ShapeText(outcome.output.shape));
  if (options.json != "-") std::fputs(text.c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, json));
  return kExitOk;
}

}  // namespace

Action AddRun(CLI::App& app) {
  auto options = std::make_shared<RunFlags>();
  CLI::App* verb =
      app.add_subcommand("run", "run a network over many items on one device, or a program");
  verb->add_option("model", options->model,
                   "an int8 model (TFLite, or ONNX in QDQ form), an artifact (net.tsr) or a "
                   "program image, whose data are in it")
      ->required();
  verb->add_option("--device", options->device, "where it runs, see below")->capture_default_str();
  AddNetworkOptions(verb, options->config, options->tflite);
  AddThreadsOption(verb, options->executor);
  AddInputOptions(*verb, options->inputs);
  verb->get_option("--input")->required(false);
  verb->add_flag("--check-races", options->check_races,
                 "of a program: say which instructions race and whether they met in this run; "
                 "exits with 1 if any do");
  verb->add_option("--output", options->output, "write the raw output tensors here, .npy [N, ...]");
  verb->add_option("--budget", options->executor.budget,
                   "cycles (func: instructions' steps) an inference may take")
      ->check(CountFromOne());
  AddDumpDirOption(*verb, options->dump_dir);
  verb->add_option("--json", options->json,
                   "write {ok, model, device, config, images, seconds, cycles, top1} to this file");
  AddDriverFlags(*verb, options->driver_flags);
  verb->footer(
      DevicesHelp() +
      "Example: tessera run models/fashion/fashion_int8.onnx --device func --input IMAGES.idx.gz "
      "--labels LABELS.idx.gz\n"
      "Example: tessera run program.img --device rtl --check-races");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
