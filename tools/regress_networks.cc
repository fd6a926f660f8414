// SPDX-License-Identifier: Apache-2.0
#include "tools/regress_networks.h"

#include "base/rng.h"
#include "sim/trace/compare.h"
#include "tools/failed_run.h"
#include "tools/network.h"

namespace tessera::tools {
namespace {

HostTensor RandomInput(const artifact::Artifact& net, size_t input, uint64_t seed) {
  HostTensor tensor = HostTensor::Zeros(net.inputs[input].dtype, net.inputs[input].shape);
  Rng rng(seed);
  if (tensor.dtype == DType::kFloat32) {
    for (float& value : tensor.as<float>()) value = static_cast<float>(rng.Range(0, 255)) / 255;
  } else {
    for (uint8_t& byte : tensor.bytes) byte = static_cast<uint8_t>(rng.Range(0, 255));
  }
  return tensor;
}

// One machine's results.
struct NetworkSide {
  Runner runner;
  std::vector<HostTensor> outputs;
  ExecutionReport report;
  std::string error;  // why there are no results
};

Result<NetworkSide> RunSide(const LoadedNetwork& network, const DeviceSpec& machine,
                            const std::vector<HostTensor>& inputs) {
  NetworkSide side;
  TESSERA_ASSIGN(side.runner, OpenRunner(network, {machine.name, {.values = machine.values}}, {}));
  side.report.traced = true;
  Result<std::vector<HostTensor>> outputs = side.runner.executor->Run(inputs, &side.report);
  if (outputs) {
    side.outputs = std::move(*outputs);
  } else {
    side.error = outputs.error().message;
  }
  return side;
}

// Leaves a dump of |run| on |side|.
void Dump(const NetworkSide& side, const std::optional<FailedRun>& run, RegressEnd& end) {
  if (!run) return;
  const Result<std::string> path = LeaveDump(end.difference, "regress", side.runner.dump_dir,
                                             side.runner.chosen, side.runner.config, *run);
  end.dump = path ? *path : std::string(kNoDump) + path.error().message;
}

struct NetworkDifference {
  std::string text;           // "": no difference
  std::optional<size_t> run;  // the run of a program with the difference
};

// The first difference between two sides.
NetworkDifference SideDifference(const LoadedNetwork& network, const NetworkSide& a,
                                 const NetworkSide& b, const std::string& name_a,
                                 const std::string& name_b) {
  for (size_t r = 0; r < std::min(a.report.runs.size(), b.report.runs.size()); ++r) {
    const ProgramRun& run = a.report.runs[r];
    const auto differences = sim::CompareTraces(run.trace, b.report.runs[r].trace,
                                                network.artifact->programs[run.program].image,
                                                network.config, name_a, name_b);
    if (!differences.empty()) return {fmt::format("program {}: {}", r, differences[0].text), r};
  }
  for (size_t o = 0; o < a.outputs.size(); ++o) {
    const auto [at_a, at_b] = std::ranges::mismatch(a.outputs[o].bytes, b.outputs[o].bytes);
    if (at_a == a.outputs[o].bytes.end() && at_b == b.outputs[o].bytes.end()) continue;
    return {fmt::format("output {} byte {}: {} {}, {} {}", network.artifact->outputs[o].name,
                        at_a - a.outputs[o].bytes.begin(), name_a, *at_a, name_b, *at_b),
            std::nullopt};
  }
  return {};
}

}  // namespace

RegressEnd RunRegressNetwork(const RegressSetup& setup, const RegressItem& item) {
  RegressEnd end;
  const std::string& config = setup.config_words[item.config];
  const Result<LoadedNetwork> network =
      item.suite == RegressSuite::kLayers
          ? LoadLayer(item.path, config, item.layer)
          : LoadNetwork(item.path, config, {.device = true, .verify = true}, {});
  // The compiled program is wrong on all machines alike; the file is not at fault.
  if (!network && network.error().code == Code::kDataLoss &&
      item.suite == RegressSuite::kNetworks) {
    end.machine = "translation check";
    end.difference = network.error().message;
    return end;
  }
  if (!network) {
    end.refused = network.error().message;
    return end;
  }
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < network->artifact->inputs.size(); ++i)
    inputs.push_back(RandomInput(*network->artifact, i, item.seed + i));
  std::optional<NetworkSide> first;
  for (const DeviceSpec& machine : setup.machines) {
    Result<NetworkSide> side = RunSide(*network, machine, inputs);
    if (side) side->runner.dump_dir = setup.dump_dir;
    if (!side || !side->error.empty()) {
      end.machine = machine.name;
      end.difference = fmt::format("{} does not run it: {}", machine.name,
                                   side ? side->error : side.error().message);
      if (side) Dump(*side, side->runner.executor->Failed(), end);
      return end;
    }
    for (const ProgramRun& run : side->report.runs) {
      if (!first) end.instructions += static_cast<int64_t>(run.report.instructions);
      if (run.report.cycles > 0) end.time[machine.name].Add(run.report);
    }
    if (!first) {
      first = std::move(*side);
      const Runner done = std::move(first->runner);  // frees its memory
      continue;
    }
    const NetworkDifference difference =
        SideDifference(*network, *first, *side, setup.machines[0].name, machine.name);
    if (difference.text.empty()) continue;
    end.difference = difference.text;
    end.machine = machine.name;
    if (difference.run) Dump(*side, side->runner.executor->Beginning(inputs, *difference.run), end);
    return end;
  }
  return end;
}

}  // namespace tessera::tools
