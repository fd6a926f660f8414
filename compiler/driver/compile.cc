// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/compile.h"

#include <fmt/ranges.h>

#include "compiler/driver/build.h"
#include "compiler/driver/user_order.h"
#include "compiler/graph/passes.h"
#include "compiler/quantize/params.h"
#include "isa/asm/asm.h"

namespace tessera::compiler {
namespace {

artifact::TensorInfo InfoOf(const graph::Graph& graph, graph::TensorId id) {
  const graph::GraphTensor& t = graph.tensor(id);
  artifact::TensorInfo info{t.name, t.dtype, UserShape(t), std::nullopt};
  // A float edge tells the scale of the integers on its other side.
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
    std::vector<std::string_view> ops;
    for (size_t node : n.regions[r].nodes) ops.push_back(graph::Text(n.graph.nodes[node].op));
    artifact::TensorInfo result = InfoOf(n.graph, n.regions[r].output);
    result.shape = n.graph.tensor(n.regions[r].output)
                       .shape;  // taps are in the graph's order, also of an output
    build.net.layers.push_back({n.regions[r].name, fmt::format("{}", fmt::join(ops, " + ")),
                                static_cast<uint64_t>(n.te[r].macs), result});
  }
}

}  // namespace

Status AddCpuPlan(Build& build) {
  const FusedNetwork& n = build.network;
  artifact::ExecutionPlan plan;
  plan.name = "cpu";
  for (graph::TensorId id : n.graph.inputs) {
    plan.inputs.push_back(build.UserBuffer(plan.name, id));
    build.AddOrderStep(plan, id, false);
  }
  for (size_t r = 0; r < n.regions.size(); ++r) {
    TESSERA_TRY(build.AddHostRegion(plan, r));
  }
  for (graph::TensorId id : n.graph.outputs) {
    plan.outputs.push_back(build.UserBuffer(plan.name, id));
    build.AddOrderStep(plan, id, true);
  }
  build.net.plans.push_back(std::move(plan));
  return {};
}

Result<Compiled> Compile(graph::Graph graph, const std::string& model_file, uint64_t model_crc,
                         const CompileOptions& options) {
  FusedNetwork network;
  network.graph = std::move(graph);
  // A node's own rule first: passes may turn it into another operator that gives the same integers.
  TESSERA_TRY(graph::Verify(network.graph));
  TESSERA_TRY(quantize::AttachRequant(network.graph));
  graph::Simplify(network.graph);
  TESSERA_TRY(graph::Verify(network.graph));
  network.regions = graph::Fuse(network.graph, options.fuse);
  for (const graph::Region& region : network.regions)
    network.te.push_back(te::BuildRegion(network.graph, region));

  Build build(network, options);
  build.net.provenance = {
      fmt::format("tessera {}", TESSERA_VERSION),
      model_file.substr(model_file.find_last_of('/') + 1), model_crc,
      options.device ? isa::ConfigToJson(options.config) : "",
      fmt::format("{}{}", options.cpu ? "cpu " : "", options.device ? "vta" : "") +
          (network.graph.rules.empty() ? "" : " " + network.graph.rules)};
  for (graph::TensorId id : network.graph.inputs)
    build.net.inputs.push_back(InfoOf(network.graph, id));
  for (graph::TensorId id : network.graph.outputs)
    build.net.outputs.push_back(InfoOf(network.graph, id));
  AddLayers(build);
  if (options.cpu) TESSERA_TRY(AddCpuPlan(build));
  if (options.device) TESSERA_TRY(AddDevicePlan(build));
  TESSERA_TRY(build.FinishHostCode());
  TESSERA_TRY(artifact::CheckArtifact(build.net));

  Compiled compiled;
  if (options.dumps.contains("graph"))
    compiled.dump += graph::Print(network.graph) + graph::Print(network.graph, network.regions);
  if (options.dumps.contains("te")) {
    for (const te::RegionTe& region : network.te)
      compiled.dump += fmt::format("region {}:\n{}", region.name, te::Print({region.output}));
  }
  if (options.dumps.contains("schedule")) compiled.dump += build.schedule_dump;
  if (options.dumps.contains("ir")) compiled.dump += build.ir_dump;
  if (options.dumps.contains("asm") && build.net.program)
    compiled.dump += isa::Disassemble(*build.net.program);
  compiled.artifact = std::move(build.net);
  return compiled;
}

}  // namespace tessera::compiler
