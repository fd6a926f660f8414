// SPDX-License-Identifier: Apache-2.0
//
// tessera run: runs a network over many items on one device.
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>

#include "runtime/tensor/npy.h"
#include "tools/classes.h"
#include "tools/coverage_text.h"
#include "tools/failed_run.h"
#include "tools/inputs.h"
#include "tools/interrupt.h"
#include "tools/network.h"
#include "tools/output.h"
#include "tools/output_files.h"
#include "tools/run_pipeline.h"
#include "tools/run_program.h"
#include "tools/run_shares.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct RunFlags {
  std::string model, device = "func", config, json, dump_dir, floats;
  ImportWords import;
  std::vector<std::string> output;
  InputOptions inputs;
  std::map<std::string, std::string> driver_flags;
  ExecutorOptions executor;
  int64_t top = 1;
  bool check_races = false;
  int in_flight = 0;     // of --pipeline; 0: without it
  int accelerators = 1;  // devices that share the items
};

// The results of the items, and their time.
struct Outcome {
  std::vector<HostTensor> outputs;  // one for each output of the model, [N, ...]
  int64_t items = 0;                // N: all, or those done before SIGINT
  uint64_t cycles = 0;
  bool same_cycles = true;   // every inference took the same number
  double seconds = 0;        // of the inferences
  double first_seconds = 0;  // of the first one, whose code and data are in no cache
  ExecutionReport report;
};

// |failed|: of a call that fails, the runner that did.
Result<Outcome> RunAll(std::span<Runner> runners, const Inputs& inputs, Runner** failed) {
  Outcome outcome;
  Progress progress(fmt::format("running on {}", runners[0].name));
  ExecutionReport& report = outcome.report;
  const auto start = std::chrono::steady_clock::now();
  const auto since = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  report.done = [&](int64_t done) {
    if (done == 1) outcome.first_seconds = since();
    progress.Update(done, inputs.count);
    return !Interrupted();
  };
  TESSERA_ASSIGN(outcome.outputs, RunShares(runners, inputs.items, 0, &report, failed));
  outcome.seconds = since();
  outcome.items = report.inferences;
  report.done = nullptr;
  outcome.cycles = report.Cycles().at(0);
  for (const uint64_t cycles : report.Cycles()) outcome.same_cycles &= cycles == outcome.cycles;
  return outcome;
}

Classes ClassesOf(const HostTensor& values, int64_t top) {
  Classes classes;
  for (int64_t i = 0; i < values.shape[0]; ++i)
    classes.top.push_back(TopClasses(values.Slice(i, 1), top));
  return classes;
}

// The greatest classes of the items, one row for each item.
std::string TopTable(const Classes& classes) {
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < std::min<size_t>(classes.top.size(), kShownItems); ++i)
    rows.push_back({fmt::format("{}", i), fmt::format("{}", fmt::join(classes.top[i], ", "))});
  std::string text = Table({"item", "classes"}, "rl", std::move(rows));
  if (std::ssize(classes.top) > kShownItems)
    text += fmt::format("... and {} more\n", std::ssize(classes.top) - kShownItems);
  return text;
}

// Reports classes and labels, in words and in |json|.
std::string TellClasses(const RunFlags& options, const Inputs& inputs, const Classes& classes,
                        Json& json) {
  std::string text;
  if (!inputs.labels.empty()) {
    const int64_t all = std::ssize(classes.top), hits = classes.Hits(inputs.labels, 1);
    const double top1 = static_cast<double>(hits) / static_cast<double>(all);
    json["top1"] = top1;
    text = fmt::format("accuracy: {} of {} right, top-1 {:.2f} %", Grouped(hits), Grouped(all),
                       100 * top1);
    if (options.top > 1) {
      const double top =
          static_cast<double>(classes.Hits(inputs.labels, static_cast<size_t>(options.top))) /
          static_cast<double>(all);
      json[fmt::format("top{}", options.top)] = top;
      text += fmt::format(", top-{} {:.2f} %", options.top, 100 * top);
    }
    text += "\n";
  }
  if (options.top > 1) {
    json["classes"] = classes.top;
    text += TopTable(classes);
  }
  return text;
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
    if (options.in_flight != 0 || options.accelerators > 1) {
      return Fail(Code::kInvalidArgument,
                  "{}: is a program, which runs once; {} goes with a model or an artifact",
                  options.model, options.in_flight != 0 ? "--pipeline" : "--accelerators");
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
  TESSERA_TRY(CheckJson(options.json));
  WantedPlans plans = PlansFor({device});
  plans.floats = options.floats;
  TESSERA_ASSIGN(const LoadedNetwork network,
                 LoadNetwork(options.model, options.config, plans, options.import));
  const std::vector<artifact::TensorInfo>& infos = network.artifact->outputs;
  TESSERA_ASSIGN(const Inputs inputs, LoadInputs(options.inputs, *network.artifact));
  TESSERA_TRY(CheckClasses(infos, inputs.labels, options.top > 1));
  TESSERA_ASSIGN(const std::vector<std::string> files, OutputFiles(options.output, infos));
  ExecutorOptions executor = options.executor;
  executor.pixels = inputs.pixels;
  executor.in_flight = std::max(options.in_flight, 1);
  TESSERA_ASSIGN(std::vector<Runner> runners,
                 OpenRunners(network, device, executor, options.accelerators, inputs.count));
  for (Runner& runner : runners) runner.dump_dir = options.dump_dir;
  CatchInterrupt();
  Runner* failed = nullptr;
  const Result<Outcome> ran = RunAll(runners, inputs, &failed);
  if (!ran) return std::unexpected(WithDump(ran.error(), "run", *failed));
  const Runner& runner = runners[0];
  const Outcome& outcome = *ran;
  const bool whole = outcome.items == inputs.count;

  Json json{{"ok", whole},
            {"model", options.model},
            {"device", options.device},
            {"config", network.config.name},
            {"accelerators", runners.size()},
            {"images", outcome.items},
            {"seconds", outcome.seconds},
            {"first_seconds", outcome.first_seconds},
            {"device_seconds", DeviceSeconds(runner, outcome.report)}};
  if (!whole) json["interrupted"] = true;
  std::string text =
      fmt::format("{} on {}{}: {} items in {:.2f} s ({:.1f} a second)\n", options.model,
                  runners.size() > 1 ? fmt::format("{} x ", runners.size()) : "", options.device,
                  Grouped(outcome.items), outcome.seconds,
                  static_cast<double>(outcome.items) / outcome.seconds) +
      inputs.pixels_line;
  if (!whole) {
    text += fmt::format("interrupted: {} of {} items are done; what follows is of these\n",
                        Grouped(outcome.items), Grouped(inputs.count));
  }
  if (device.machine() && network.artifact->programs.empty())
    text += CoverageLines(*network.artifact);
  if (runner.has_clock()) {
    json["cycles"] = outcome.cycles;
    const double mhz = runner.device->clock_mhz();
    text += fmt::format("cycles an inference: {}{} ({:.3f} ms at {:g} MHz)\n",
                        Grouped(static_cast<int64_t>(outcome.cycles)),
                        outcome.same_cycles ? "" : " for the first; others differ",
                        static_cast<double>(outcome.cycles) / (1e3 * mhz), mhz);
  }
  if (device.machine()) {
    const double each = outcome.report.HostSeconds() / static_cast<double>(outcome.items);
    json["host_seconds"] = each;
    text += fmt::format(
        "the host's steps around it: {:.3f} ms an inference, measured on this machine\n",
        1e3 * each);
  }
  if (options.in_flight != 0) text += TellPipeline(runners, outcome.report, outcome.seconds, json);
  if (const std::optional<size_t> output = ClassOutput(infos))
    text += TellClasses(options, inputs, ClassesOf(outcome.outputs[*output], options.top), json);
  json["outputs"] = Json::array();
  for (size_t o = 0; o < infos.size(); ++o) {
    const HostTensor& values = outcome.outputs[o];
    json["outputs"].push_back({{"name", infos[o].name},
                               {"dtype", Text(values.dtype)},
                               {"shape", values.shape},
                               {"file", files[o]}});
    if (files[o].empty()) continue;
    TESSERA_TRY(WriteNpy(files[o], values));
    text += fmt::format("wrote {}: {} {}\n", files[o], Text(values.dtype), ShapeText(values.shape));
  }
  if (options.json != "-") std::fputs(text.c_str(), stdout);
  TESSERA_TRY(WriteJson(options.json, json));
  return whole ? kExitOk : kExitInterrupted;
}

}  // namespace

Action AddRun(CLI::App& app) {
  auto options = std::make_shared<RunFlags>();
  CLI::App* verb =
      app.add_subcommand("run", "run a network over many items on one device, or a program");
  verb->add_option("model", options->model,
                   "a TFLite or ONNX model, an artifact (net.tsr) or a "
                   "program image, whose data are in it")
      ->required();
  verb->add_option("--device", options->device, "where it runs, see below")->capture_default_str();
  AddNetworkOptions(verb, options->config, options->import);
  AddFloatsOption(verb, options->floats);
  AddThreadsOption(verb, options->executor);
  AddStateOption(verb, options->executor);
  AddPipelineOption(verb, options->in_flight);
  AddAcceleratorsOption(verb, options->accelerators);
  AddInputOptions(*verb, options->inputs);
  verb->get_option("--input")->required(false);
  verb->add_flag("--check-races", options->check_races,
                 "of a program: say which instructions race and whether they met in this run; "
                 "exits with 1 if any do");
  verb->add_option("--top", options->top,
                   "the K greatest classes of each item, and with --labels how many items have "
                   "theirs among them")
      ->check(CountFromOne());
  verb->add_option("--output", options->output,
                   "write the raw output, .npy [N, ...]; of several NAME=FILE, repeated, or a "
                   "folder for all (made where the name ends in /)")
      ->allow_extra_args(false);
  verb->add_option("--budget", options->executor.budget,
                   "cycles (func: instructions' steps) an inference may take")
      ->check(CountFromOne());
  AddDumpDirOption(*verb, options->dump_dir);
  verb->add_option("--json", options->json,
                   "write {ok, model, device, config, accelerators, images, seconds, "
                   "first_seconds, device_seconds, cycles, "
                   "host_seconds, pipeline, top1, outputs[]} to this file");
  AddDriverFlags(*verb, options->driver_flags);
  verb->footer(
      DevicesHelp() +
      "Example: tessera run models/fashion/fashion_int8.onnx --device func --input IMAGES.idx.gz "
      "--labels LABELS.idx.gz\n"
      "Example: tessera run net.tsr --device func --input IMAGES.idx.gz --pipeline\n"
      "Example: tessera run program.img --device rtl --check-races");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
