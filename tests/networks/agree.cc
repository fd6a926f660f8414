// SPDX-License-Identifier: Apache-2.0
#include "tests/networks/agree.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/graph/fuse.h"
#include "compiler/quantize/params.h"
#include "compiler/region/region.h"
#include "isa/encoding.h"
#include "isa/image.h"
#include "runtime/device/registry.h"
#include "runtime/executor/executor.h"
#include "runtime/gpu/gpu_drivers.h"
#include "tests/networks/build.h"
#include "tests/networks/piece.h"

namespace tessera::networks {
namespace {

using Bytes = std::vector<uint8_t>;
using Named = std::map<std::string, Bytes>;

// Reorders [n, c, y, x] to [n, y, x, c].
Bytes ChannelsLast(const std::vector<int64_t>& shape, const Bytes& from) {
  Bytes to(from.size());
  const int64_t channels = shape[1], places = shape[2] * shape[3];
  for (int64_t n = 0; n < shape[0]; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < places; ++p)
        to[static_cast<size_t>((n * places + p) * channels + c)] =
            from[static_cast<size_t>((n * channels + c) * places + p)];
    }
  }
  return to;
}
Bytes UserBytes(const graph::GraphTensor& t, const Bytes& bytes) {
  return t.order.empty() ? bytes : ChannelsLast(t.shape, bytes);
}

std::string Difference(const std::string& what, const Bytes& got, const Bytes& want) {
  if (got.size() != want.size())
    return fmt::format("{}: {} values, expected {}\n", what, got.size(), want.size());
  int64_t wrong = 0;
  size_t first = 0;
  for (size_t k = got.size(); k-- > 0;) {
    if (got[k] == want[k]) continue;
    ++wrong;
    first = k;
  }
  if (wrong == 0) return "";
  return fmt::format("{}: {} of {} values differ, first at {}: {}, expected {}\n", what, wrong,
                     got.size(), first, static_cast<int8_t>(got[first]),
                     static_cast<int8_t>(want[first]));
}

// Instructions of |image| that look their results up in TAB.
int64_t LookupsIn(const isa::ProgramImage& image) {
  int64_t count = 0;
  for (int64_t n = 0; n < image.insn_count(); ++n) {
    const Result<isa::Insn> insn = isa::Decode(image.Word(n));
    if (!insn) continue;
    if (const auto* requant = std::get_if<isa::Requant>(&*insn)) count += requant->table;
    if (const auto* add = std::get_if<isa::Add>(&*insn)) count += add->table;
  }
  return count;
}

class Runs {
 public:
  // |observe|: the program stores every layer's result.
  Runs(const graph::Graph& graph, const std::map<graph::TensorId, Bytes>& inputs, const Named& want,
       bool observe, Outcome& outcome)
      : graph_(graph), want_(want), observe_(observe), outcome_(outcome) {
    // The executor takes the number of inferences as an extra first axis, or in place of a batch of
    // 1.
    for (const graph::TensorId id : graph.inputs) {
      const graph::GraphTensor& t = graph.tensor(id);
      std::vector<int64_t> shape = t.shape;
      if (!t.order.empty()) shape = {shape[0], shape[2], shape[3], shape[1]};
      if (shape[0] != 1) shape.insert(shape.begin(), 1);
      inputs_.push_back({DType::kInt8, std::move(shape), UserBytes(t, inputs.at(id))});
    }
  }

  // Runs |net| on |device| and compares every result that can be read.
  void On(const std::string& device, const std::shared_ptr<const artifact::Artifact>& net,
          const isa::Config& config) {
    const Status status = Try(device, net, config);
    if (!status) outcome_.difference += What(device) + ": " + status.error().message + "\n";
  }

 private:
  void Count(const artifact::Artifact& net, const artifact::ExecutionPlan& plan) {
    for (const auto& program : net.programs) outcome_.lookups += LookupsIn(program.image);
    for (size_t l = 0; l < net.layers.size(); ++l) {
      const std::string& op = net.layers[l].op;
      const bool moves = op == "concat" || op == "slice" || op == "interleave";
      if (moves && plan.layers[l].device != artifact::kHostDevice) ++outcome_.views;
    }
  }
  std::string What(const std::string& device) const {
    return device + (observe_ ? ", results stored" : "");
  }
  Status Try(const std::string& device, const std::shared_ptr<const artifact::Artifact>& net,
             const isa::Config& config) {
    std::unique_ptr<Device> machine;
    ExecutorOptions options;
    options.poison_dead = true;
    if (device != "cpu") {
      DeviceOptions device_options;
      device_options.memory_bytes = uint64_t{32} << 20;
      TESSERA_ASSIGN(machine, OpenDevice(device, config, device_options));
    }
    std::unique_ptr<KernelDevice> gpu;
    if (machine && !net->sources.empty()) {
      TESSERA_ASSIGN(gpu, FindGpuDriver(kOpenCl)->open());
      options.kernel_device = gpu.get();
    }
    TESSERA_ASSIGN(const auto executor,
                   Executor::Open(net, machine ? "device" : "cpu", machine.get(), options));
    TESSERA_ASSIGN(const std::vector<HostTensor> outputs, executor->Run(inputs_));
    if (machine) Count(*net, executor->plan());
    if (machine)
      outcome_.programs = std::max(outcome_.programs, static_cast<int64_t>(net->programs.size()));
    for (size_t k = 0; k < outputs.size(); ++k) {
      const graph::GraphTensor& t = graph_.tensor(graph_.outputs[k]);
      outcome_.difference += Difference(fmt::format("{}: output {}", What(device), t.name),
                                        outputs[k].bytes, UserBytes(t, want_.at(t.name)));
    }
    for (uint32_t l = 0; l < net->layers.size() && observe_; ++l) {
      // A phase, or a part of a shared layer, reads a view of an image: it has no values of its
      // own. Where sequences became images, only the whole images are compared.
      const std::string& name = net->layers[l].output.name;
      if (name.ends_with(".cut")) {
        ++outcome_.cuts;
        continue;
      }
      if (name.find(".arranged.") != std::string::npos) continue;
      ++outcome_.layers;
      const auto kind = net->devices[executor->plan().layers[l].device].kind;
      if (kind == artifact::DeviceKind::kAccelerator) ++outcome_.on_accelerator;
      if (artifact::RunsSource(kind)) ++outcome_.on_gpu;
      const Piece piece(name);
      const auto want = want_.find(piece.of());
      const artifact::Tap* tap = executor->plan().TapOf(l);
      if (tap == nullptr || want == want_.end()) continue;
      TESSERA_ASSIGN(const HostTensor got, executor->CaptureLayer(l));
      ++outcome_.compared;
      outcome_.shared += piece.shared() && machine ? 1 : 0;
      outcome_.difference += Difference(
          fmt::format("{}: layer {} ({})", What(device), net->layers[l].name, net->layers[l].op),
          got.bytes, piece.ValuesIn(graph_, want->second, got));
    }
    return {};
  }

  const graph::Graph& graph_;
  const Named& want_;
  const bool observe_;
  Outcome& outcome_;
  std::vector<HostTensor> inputs_;
};

}  // namespace

Result<Named> Define(graph::Graph graph, const std::map<graph::TensorId, Bytes>& inputs) {
  TESSERA_TRY(quantize::AttachRequant(graph));
  Named named;
  std::map<graph::TensorId, Bytes> values = inputs;
  for (const graph::Region& region : graph::Fuse(graph, false)) {
    const te::RegionTe built = te::BuildRegion(graph, region);
    te::Values tensors;
    for (const te::Binding& b : built.bindings) {
      tensors[b.placeholder.get()] =
          ir::Array(b.placeholder.dtype(), b.activation < 0 ? b.constant : values.at(b.activation));
    }
    TESSERA_TRY(te::Evaluate({built.output}, &tensors));
    values[built.output_id] = tensors.at(built.output.get()).bytes();
  }
  for (auto& [id, bytes] : values) named[graph.tensor(id).name] = std::move(bytes);
  return named;
}

Outcome RunNetwork(const Recipe& recipe, const Way& way) {
  const Result<graph::Graph> graph = BuildGraph(recipe);
  if (graph) return RunGraph(*graph, InputValues(recipe, *graph), way);
  Outcome outcome;
  outcome.broken = graph.error().message;
  return outcome;
}

Outcome RunGraph(const graph::Graph& graph, const std::map<graph::TensorId, Bytes>& inputs,
                 const Way& way) {
  Outcome outcome;
  const auto broken = [&](const Error& error) {
    outcome.broken = error.message;
    return outcome;
  };
  const Result<Named> want = Define(graph, inputs);
  if (!want) return broken(want.error());

  compiler::CompileOptions options;
  const Result<isa::Config> config = isa::LoadConfig(way.config);
  if (!config) return broken(config.error());
  options.config = *config;
  // The accelerator keeps what it can run: its processor is slow, transfers cost nothing.
  options.config.cpu.clock_mhz = 1;
  options.config.cpu.start_us = 0;
  options.config.cpu.pack_mb_s = 1'000'000;
  if (way.mixed) {
    constexpr int64_t kMhzPerMac = 150;  // small layers keep a host far from its peak
    options.config.cpu.clock_mhz = kMhzPerMac * options.config.macs_per_cycle();
    options.goal = network::Objective();
    if (way.gpu_mhz > 0) {
      options.config.gpu = {.driver = kOpenCl,
                            .processors = 2,
                            .lanes = 32,
                            .clock_mhz = way.gpu_mhz,
                            .memory_mb_s = 100'000,
                            .link_mb_s = 1'000'000,
                            .launch_us = 0,
                            .transfer_us = 0};
    }
  }
  options.fuse = way.fuse;
  options.schedules = way.schedules;
  options.host_effort = way.host_effort;
  for (size_t k = 0; k < way.observe.size(); ++k) {
    const bool observe = way.observe[k];
    // All programs have the same host code: run and optimise it with the first only.
    std::vector<std::string> devices = way.devices;
    if (k > 0) {
      std::erase(devices, "cpu");
      options.host_effort = codegen::HostEffort::kLeast;
    }
    options.cpu = std::ranges::count(devices, "cpu") > 0;
    options.device = devices.size() > (options.cpu ? 1u : 0u);
    options.keep_tensors = observe;
    const Result<compiler::Compiled> compiled = compiler::Compile(graph, "network", 0, options);
    if (!compiled) {
      const Error& error = compiled.error();
      if (error.code == Code::kUnsupported || error.code == Code::kOutOfRange) {
        outcome.refused = error.message;
      } else {
        outcome.difference = "compile: " + error.message + "\n";
      }
      return outcome;
    }
    const auto net = std::make_shared<const artifact::Artifact>(compiled->artifact);
    Runs runs(graph, inputs, *want, observe, outcome);
    for (const std::string& device : devices) runs.On(device, net, options.config);
  }
  return outcome;
}

}  // namespace tessera::networks
