// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/evaluate.h"

#include <algorithm>

#include "compiler/codegen/accel/accel.h"
#include "compiler/codegen/llvm/llvm.h"
#include "compiler/codegen/llvm/ptx.h"
#include "compiler/codegen/opencl/opencl.h"
#include "compiler/ir/layout.h"
#include "compiler/network/layers.h"
#include "isa/check/check.h"
#include "sim/cycle/count.h"

namespace tessera::compiler {

AccelLayer AccelLayerOf(const graph::Graph& graph, const te::RegionTe& layer,
                        const isa::Config& config) {
  using Kind = network::Activation::Kind;
  AccelLayer made{network::BindRegion(layer), {}, config};
  for (const graph::GraphTensor& t : graph.tensors)
    made.activations.push_back({t.name, t.shape, Kind::kInput});
  made.activations[static_cast<size_t>(layer.output_id)].kind = Kind::kOutput;
  return made;
}

namespace {

Result<codegen::accel::AccelProgram> Emitted(const std::vector<network::Activation>& activations,
                                             const std::vector<lower::accel::AccelRegion>& regions,
                                             const isa::Config& config) {
  TESSERA_ASSIGN(const network::ProgramPlan plan,
                 network::PlanProgram(activations, regions, config));
  const network::MemoryPlan memory = plan.PlaceNeeds();
  return codegen::accel::EmitProgram(plan, activations, regions, config, memory.offsets,
                                     memory.bytes);
}

Result<isa::ProgramImage> CheckedProgram(const std::vector<network::Activation>& activations,
                                         const std::vector<lower::accel::AccelRegion>& regions,
                                         const isa::Config& config) {
  TESSERA_ASSIGN(codegen::accel::AccelProgram program, Emitted(activations, regions, config));
  TESSERA_TRY(isa::RequireChecked(program.image, config));
  return std::move(program.image);
}

}  // namespace

Result<isa::ProgramImage> ProgramOf(const AccelLayer& layer, const schedule::Trace& trace) {
  std::vector<lower::accel::AccelRegion> regions{layer.region};
  regions[0].schedule = trace;
  return CheckedProgram(layer.activations, regions, layer.config);
}

void TakePlan(network::ProgramPlan plan, PlannedProgram* program) {
  program->traces = std::move(plan.traces);
  program->network = std::move(plan.network);
  program->on_chip.clear();
  for (size_t t = 0; t < program->activations.size(); ++t)
    program->on_chip.push_back(plan.residency.Of(static_cast<int>(t)) != nullptr);
}

Status PlanAgain(PlannedProgram* program, const isa::Config& config) {
  TESSERA_ASSIGN(network::ProgramPlan plan,
                 network::PlanProgram(program->activations, program->regions, config));
  TakePlan(std::move(plan), program);
  return {};
}

Result<RunReport> Evaluate(const PlannedProgram& program, const isa::Config& config,
                           uint64_t budget) {
  TESSERA_ASSIGN(const isa::ProgramImage image,
                 CheckedProgram(program.activations, program.regions, config));
  return sim::CountCycles(image, config, budget);
}

Result<RunReport> Evaluate(const AccelLayer& layer, const schedule::Trace& trace) {
  TESSERA_ASSIGN(const isa::ProgramImage image, ProgramOf(layer, trace));
  return sim::CountCycles(image, layer.config);
}

Result<jit::ProgramStats> StatsOf(const PlannedProgram& program, const isa::Config& config) {
  TESSERA_ASSIGN(const codegen::accel::AccelProgram made,
                 Emitted(program.activations, program.regions, config));
  return made.stats;
}

void HostCandidate::Run() {
  std::vector<void*> buffers;
  for (const Mapping& m : memory) buffers.push_back(m.data());
  kernel(buffers.data());
}

Result<HostCandidate> Evaluate(const HostLayer& layer, const schedule::Trace& trace) {
  TESSERA_ASSIGN(HostFunc made,
                 MakeHostFunc(layer.region, "candidate", layer.layouts, &trace, layer.level));
  TESSERA_ASSIGN(const std::vector<uint8_t> object,
                 codegen::CompileObject({&made.func, 1}, layer.level->name));
  TESSERA_ASSIGN(HostCode code, HostCode::Load(object));
  TESSERA_ASSIGN(const HostKernel kernel, code.Find(made.func.name));
  std::vector<Mapping> memory;
  for (size_t p = 0; p < made.buffers.size(); ++p) {
    const ir::BufferNode& buffer = *made.buffers[p];
    TESSERA_ASSIGN(memory.emplace_back(),
                   Mapping::Make(static_cast<uint64_t>(ir::SizeInBytes(buffer))));
    if (made.bindings[p].activation >= 0) continue;
    std::ranges::copy(ir::PackLayout(buffer, made.bindings[p].constant), memory.back().data());
  }
  if (const int64_t scratch = codegen::ScratchBytes(made.func); scratch > 0) {
    TESSERA_ASSIGN(memory.emplace_back(), Mapping::Make(static_cast<uint64_t>(scratch)));
  }
  return HostCandidate{std::move(made), std::move(memory), std::move(code), kernel};
}

Result<GpuCandidate> Evaluate(const GpuLayer& layer, const schedule::Trace& trace) {
  TESSERA_ASSIGN(GpuFunc made, MakeGpuFunc(layer.region, "candidate", layer.kind, &trace));
  std::string source;
  if (layer.kind == artifact::DeviceKind::kCuda) {
    TESSERA_ASSIGN(source, codegen::PtxSource(made.func.kernels));
  } else {
    source = codegen::OpenClSource(made.func.kernels);
  }
  return GpuCandidate{std::move(made), std::move(source)};
}

}  // namespace tessera::compiler
