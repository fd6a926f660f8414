// SPDX-License-Identifier: Apache-2.0
#include "tools/explore_prove.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/process.h"
#include "base/rng.h"
#include "base/workers.h"
#include "compiler/tune/turns.h"
#include "sim/rig/lockstep.h"
#include "sim/rig/rig.h"
#include "tools/devices.h"
#include "tools/network.h"

namespace tessera::tools {
namespace {

constexpr int kPrograms = 8;  // random ones
// To verilate a machine and to run it; to synthesise it.
constexpr std::chrono::seconds kProveLimit{3600}, kSynthesisLimit{7200};

Status ProvePrograms(const isa::Config& config, uint64_t seed) {
  std::vector<DeviceSpec> machines;
  for (const char* name : {"func", "cycle", "rtl"}) machines.push_back({name, {}});
  TESSERA_ASSIGN(rig::Lockstep lockstep, rig::Lockstep::Open(config, std::move(machines)));
  for (int k = 0; k < kPrograms; ++k) {
    const uint64_t own = seed + static_cast<uint64_t>(k);
    const isa::ProgramImage image = rig::MakeProgram({.config = config, .seed = own});
    TESSERA_ASSIGN(const rig::Verdict verdict, lockstep.Run(image, rig::MemoryFor(own)));
    if (!verdict.difference.empty())
      return Fail(Code::kDataLoss, "random program {}: {}", own, verdict.difference);
  }
  return {};
}

// The results and the cycles of an inference of |network| on |device|.
struct Inference {
  std::vector<HostTensor> results;
  uint64_t cycles = 0;
};
Result<Inference> InferOn(const LoadedNetwork& network, const std::string& device,
                          const std::vector<HostTensor>& inputs) {
  TESSERA_ASSIGN(const ChosenDevice chosen, ChooseDevice(device));
  TESSERA_ASSIGN(Runner runner, OpenRunner(network, chosen, ExecutorOptions()));
  ExecutionReport report;
  Inference made;
  TESSERA_ASSIGN(made.results, runner.executor->Run(inputs, &report));
  for (const uint64_t cycles : report.Cycles()) made.cycles += cycles;
  return made;
}

Status ProveModel(const std::string& model, const std::string& config, const ImportWords& import,
                  uint64_t seed) {
  TESSERA_ASSIGN(const LoadedNetwork network,
                 LoadNetwork(model, config, WantedPlans{.device = true}, import));
  Rng rng(seed);
  std::vector<HostTensor> inputs;
  for (const artifact::TensorInfo& info : network.artifact->inputs) {
    HostTensor& input = inputs.emplace_back(HostTensor::Zeros(info.dtype, info.shape));
    input.bytes = tune::RandomValues(info.dtype, input.count(), rng);
    AddItemAxis(info, input);
  }
  TESSERA_ASSIGN(const Inference cycle, InferOn(network, "cycle", inputs));
  TESSERA_ASSIGN(const Inference rtl, InferOn(network, "rtl", inputs));
  if (cycle.cycles != rtl.cycles)
    return Fail(Code::kDataLoss, "{}: {} cycles on rtl and {} on cycle", model, rtl.cycles,
                cycle.cycles);
  for (size_t r = 0; r < rtl.results.size(); ++r) {
    if (rtl.results[r].bytes != cycle.results[r].bytes)
      return Fail(Code::kDataLoss, "{}: result {} differs on rtl and cycle", model,
                  network.artifact->outputs[r].name);
  }
  return {};
}

Status ProveAll(const std::string& config_path, const std::vector<std::string>& models,
                const ImportWords& import, uint64_t seed) {
  TESSERA_ASSIGN(const isa::Config config, isa::LoadConfig(config_path));
  TESSERA_TRY(ProvePrograms(config, seed));
  for (const std::string& model : models) {
    TESSERA_TRY(ProveModel(model, config_path, import, seed));
  }
  return {};
}

}  // namespace

Result<std::string> ProveMachine(const std::string& config_path,
                                 const std::vector<std::string>& models, const ImportWords& import,
                                 uint64_t seed) {
  const WorkEnd end = RunIsolated(
      [&]() -> std::string {
        const Status proved = ProveAll(config_path, models, import, seed);
        if (proved) return "";
        return fmt::format("{} {}", static_cast<int>(proved.error().code), proved.error().message);
      },
      kProveLimit);
  if (!end.crash.empty()) return Fail(Code::kUnavailable, "the process {}", end.crash);
  if (!end.bytes.empty()) {
    const size_t space = end.bytes.find(' ');
    const int code = std::atoi(end.bytes.substr(0, space).c_str());
    return std::unexpected(Error(static_cast<Code>(code), end.bytes.substr(space + 1)));
  }
  return fmt::format(
      "{} random programs and {} networks: equal results and cycles on rtl and cycle", kPrograms,
      models.size());
}

Result<hw::Silicon> SynthesiseMachine(const std::string& config_path, const std::string& part,
                                      const std::string& family) {
  const std::string script = TESSERA_SOURCE_DIR "/hw/scripts/synth.sh", build = TESSERA_BUILD_DIR;
  if (!std::filesystem::exists(script) || !std::filesystem::exists(build)) {
    return Fail(Code::kUnsupported, "--synthesise needs the source tree {} and its build folder {}",
                TESSERA_SOURCE_DIR, build);
  }
  const std::string path = std::filesystem::absolute(config_path);
  const auto run = [&](std::vector<std::string> words) -> Result<std::string> {
    TESSERA_ASSIGN(const ProcessEnd end, RunProcess(words, {}, kSynthesisLimit));
    if (end.code == 0) return LastLine(end.output);
    return Fail(Code::kUnavailable, "{} {}: {}", words[0],
                end.timed_out ? "took too long" : "failed", LastLine(end.errors));
  };
  TESSERA_ASSIGN(const std::string netlist, run({script, build, path, "tsr_top", part}));
  const std::string report = build + "/bin/netlist_report";
  TESSERA_ASSIGN(const std::string total, run({report, "total", netlist}));
  TESSERA_ASSIGN(const std::string worst, run({report, "worst", netlist, family}));
  hw::Silicon made;
  double routes = 0, brams = 0;
  std::istringstream(total) >> made.lut >> routes >> made.ff >> made.dsp >> brams;
  made.lut += routes;
  made.bram18 = static_cast<int64_t>(2 * brams);
  std::istringstream(worst) >> made.ns;
  return made;
}

}  // namespace tessera::tools
