// SPDX-License-Identifier: Apache-2.0
#include "tools/network.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/file.h"
#include "tools/model_file.h"
#include "tools/verb.h"

namespace tessera::tools {

void AddNetworkOptions(CLI::App* verb, std::string& config, ImportWords& import) {
  AddImportOptions(verb, import);
  AddPlaceOption(verb, import);
  verb->add_option("--config", config,
                   "configuration of the accelerator: a name or a JSON file (default: default)");
}

void AddFloatsOption(CLI::App* verb, std::string& floats) {
  verb->add_option(
          "--floats", floats,
          "how the host computes floats: exact (default), with the bits of the "
          "definition, or fast, also by algorithms that round otherwise, where an estimate "
          "of their cost is less (docs/rationale/floats.md)")
      ->check(CLI::IsMember({"exact", kFastFloats}));
}

Status CheckFloats(const std::string& floats, bool host_code) {
  if (floats != kFastFloats || host_code) return {};
  return Fail(Code::kInvalidArgument,
              "--floats {}: GPUs compute floats by the definition alone, so this needs code of the "
              "host: target or device cpu, or one with the accelerator",
              floats);
}

void AddThreadsOption(CLI::App* verb, ExecutorOptions& options) {
  verb->add_option("--threads", options.threads,
                   "threads of host code, at most the processors that this process may use")
      ->capture_default_str()
      ->check(CountFromOne());
}

void AddStateOption(CLI::App* verb, ExecutorOptions& options) {
  verb->add_flag("--reset-state", options.fresh_states,
                 "of a model with states (variables): each item begins with the first ones; else "
                 "with what the item before left");
}

namespace {

Result<LoadedNetwork> FromArtifact(const std::vector<uint8_t>& bytes, const std::string& path,
                                   const std::string& config_name, const ImportWords& import,
                                   const std::string& floats) {
  Result<artifact::Artifact> net = artifact::Parse(bytes);
  if (!net) return Within(path, net.error());
  TESSERA_TRY(CheckFitsArtifact(import, path));
  const std::string &made_for = net->provenance.options, &tflite = import.tflite;
  if (!tflite.empty() && made_for.find("tflite " + tflite) == std::string::npos) {
    return Fail(
        Code::kInvalidArgument,
        "{}: compiled for '{}'; --tflite {} asks for other integers: compile the model again", path,
        made_for, tflite);
  }
  const bool fast = made_for.find("floats fast") != std::string::npos;
  if (!floats.empty() && fast != (floats == kFastFloats)) {
    return Fail(Code::kInvalidArgument,
                "{}: compiled with {} floats; --floats {} asks for others: compile the model again",
                path, fast ? "fast" : "exact", floats);
  }
  LoadedNetwork network;
  if (!net->provenance.config_json.empty()) {
    TESSERA_ASSIGN(network.config, isa::ParseConfig(net->provenance.config_json, path));
  }
  if (!config_name.empty()) {
    TESSERA_ASSIGN(const isa::Config wanted, isa::LoadConfig(config_name));
    for (const artifact::DeviceProgram& program : net->programs) {
      if (const Status match = isa::CheckImageMatches(program.image, wanted); !match)
        return Within(path, match.error());
    }
    network.config = wanted;  // the same machine, perhaps with another memory model
  }
  network.artifact = std::make_shared<const artifact::Artifact>(std::move(*net));
  return network;
}

}  // namespace

WantedPlans PlansFor(const std::vector<ChosenDevice>& devices) {
  WantedPlans plans;
  for (const ChosenDevice& device : devices) {
    plans.cpu |= device.cpu();
    plans.opencl |= device.name == kOpenCl;
    plans.cuda |= device.name == kCuda;
    plans.device |= device.machine();
  }
  return plans;
}

Result<LoadedNetwork> LoadNetwork(const std::string& path, const std::string& config_name,
                                  const WantedPlans& plans, const ImportWords& import,
                                  bool keep_tensors) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  if (artifact::LooksLikeArtifact(bytes)) {
    return FromArtifact(bytes, path, config_name, import, plans.floats);
  }
  TESSERA_TRY(CheckFloats(plans.floats, plans.cpu || plans.device));
  TESSERA_ASSIGN(LoadedNetwork network,
                 CompileModel(bytes, path, config_name, plans, import, keep_tensors));
  network.compiled = true;
  return network;
}

namespace {

// The name of a plan for option --target of compile.
std::string TargetOf(const std::string& plan) { return plan == "device" ? "vta" : plan; }

// The driver of the GPU that |plan| has kernels for; null: it has none.
const GpuDriver* GpuOf(const artifact::Artifact& net, const artifact::ExecutionPlan& plan) {
  for (const artifact::PlanStep& step : plan.steps) {
    const auto* call = std::get_if<artifact::KernelStep>(&step);
    if (call != nullptr && artifact::RunsSource(net.devices[call->device].kind))
      return FindGpuDriver(net.devices[call->device].name);
  }
  return nullptr;
}

// |runner| with its device open and the network's code on it.
Result<Runner> WithExecutor(Runner runner, const LoadedNetwork& network,
                            const ExecutorOptions& options) {
  const artifact::Artifact& net = *network.artifact;
  if (net.PlanNamed(runner.plan()) == nullptr) {
    const auto has = std::views::transform(
        net.plans, [](const artifact::ExecutionPlan& plan) { return TargetOf(plan.name); });
    return Fail(Code::kNotFound,
                "device {}: the artifact was compiled for --target {} alone; compile the model "
                "with --target {},{}",
                runner.name, fmt::join(has, ","), fmt::join(has, ","), TargetOf(runner.plan()));
  }
  if (runner.chosen.machine() && runner.device == nullptr) {
    TESSERA_ASSIGN(runner.device, OpenDevice(runner.name, network.config, runner.chosen.options));
  }
  ExecutorOptions with = options;
  if (const GpuDriver* gpu = GpuOf(net, *net.PlanNamed(runner.plan()))) {
    TESSERA_ASSIGN(runner.kernels, gpu->open());
    with.kernel_device = runner.kernels.get();
  }
  TESSERA_ASSIGN(runner.executor,
                 Executor::Open(network.artifact, runner.plan(), runner.device.get(), with));
  return runner;
}

}  // namespace

Result<Runner> OpenRunner(const LoadedNetwork& network, const ChosenDevice& device,
                          const ExecutorOptions& options) {
  Runner runner;
  runner.name = device.name;
  runner.chosen = device;
  runner.config = network.config;
  return WithExecutor(std::move(runner), network, options);
}

Result<Runner> OpenBeside(const Runner& opened, const LoadedNetwork& network,
                          const ExecutorOptions& options) {
  Runner runner;
  runner.name = opened.name;
  runner.chosen = opened.chosen;
  runner.config = opened.config;
  runner.device = opened.device;
  runner.dump_dir = opened.dump_dir;
  return WithExecutor(std::move(runner), network, options);
}

Result<std::vector<std::string>> SplitNames(const std::string& list) {
  std::vector<std::string> names;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    if (names.back().empty() || std::ranges::count(names, names.back()) > 1) {
      return Fail(Code::kInvalidArgument, "list '{}': a name is empty or there twice", list);
    }
    at = end + 1;
  }
  return names;
}

}  // namespace tessera::tools
