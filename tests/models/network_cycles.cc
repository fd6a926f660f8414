// SPDX-License-Identifier: Apache-2.0
#include "tests/models/network_cycles.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "compiler/driver/compile.h"
#include "compiler/import/import.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"

namespace tessera::test {
namespace {

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Cycles of each layer: from the last retirement of the layer that ends before it to its own last.
std::map<uint32_t, int64_t> LayerCycles(const isa::ProgramImage& image,
                                        const std::vector<TraceEntry>& trace) {
  std::map<uint32_t, uint64_t> ends;  // last retirement, by layer
  for (const TraceEntry& entry : trace) {
    for (const isa::SourceRange& range : image.source) {
      if (entry.insn < range.begin || entry.insn >= range.end) continue;
      uint64_t& end = ends[range.layer];
      end = std::max(end, entry.cycle);
      break;
    }
  }
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (const auto& [layer, end] : ends) order.emplace_back(end, layer);
  std::sort(order.begin(), order.end());
  std::map<uint32_t, int64_t> cycles;
  uint64_t before = 0;
  for (const auto& [end, layer] : order) {
    cycles[layer] = static_cast<int64_t>(end - before);
    before = end;
  }
  return cycles;
}

}  // namespace

Result<std::shared_ptr<const artifact::Artifact>> CompileForDevice(const std::string& path) {
  TESSERA_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path));
  TESSERA_ASSIGN(graph::Graph graph, ImportModel(bytes, path));
  compiler::CompileOptions options;
  TESSERA_ASSIGN(options.config, isa::LoadConfig("default"));
  options.cpu = false;
  options.device = true;
  TESSERA_ASSIGN(compiler::Compiled compiled,
                 compiler::Compile(std::move(graph), path, Crc64(bytes), options));
  for (const compiler::OffChip& off : compiled.off_chip)
    return Fail(Code::kInvalidArgument, "{}: {}", path, compiler::Text(off));
  return std::make_shared<const artifact::Artifact>(std::move(compiled.artifact));
}

Result<NetworkCycles> RunForCycles(const std::shared_ptr<const artifact::Artifact>& artifact,
                                   const std::string& driver, isa::DramModel dram, int inputs,
                                   bool traced) {
  TESSERA_ASSIGN(isa::Config config, isa::LoadConfig("default"));
  config.dram = dram;
  TESSERA_ASSIGN(const std::unique_ptr<Device> device, OpenDevice(driver, config));
  TESSERA_ASSIGN(const std::unique_ptr<Executor> executor,
                 Executor::Open(artifact, "device", device.get()));
  Rng rng(1);
  NetworkCycles all;
  for (int run = 0; run < inputs; ++run) {
    HostTensor input = HostTensor::Zeros(artifact->inputs[0].dtype, artifact->inputs[0].shape);
    if (input.dtype == DType::kFloat32) {
      for (float& value : input.as<float>()) value = static_cast<float>(rng.Range(0, 255)) / 255;
    } else {
      for (uint8_t& byte : input.bytes) byte = static_cast<uint8_t>(rng.Range(0, 255));
    }
    ExecutionReport report{.traced = traced};
    const double begin = ThreadSeconds();
    TESSERA_TRY(executor->Run({&input, 1}, &report));
    all.seconds = ThreadSeconds() - begin;
    all.inferences.push_back(report.Cycles().at(0));
    all.reports.clear();
    all.traces.clear();
    for (ProgramRun& program : report.runs) {
      all.reports.push_back(program.report);
      all.traces.push_back(std::move(program.trace));
    }
  }
  return all;
}

LayerError LayerErrors(const artifact::Artifact& artifact, const NetworkCycles& want,
                       const NetworkCycles& got) {
  LayerError error;
  for (size_t p = 0; p < want.traces.size(); ++p) {
    const isa::ProgramImage& image = artifact.programs[p].image;
    std::map<uint32_t, int64_t> is = LayerCycles(image, got.traces[p]);
    for (const auto& [layer, cycles] : LayerCycles(image, want.traces[p])) {
      const double off = std::abs(static_cast<double>(is[layer] - cycles)) /
                         static_cast<double>(std::max<int64_t>(cycles, 1));
      ++error.layers;
      error.exact += is[layer] == cycles;
      error.mean += off;
      if (off <= error.worst) continue;
      error.worst = off;
      error.worst_layer = fmt::format("layer {}", layer);
    }
  }
  if (error.layers != 0) error.mean /= static_cast<double>(error.layers);
  return error;
}

}  // namespace tessera::test
