// SPDX-License-Identifier: Apache-2.0
//
// tessera debug: a run that stops wherever the user wants to look at the machine.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "sim/debug/session.h"
#include "tools/debug_console.h"
#include "tools/inputs.h"
#include "tools/output.h"
#include "tools/trace_wave.h"
#include "tools/traced_network.h"
#include "tools/verb.h"

namespace tessera::tools {
namespace {

struct DebugFlags {
  std::string model, device, script, config, json;
  ImportWords import;
  InputOptions input;
  bool keep_tensors = false;
  uint64_t budget = 0;  // 0: not given
};

Result<const Driver*> RequireView(const ChosenDevice& device) {
  std::string list;
  for (const Driver& driver : Drivers()) {
    if (!driver.view) continue;
    if (driver.name == device.name) return &driver;
    list += (list.empty() ? "" : " and ") + std::string(driver.name);
  }
  return Fail(Code::kInvalidArgument,
              "--device {}: its memories cannot be looked at while it runs; {} can be debugged, "
              "and `replay {}` in a session compares",
              device.name, list, device.name);
}

// Passes each run of a program to the session.
class SessionRuns : public ProgramListener {
 public:
  explicit SessionRuns(sim::DebugSession& session) : session_(session) {}
  RunObserver* Begin(uint32_t program) override {
    session_.BeginProgram(program);
    return nullptr;
  }
  void End(const ProgramRun&) override {}

 private:
  sim::DebugSession& session_;
};

// Keeps the taken and the retired instructions of each program.
class ReplayedRuns : public ProgramListener, private RunObserver {
 public:
  explicit ReplayedRuns(size_t programs) : runs_(programs) {}
  RunObserver* Begin(uint32_t program) override {
    cycles_.Begin(program);
    at_ = &runs_[program];
    return this;
  }
  void End(const ProgramRun&) override {}
  std::vector<sim::ReplayedRun>& runs() { return runs_; }
  const TakenCycles& cycles() const { return cycles_; }

 private:
  void OnTaken(const InsnTaken& taken) override {
    cycles_.OnTaken(taken);
    at_->taken.push_back(taken);
  }
  void OnRetired(const TraceEntry& entry) override {
    cycles_.OnRetired(entry);
    at_->retired.push_back(entry);
  }
  std::vector<sim::ReplayedRun> runs_;
  sim::ReplayedRun* at_ = nullptr;
  TakenCycles cycles_;
};

// The commands and their answers, for --json.
Json JsonOf(const DebugFlags& options, const sim::DebugTarget& target,
            const sim::DebugSession& session, const RecordedConsole& console) {
  const Status& status = session.status();
  Json json{{"ok", status.has_value() && !session.said_no()},
            {"model", options.model},
            {"device", target.device},
            {"config", target.config.name},
            {"commands", Json::array()}};
  if (!status) json["error"] = status.error().message;
  for (const RecordedConsole::RecordedCommand& command : console.commands()) {
    Json entry{{"command", command.line}, {"answer", command.answer}};
    if (command.moment) {
      const sim::SessionMoment& at = *command.moment;
      entry["at"] = {{"program", at.program}, {"retired", at.retired}};
      if (at.insn) entry["at"]["instruction"] = *at.insn;
      if (at.layer) entry["at"]["layer"] = target.layers[*at.layer];
      if (target.clock) entry["at"]["cycle"] = at.cycle;
    }
    json["commands"].push_back(std::move(entry));
  }
  return json;
}

// The host path of the same network; compiled and run at the first use.
class HostPath {
 public:
  HostPath(const DebugFlags& options, const TracedNetwork& network)
      : options_(options), network_(network) {}

  Result<HostTensor> Layer(uint32_t layer) {
    if (!runner_) {
      TESSERA_ASSIGN(const LoadedNetwork host,
                     LoadNetwork(options_.model, options_.config, {.cpu = true, .device = true},
                                 options_.import, true));
      TESSERA_ASSIGN(const ChosenDevice cpu, ChooseDevice(kCpu, {}));
      TESSERA_ASSIGN(Runner runner,
                     OpenRunner(host, cpu, {.cpu_level = "", .pixels = network_.pixels()}));
      TESSERA_TRY(runner.executor->Run(network_.inputs()));
      runner_ = std::move(runner);
    }
    return runner_->executor->CaptureLayer(layer);
  }

 private:
  const DebugFlags& options_;
  const TracedNetwork& network_;
  std::optional<Runner> runner_;
};

// The place of each layer's result.
std::vector<sim::DebugTensor> TensorsOf(const artifact::Artifact& net) {
  std::vector<sim::DebugTensor> tensors;
  const artifact::ExecutionPlan* plan = net.PlanNamed("device");
  for (uint32_t l = 0; plan != nullptr && l < net.layers.size(); ++l) {
    sim::DebugTensor tensor{.layer = l, .info = net.layers[l].output, .absent = "", .layout = {}};
    const artifact::Tap* tap = plan->TapOf(l);
    if (tap == nullptr) {
      tensor.absent = plan->layers[l].resident
                          ? "stays on the chip; --keep-tensors debugs a program that stores it too"
                          : "is kept nowhere; --keep-tensors keeps it";
    } else if (const artifact::PlanBuffer& buffer = plan->buffers[tap->buffer];
               buffer.device == artifact::kHostDevice) {
      tensor.absent = "is the host's, not in device memory";
    } else {
      tensor.offset = buffer.offset;
      tensor.bytes = buffer.bytes;
      tensor.layout = tap->layout;
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

sim::DebugTarget TargetOf(const TracedNetwork& network, const Driver& driver) {
  sim::DebugTarget target;
  target.config = network.config();
  target.device = driver.name;
  target.clock = driver.clock;
  for (uint32_t p = 0; p < network.programs(); ++p) target.programs.push_back(&network.program(p));
  for (const TracedLayer& layer : network.layers()) target.layers.push_back(layer.name);
  if (network.dump() != nullptr) target.failed_on = network.dump()->device;
  if (network.artifact() != nullptr) target.tensors = TensorsOf(*network.artifact());
  return target;
}

bool HasClock(const std::string& device) {
  const Result<const Driver*> driver = FindDriver(Drivers(), device);
  return driver && (*driver)->clock;
}

// The device on which to repeat a dump's run: the dump's own device if it can be watched, else
// another one, with a clock if the dump's has one.
std::string DeviceFor(const sim::RunDump& dump) {
  const std::string name = dump.device.substr(0, dump.device.find(':'));
  for (const Driver& driver : Drivers()) {
    if (driver.view && driver.name == name) return dump.device;
  }
  return HasClock(name) ? "cycle" : "func";
}

// The dump's budget if |driver| counts in the same unit, cycles or steps.
uint64_t BudgetFor(const DebugFlags& options, const sim::RunDump* dump, const Driver& driver) {
  if (options.budget != 0) return options.budget;
  const bool same =
      dump != nullptr && HasClock(dump->device.substr(0, dump->device.find(':'))) == driver.clock;
  return same ? dump->budget : Launch().budget;
}

Result<int> Run(const DebugFlags& options) {
  const std::string first = options.device.empty() ? "func" : options.device;
  TESSERA_ASSIGN(ChosenDevice device, ChooseDevice(first));
  TESSERA_TRY(RequireView(device));
  TESSERA_TRY(CheckJson(options.json));
  sim::DebugSession* session = nullptr;
  const bool quiet = options.json == "-";
  TESSERA_ASSIGN(std::unique_ptr<sim::DebugConsole> lines,
                 OpenDebugConsole(
                     options.script,
                     [&](const std::string& line) {
                       return session ? session->Complete(line) : std::vector<std::string>();
                     },
                     quiet));
  RecordedConsole console(std::move(lines), quiet, [&] {
    return session ? session->Moment() : std::optional<sim::SessionMoment>();
  });
  TESSERA_ASSIGN(const TracedNetwork network,
                 TracedNetwork::Load(options.model, options.config, options.import, options.input,
                                     options.keep_tensors));
  const sim::RunDump* dump = network.dump();
  if (dump != nullptr && options.device.empty()) {
    TESSERA_ASSIGN(device, ChooseDevice(DeviceFor(*dump)));
  }
  TESSERA_ASSIGN(const Driver* driver, RequireView(device));
  const uint64_t budget_of_run = BudgetFor(options, dump, *driver);
  HostPath host(options, network);
  sim::DebugTarget target = TargetOf(network, *driver);
  if (network.artifact() != nullptr)
    target.host_value = [&](uint32_t layer) { return host.Layer(layer); };
  std::optional<ReplayedRuns> replayed;  // the last
  target.replay = [&](const std::string& name,
                      uint64_t budget) -> Result<std::vector<sim::ReplayedRun>> {
    TESSERA_ASSIGN(const ChosenDevice other, ChooseDevice(name));
    ReplayedRuns& runs = replayed.emplace(network.programs());
    const Status ran = network.Run(other, runs, std::min(budget, budget_of_run));
    const bool nothing =
        std::ranges::all_of(runs.runs(), [](const auto& run) { return run.retired.empty(); });
    if (!ran && nothing) return std::unexpected(ran.error());
    return runs.runs();
  };
  target.record = [&](const sim::WaveWindow& window) -> Result<uint64_t> {
    TESSERA_ASSIGN(const ChosenDevice other, ChooseDevice(window.device));
    TESSERA_TRY(RequireWave(other, window.path));
    const WaveFrom from{.text = fmt::format("cycle:{}", window.cycle),
                        .program = window.program,
                        .number = window.cycle,
                        .layer = ""};
    return RecordWave(window.path, from, window.cycles, network, other, replayed->cycles(), true);
  };
  sim::DebugSession debugger(target, console);
  session = &debugger;
  SessionRuns runs(debugger);
  if (dump != nullptr) {
    console.Print(fmt::format("{}: {} of {} failed on {}: {}\n", options.model, dump->verb,
                              dump->model, dump->device, dump->error));
    debugger.Start();
  }
  while (debugger.Prompt())
    debugger.EndRun(network.Run(device, runs, budget_of_run, nullptr, &debugger));
  TESSERA_TRY(WriteJson(options.json, JsonOf(options, target, debugger, console)));
  if (!debugger.status()) return std::unexpected(debugger.status().error());
  return debugger.said_no() ? kExitNo : kExitOk;
}

}  // namespace

Action AddDebug(CLI::App& app) {
  auto options = std::make_shared<DebugFlags>();
  CLI::App* verb = app.add_subcommand(
      "debug", "stop a run where one wants to, look at the machine, compare tensors");
  verb->add_option("model", options->model,
                   "a model, an artifact (net.tsr), a program image (of tessera asm) or a dump of "
                   "a failed run")
      ->required();
  verb->add_option("--device", options->device,
                   "func (the default; of a dump: like the one it was made on) or cycle");
  verb->add_option("--script", options->script,
                   "commands from this file; else from standard input; `help` lists them");
  verb->add_flag("--keep-tensors", options->keep_tensors,
                 "a model: store every layer's result, those too that would stay on the chip");
  AddNetworkOptions(verb, options->config, options->import);
  AddOneInputOption(*verb, options->input);
  verb->add_option("--budget", options->budget, "cycles (func: instructions' steps) a run may take")
      ->check(CountFromOne());
  verb->add_option("--json", options->json,
                   "write {ok, model, device, config, commands[]} to this file: each command, its "
                   "answer, and where the machine stood behind it");
  verb->footer(
      DevicesHelp() +
      "docs/debugger.md has a session.\n"
      "Example: tessera debug models/fashion/fashion_int8.onnx --device cycle --input "
      "IMAGES.idx.gz\n"
      "Exits with 1 when a run failed or a diff or replay found a difference; a wrong command "
      "ends a script with 2.");
  return [options] { return Run(*options); };
}

}  // namespace tessera::tools
