// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/compile.h"

#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "base/text.h"
#include "compiler/driver/build.h"
#include "compiler/driver/coverage.h"
#include "compiler/driver/user_order.h"
#include "compiler/graph/passes.h"
#include "compiler/network/share_choice.h"
#include "compiler/network/share_layers.h"
#include "compiler/network/simplify.h"
#include "compiler/quantize/params.h"
#include "isa/asm/asm.h"

namespace tessera::compiler {
namespace {

artifact::TensorInfo InfoOf(const graph::Graph& graph, graph::TensorId id) {
  const graph::GraphTensor& t = graph.tensor(id);
  artifact::TensorInfo info{t.name, t.dtype, UserShape(t), std::nullopt};
  // A float input or output has the scale of the integers on the other side of its node.
  const graph::Quant* quant = t.quant ? &*t.quant : nullptr;
  for (const graph::Node& node : graph.nodes) {
    if (node.op == graph::Op::kQuantize && node.inputs[0] == id)
      quant = &*graph.tensor(node.output).quant;
    if (node.op == graph::Op::kDequantize && node.output == id)
      quant = &*graph.tensor(node.inputs[0]).quant;
  }
  if (quant && quant->scale.size() == 1)
    info.quant = artifact::Affine{quant->scale[0], quant->zero[0]};
  return info;
}

void AddLayers(Build& build) {
  const FusedNetwork& n = build.network;
  for (size_t r = 0; r < n.regions.size(); ++r) {
    artifact::TensorInfo result = InfoOf(n.graph, n.regions[r].output);
    result.shape = n.graph.tensor(n.regions[r].output)
                       .shape;  // taps are in the graph's order, also of an output
    build.net.layers.push_back({n.regions[r].name, OperatorsOf(n.graph, n.regions[r]),
                                static_cast<uint64_t>(n.Te(r).macs), result});
  }
}

// Decides the layouts of results between layers of the host, or takes what the user decides.
Status LayOut(Build& build, HostLayouts* layouts) {
  const FusedNetwork& n = build.network;
  const auto traces = LayoutsOnHost(n.graph, n.regions);
  for (size_t r = 0; r < n.regions.size(); ++r) {
    const auto* trace = build.NetworkTraceOf(r, schedule::kHostNetworkTrace);
    if (!traces[r] && trace != nullptr && !trace->empty()) {
      return Fail(
          Code::kInvalidArgument,
          "{}: {}: its result is row-major, because others than layers of the host have it, "
          "or it has not four dimensions; leave the step out",
          (*trace)[0].from, Legible(n.regions[r].name));
    }
    if (!traces[r]) continue;
    if (trace == nullptr) trace = &*traces[r];
    if (!trace->empty()) (*layouts)[n.regions[r].output] = ChannelsLast();
    build.AddNetworkTrace(r, schedule::kHostNetworkTrace, *trace);
  }
  return {};
}

}  // namespace

std::string OperatorsOf(const graph::Graph& graph, const graph::Region& region) {
  std::vector<std::string_view> ops;
  for (const size_t node : region.nodes) ops.push_back(graph::Text(graph.nodes[node].op));
  return fmt::format("{}", fmt::join(ops, " + "));
}

namespace {

network::ScheduledLayers ScheduledOnAccelerator(const CompileOptions& options) {
  network::ScheduledLayers scheduled;
  for (const schedule::LayerTrace& given : options.schedules) {
    if (given.target == schedule::kAcceleratorTrace) scheduled.push_back(given.layer);
  }
  return scheduled;
}

// Shares the layers of |pins| that both devices make, and places and fuses the nodes of
// |fused|->graph. |known|: layers of a graph like it.
Status PlaceBy(network::Pins pins, const CompileOptions& options, const AcceleratorLimits& limits,
               const network::Layers& known, FusedNetwork* fused) {
  fused->shared.clear();
  fused->devices.clear();
  if (options.device) {
    TESSERA_ASSIGN(const network::Pins parts,
                   network::ShareLayers(fused->graph, pins, options.config));
    for (const network::Pin& pin : pins) {
      if (pin.shared()) fused->shared.push_back(pin);
    }
    std::erase_if(pins, [](const network::Pin& pin) { return pin.shared(); });
    pins.insert(pins.end(), parts.begin(), parts.end());
  }
  const network::Layers& layers = fused->layers.emplace(fused->graph, known);
  const network::ScheduledLayers scheduled = ScheduledOnAccelerator(options);
  fused->places = network::PlaceOnHost(fused->graph);
  if (options.device) {
    fused->places = network::PlaceNodes(layers, scheduled, limits.refused, pins, options.goal);
    TESSERA_TRY(network::CheckPins(fused->graph, fused->places, pins));
  }
  fused->regions =
      network::FusePlaced(layers, fused->places, options.fuse, scheduled, limits.refused);
  for (const graph::Region& region : fused->regions)
    fused->devices.push_back(fused->places[region.nodes[0]].device);
  return {};
}

// |graph| with the layers that both devices make, if that makes the goal of |options| smaller than
// in |placed|, which has none but those of the user; null: it does not.
Result<std::unique_ptr<FusedNetwork>> SharedByGoal(const graph::Graph& graph,
                                                   const CompileOptions& options,
                                                   const FusedNetwork& placed) {
  const network::ScheduledLayers scheduled = ScheduledOnAccelerator(options);
  network::Pins shared;
  const auto cost_of = [&](const FusedNetwork& fused, bool choose) {
    const network::PlaceCosts costs(*fused.layers, [&](const network::Devices& on) {
      return network::FuseOn(*fused.layers, on, options.fuse, scheduled);
    });
    const network::Devices on = network::DevicesOf(fused.places);
    if (choose) shared = network::ChooseShared(costs, on, *options.goal, scheduled);
    return options.goal->Of(costs.Times(on));
  };
  double least = cost_of(placed, true);
  // The estimates of the gains are rough: half of the layers, those that gain most, may do better.
  std::unique_ptr<FusedNetwork> best;
  for (; !shared.empty(); shared.resize(shared.size() / 2)) {
    auto fused = std::make_unique<FusedNetwork>();
    fused->graph = graph;
    TESSERA_TRY(PlaceBy(shared, options, {}, *placed.layers, fused.get()));
    const double cost = cost_of(*fused, false);
    if (cost >= least && best != nullptr) break;
    if (cost >= least) continue;
    least = cost;
    best = std::move(fused);
  }
  return best;
}

// Moves |from| to |to|, whose layers refer to the graph there.
void Move(FusedNetwork& from, FusedNetwork* to) {
  to->graph = std::move(from.graph);
  to->layers.emplace(to->graph, *from.layers);
  to->places = std::move(from.places);
  to->regions = std::move(from.regions);
  to->devices = std::move(from.devices);
  to->shared = std::move(from.shared);
}

// PlaceBy with the goal of |options|, by which the network has shared layers too. These do not
// depend on |limits|, so all attempts to compile a network have the same nodes.
Status PlaceByGoal(const CompileOptions& options, const AcceleratorLimits& limits,
                   FusedNetwork* fused) {
  const graph::Graph graph = fused->graph;
  const network::Layers known(graph, options.config, options.measured);
  TESSERA_TRY(PlaceBy(options.pins, options, {}, known, fused));
  TESSERA_ASSIGN(const std::unique_ptr<FusedNetwork> best, SharedByGoal(graph, options, *fused));
  if (best != nullptr && options.pins.empty() && limits.refused.empty()) {
    Move(*best, fused);
    return {};
  }
  if (best == nullptr && limits.refused.empty()) return {};
  fused->graph = graph;
  network::Pins pins = options.pins;
  if (best != nullptr) pins.insert(pins.end(), best->shared.begin(), best->shared.end());
  return PlaceBy(std::move(pins), options, limits, known, fused);
}

}  // namespace

Status PlaceAndFuse(graph::Graph graph, const CompileOptions& options,
                    const AcceleratorLimits& limits, FusedNetwork* fused) {
  fused->graph = std::move(graph);
  // Each node's own rule first: passes may replace a node by an operator with the same integers.
  TESSERA_TRY(graph::Verify(fused->graph));
  TESSERA_TRY(quantize::AttachRequant(fused->graph));
  options.simplify ? network::Simplify(fused->graph, options.device ? &options.config : nullptr)
                   : graph::RemoveDead(fused->graph);
  TESSERA_TRY(graph::Verify(fused->graph));
  if (options.device && options.goal) {
    TESSERA_TRY(PlaceByGoal(options, limits, fused));
  } else {
    const network::Layers known(fused->graph, options.config, options.measured);
    TESSERA_TRY(PlaceBy(options.pins, options, limits, known, fused));
  }
  return graph::Verify(fused->graph);
}

Status AddCpuPlan(Build& build) {
  const FusedNetwork& n = build.network;
  PlanBuild p(build, "cpu");
  TESSERA_TRY(LayOut(build, &p.layouts));
  for (graph::TensorId id : n.graph.inputs) {
    p.plan.inputs.push_back(p.UserBuffer(id));
    p.AddOrderStep(id, false);
  }
  for (size_t r = 0; r < n.regions.size(); ++r) TESSERA_TRY(p.AddHostRegion(r));
  for (graph::TensorId id : n.graph.outputs) {
    p.plan.outputs.push_back(p.UserBuffer(id));
    p.AddOrderStep(id, true);
  }
  for (size_t r = 0; r < n.regions.size() && build.options.keep_tensors; ++r)
    p.plan.taps.push_back({static_cast<uint32_t>(r), p.TensorBuffer(n.regions[r].output),
                           p.LayoutOf(n.regions[r].output)});
  p.PlaceBuffers();
  build.net.plans.push_back(std::move(p.plan));
  return {};
}

namespace {

// |more|: if the accelerator's compiler refuses a region, the limits for another attempt.
Result<Compiled> Attempt(graph::Graph graph, const std::string& model_file, uint64_t model_crc,
                         const CompileOptions& options, const AcceleratorLimits& limits,
                         std::optional<AcceleratorLimits>* more) {
  std::optional<PhaseClock::Phase> phase(std::in_place, options.clock, "graph passes, placement");
  FusedNetwork fused;
  TESSERA_TRY(PlaceAndFuse(std::move(graph), options, limits, &fused));
  const network::Layers& layers = *fused.layers;
  phase.emplace(options.clock, "tensor expressions");
  // Made here so that this phase counts the time.
  for (const graph::Region& region : fused.regions) layers.Te(region);

  phase.emplace(options.clock, "plans of steps and memory");
  Build build(fused, options, limits);
  build.net.provenance = {
      fmt::format("tessera {}", TESSERA_VERSION),
      model_file.substr(model_file.find_last_of('/') + 1), model_crc,
      options.device ? isa::ConfigToJson(options.config) : "",
      fmt::format("{}{}{}{}", options.cpu ? "cpu " : "", options.opencl ? "opencl " : "",
                  options.cuda ? "cuda " : "", options.device ? "vta" : "") +
          (options.floats == Floats::kFast ? " floats fast" : "") +
          (fused.graph.rules.empty() ? "" : " " + fused.graph.rules)};
  const graph::Graph& made = fused.graph;
  for (graph::TensorId id : made.UserInputs()) build.net.inputs.push_back(InfoOf(made, id));
  for (graph::TensorId id : made.UserOutputs()) build.net.outputs.push_back(InfoOf(made, id));
  for (size_t s = 0; s < made.states.size(); ++s) {
    build.net.states.push_back(
        {InfoOf(made, made.inputs[made.UserInputs().size() + s]), made.states[s]});
  }
  AddLayers(build);
  if (options.device) {
    build.net.devices.push_back(
        {artifact::DeviceKind::kAccelerator, options.config.name, options.config.Hash()});
  }
  TESSERA_TRY(build.CheckSchedules());
  // A plan has an arena for every device, so all devices must be known before the first plan.
  std::vector<artifact::DeviceKind> gpus;
  if (options.opencl) gpus.push_back(artifact::DeviceKind::kOpenCl);
  if (options.cuda) gpus.push_back(artifact::DeviceKind::kCuda);
  for (const auto kind : {artifact::DeviceKind::kOpenCl, artifact::DeviceKind::kCuda}) {
    if (std::ranges::count(gpus, kind) + std::ranges::count(fused.devices, PlaceOf(kind)) > 0)
      build.net.devices.push_back({kind, GpuName(kind), 0});
  }
  if (options.cpu) TESSERA_TRY(AddCpuPlan(build));
  if (options.device) {
    const Status added = AddDevicePlan(build);
    *more = std::move(build.more_limits);
    if (!added) return std::unexpected(added.error());
  }
  for (const artifact::DeviceKind kind : gpus) TESSERA_TRY(AddGpuPlan(build, kind));
  TESSERA_TRY(build.FinishGpuCode());
  if (!options.layers_only) TESSERA_TRY(build.FinishHostCode());
  phase.emplace(options.clock, "artifact");
  TESSERA_TRY(artifact::CheckArtifact(build.net));

  Compiled compiled;
  if (options.dumps.contains("graph")) {
    compiled.dump += graph::Print(fused.graph) + graph::Print(fused.graph, fused.regions);
    const auto& places = fused.places;
    for (size_t n = 0; n < places.size() && options.device; ++n) {
      if (places[n].device == network::kHost)
        compiled.dump += fmt::format("host {}: {} ({})\n", fused.graph.nodes[n].name,
                                     places[n].machine, places[n].why_host);
    }
  }
  if (options.dumps.contains("te")) {
    for (const graph::Region& region : fused.regions) {
      compiled.dump +=
          fmt::format("region {}:\n{}", region.name, te::Print({layers.Te(region).output}));
    }
  }
  if (options.dumps.contains("schedule")) compiled.dump += build.schedule_dump;
  if (options.dumps.contains("ir")) compiled.dump += build.ir_dump;
  if (options.dumps.contains("asm")) {
    for (const artifact::DeviceProgram& program : build.net.programs)
      compiled.dump += isa::Disassemble(program.image);
  }
  build.net.coverage = CoverageOf(fused.graph, fused.places);
  compiled.translations = std::move(build.translations);
  compiled.programs = std::move(build.programs);
  compiled.off_chip = limits.off_chip;
  compiled.host_layers = std::move(build.host_layers);
  compiled.gpu_layers = std::move(build.gpu_layers);
  compiled.artifact = std::move(build.net);
  return compiled;
}

}  // namespace

Result<Compiled> Compile(graph::Graph graph, const std::string& model_file, uint64_t model_crc,
                         const CompileOptions& options) {
  AcceleratorLimits limits;
  while (true) {
    std::optional<AcceleratorLimits> more;
    Result<Compiled> compiled = Attempt(graph, model_file, model_crc, options, limits, &more);
    if (compiled || !more) return compiled;
    limits = std::move(*more);
  }
}

}  // namespace tessera::compiler
