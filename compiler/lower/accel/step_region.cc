// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/accel/step_region.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/bits.h"
#include "base/check.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/simplify.h"
#include "compiler/ir/usage.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/accel/host_pack.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/accel/plan_steps.h"
#include "compiler/schedule/params.h"
#include "compiler/target/accelerator.h"
#include "compiler/target/tile_intrin.h"

namespace tessera::lower::accel {
namespace {

using Layouts = std::map<std::string, schedule::LayoutStep>;

// The dimension of |tensor| that holds rows; nothing: the tensor has no rows.
std::optional<int64_t> RowsDim(const te::Tensor& tensor) {
  const size_t rank = tensor.shape().size();
  for (size_t d = 0; d < rank; ++d) {
    if (sched::PositionOf(rank, d) == 2) return static_cast<int64_t>(d);
  }
  return std::nullopt;
}

// The layout of |tensor|, which |region| exchanges, in device memory or, if kept, in INP.
schedule::LayoutStep LayoutOf(const AccelRegion& region, const te::Tensor& tensor,
                              const KeptActivations& kept, const isa::Config& config) {
  const auto stays = kept.find(tensor.name());
  const bool on_chip = stays != kept.end();
  Layout layout = on_chip ? sched::BlockedLayout(config.batch, config.block_out)
                          : PackingOf(region, tensor, config).layout;
  for (LayoutDim& d : layout.dims) {
    if (!on_chip || d.dim < 2) continue;
    d.before = stays->second.halo.before[static_cast<size_t>(d.dim) - 2];
    d.after = stays->second.halo.after[static_cast<size_t>(d.dim) - 2];
  }
  const auto rank = static_cast<int>(tensor.shape().size());
  layout = LayoutForRank(layout, tensor.shape().size());
  // ParseLayout drops the pieces of one index.
  std::string text = ir::LayoutText(ir::ParseLayout(ir::LayoutText(layout), rank).value());
  std::erase(text, ' ');
  const bool halo = on_chip && stays->second.halo.any();
  return {tensor.name(), text, halo ? std::optional(stays->second.pad) : std::nullopt};
}

// |given| and a layout step for each of |layouts| that |given| lacks; a different one is an error.
Result<schedule::Trace> WithLayouts(const schedule::Trace& given, Layouts layouts) {
  schedule::Trace trace;
  for (const schedule::Step& step : given) {
    trace.push_back(step);
    const auto* layout = std::get_if<schedule::LayoutStep>(&step);
    const auto of = layout != nullptr ? layouts.find(layout->tensor) : layouts.end();
    if (of == layouts.end()) continue;
    if (!(*layout == of->second)) {
      return Fail(Code::kInvalidArgument,
                  "{}: between layers {} has another layout ({}); cache_read or cache_write makes "
                  "a copy that may have this one",
                  schedule::NameOf(step, trace.size()), layout->tensor,
                  schedule::Print(of->second));
    }
    layouts.erase(of);
  }
  for (const auto& [tensor, layout] : layouts) trace.push_back(layout);
  return trace;
}

// Whether |s| only copies a constant of |lowered| to the chip.
bool CopiesConstant(const LoweredRegion& lowered, const ir::Stmt& s) {
  bool constant = true, copies = false;
  ir::VisitStmts(s, [&](const ir::Stmt& at) {
    if (at->kind == ir::StmtKind::kFor) return;
    const std::optional<target::LoadedTile> loaded = target::LoadedBy(at);
    copies = loaded.has_value();
    constant = constant && copies;
    for (size_t k = 0; constant && k < lowered.buffers.size(); ++k) {
      constant = lowered.func.params[k] != loaded->from ||
                 lowered.buffers[k].role == RegionBuffer::Use::kConstant;
    }
  });
  return constant && copies;
}

// Whether a copy in |s| writes to |buffer|.
bool Fills(const ir::Stmt& s, const ir::Buffer& buffer) {
  bool fills = false;
  ir::VisitStmts(s, [&](const ir::Stmt& at) {
    fills |= at->kind == ir::StmtKind::kEval && at->value->args[0]->buffer == buffer;
  });
  return fills;
}

// Moves copies of constants at the start of the function, and buffers that they fill, to |ahead|
// and |resident|: they run under the region before. OUT's and INP's stay; TAB's go to |tables|.
void TakeAhead(LoweredRegion* lowered) {
  ir::Stmt body = lowered->func.body;
  std::vector<ir::Buffer> around;
  for (; body->kind == ir::StmtKind::kAlloc; body = body->body[0]) around.push_back(body->buffer);
  std::vector<ir::Stmt> rest;
  for (const ir::Stmt& s : body->kind == ir::StmtKind::kSeq ? body->body : std::vector{body}) {
    const auto filled = std::ranges::find_if(around, [&](auto& b) { return Fills(s, b); });
    const ir::Scope to = filled == around.end() ? ir::Scope::kGlobal : (*filled)->scope;
    const bool stays = to == ir::Scope::kOut || to == ir::Scope::kInp;
    if (!rest.empty() || stays || !CopiesConstant(*lowered, s)) {
      rest.push_back(s);
      continue;
    }
    if (to != ir::Scope::kTab) lowered->ahead.push_back(s);
    if (to == ir::Scope::kTab) lowered->tables.emplace_back(*filled, s), around.erase(filled);
  }
  lowered->body = ir::Seq(std::move(rest));
  for (size_t k = around.size(); k-- > 0;) {  // those that these copies do not fill stay
    const bool filled =
        std::ranges::any_of(lowered->ahead, [&](auto& s) { return Fills(s, around[k]); });
    if (filled) lowered->resident.insert(lowered->resident.begin(), around[k]);
    if (!filled) lowered->body = ir::Alloc(around[k], lowered->body);
  }
}

// The activations that |region| exchanges with others: the result, then the inputs.
std::vector<te::Tensor> Exchanged(const AccelRegion& region) {
  std::vector<te::Tensor> all{region.output};
  for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
    if (t->placeholder && !region.constants.contains(t.get())) all.push_back(t);
  }
  return all;
}

// Whether |trace| keeps tensor |name| in INP.
bool KeepsIn(const schedule::Trace& trace, const std::string& name) {
  bool keeps = false;
  for (const schedule::Step& step : trace) {
    const auto* scope = std::get_if<schedule::SetScopeStep>(&step);
    if (scope != nullptr && scope->stage == name) keeps = scope->scope == ir::Scope::kInp;
  }
  return keeps;
}

// The number of the step of |trace| that folds tensor |name|; nothing: no step does.
std::optional<size_t> FoldOf(const schedule::Trace& trace, const std::string& name) {
  for (size_t k = 0; k < trace.size(); ++k) {
    const auto* fold = std::get_if<schedule::FoldStorageStep>(&trace[k]);
    if (fold != nullptr && fold->tensor == name) return k;
  }
  return std::nullopt;
}

// The name of the single activation that |prepared| reads, element by element.
Result<std::string> SourceOf(const te::Tensor& prepared) {
  const std::vector<te::Tensor> inputs = te::Inputs(prepared);
  if (inputs.size() == 1 && inputs[0]->placeholder && inputs[0].dtype() == DType::kInt8 &&
      prepared.dtype() == DType::kInt8 && prepared->reduce_axes.empty())
    return inputs[0].name();
  return Fail(Code::kInvalidArgument,
              "{} cannot be prepared: the host packs elements of one int8 activation; inline what "
              "it reads, or let the function compute it",
              prepared.name());
}

bool Fits(const AccelRegion& region, const schedule::Schedule& schedule) {
  return Lower(schedule, region.output.name(), {.guards = false}).has_value();
}

// Applies double_buffer to every stage of |schedule| that takes it: those on chip, inside loops.
std::vector<schedule::Step> ApplyDoubleBuffers(schedule::Schedule* schedule) {
  std::vector<schedule::Step> applied;
  const schedule::StageList stages = schedule->stages();
  for (const schedule::Stage& stage : stages) {
    const schedule::Step step = schedule::DoubleBufferStep{stage.name};
    if (schedule->Apply(step)) applied.push_back(step);
  }
  return applied;
}

// The steps of |steps| with which |schedule| still fits, tried one after the other.
std::vector<schedule::Step> FittingOf(const AccelRegion& region, schedule::Schedule schedule,
                                      const std::vector<schedule::Step>& steps) {
  std::vector<schedule::Step> fitting;
  for (const schedule::Step& step : steps) {
    if (!schedule.Apply(step)) continue;
    if (Fits(region, schedule)) {
      fitting.push_back(step);
    } else {
      schedule.Undo();
    }
  }
  return fitting;
}

// Lowers |schedule| of |region|, and finds the parts of StepRegion.
Result<StepRegion> LowerScheduled(const AccelRegion& region, const schedule::Schedule& schedule,
                                  const isa::Config& config) {
  std::map<std::string, te::Tensor> activations;
  for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
    if (t->placeholder && !region.constants.contains(t.get())) activations.emplace(t.name(), t);
  }
  const std::map<std::string, te::Tensor> later =
      schedule::FindPrepared(schedule, [&](const std::string& name) {
        return !activations.contains(name);
      }).later;
  StepRegion made{.schedule = schedule};
  LoweredRegion& lowered = made.lowered;
  TESSERA_ASSIGN(lowered.func, Lower(schedule, region.output.name(), {.guards = false}));
  const auto packing = [&](const te::Tensor& t) { return PackingOf(region, t, config); };
  for (const ir::Buffer& param : lowered.func.params) {
    const std::string& name = param->name;
    const auto prepared = later.find(name);
    if (name == region.output.name()) {
      lowered.buffers.push_back(
          {RegionBuffer::Use::kResult, region.output, packing(region.output), {}});
    } else if (const auto activation = activations.find(name); activation != activations.end()) {
      const te::Tensor& t = activation->second;
      lowered.buffers.push_back({RegionBuffer::Use::kActivation, t, packing(t), {}});
    } else if (prepared != later.end()) {
      TESSERA_ASSIGN(const std::string source, SourceOf(prepared->second));
      const te::Tensor& t = activations.at(source);
      lowered.buffers.push_back({RegionBuffer::Use::kActivation,
                                 t,
                                 {sched::ToShape4(t.shape()), prepared->second,
                                  schedule::ParamBuffer(schedule, name)->layout},
                                 {}});
    } else {
      lowered.buffers.push_back({RegionBuffer::Use::kConstant, {}, {}, {}});
    }
  }
  TakeAhead(&lowered);
  int64_t second = 0;  // bytes of the second copy of a rotating buffer
  const int64_t bytes =
      ir::MostInUse(lowered.func.body, ir::Scope::kInp, [&](const ir::Buffer& buffer) {
        if (buffer->rotates) second = std::max(second, ir::SizeInBytes(*buffer));
        return ir::SizeInBytes(*buffer);
      });
  const int64_t tile = config.TileBytes(isa::Memory::kInp);
  made.inp_tiles = std::max(CeilDiv(bytes, tile), std::min(CeilDiv(bytes + second, tile),
                                                           config.Depth(isa::Memory::kInp)));
  return made;
}

}  // namespace

Status PackConstants(const AccelRegion& region, StepRegion* made) {
  std::map<std::string, std::vector<uint8_t>> values;
  for (const auto& [tensor, bytes] : region.constants) values[tensor->name] = bytes;
  const auto is_known = [&](const std::string& name) { return values.contains(name); };
  TESSERA_TRY(schedule::Prepare(schedule::FindPrepared(made->schedule, is_known), &values));
  for (size_t k = 0; k < made->lowered.buffers.size(); ++k) {
    RegionBuffer& buffer = made->lowered.buffers[k];
    if (buffer.role != RegionBuffer::Use::kConstant) continue;
    const std::string& name = made->lowered.func.params[k]->name;
    buffer.data = std::make_shared<const std::vector<uint8_t>>(
        ir::PackLayout(*schedule::ParamBuffer(made->schedule, name), values.at(name)));
  }
  return {};
}

Result<KeptActivations> KeptBySteps(const AccelRegion& region, const schedule::Trace& trace,
                                    const KeptActivations& own) {
  KeptActivations kept;
  for (const te::Tensor& t : Exchanged(region)) {
    if (t.dtype() != DType::kInt8 || t.shape().empty() || t.shape().size() > 4) {
      return Fail(Code::kInvalidArgument,
                  "{} is {} of {} dimensions; layers exchange int8 of 1 to 4; requantise or "
                  "reshape it inside of its layer",
                  t.name(), ir::DTypeName(t.dtype()), t.shape().size());
    }
    if (!KeepsIn(trace, t.name())) continue;
    const auto known = own.find(t.name());
    const auto stays =
        kept.emplace(t.name(), known == own.end() ? KeptActivation{} : known->second).first;
    for (size_t k = 0; k < trace.size(); ++k) {
      const auto* step = std::get_if<schedule::LayoutStep>(&trace[k]);
      if (step == nullptr || step->tensor != t.name()) continue;
      const size_t rank = t.shape().size();
      const auto layout = ir::ParseLayout(step->pieces, static_cast<int>(rank));
      if (!layout) return Within(schedule::NameOf(trace[k], k + 1), layout.error());
      stays->second = {.halo = {}, .pad = step->fill.value_or(0)};
      for (const LayoutDim& d : layout->dims) {
        const size_t position = sched::PositionOf(rank, static_cast<size_t>(d.dim));
        if (position < 2) continue;
        stays->second.halo.before[position - 2] = d.before;
        stays->second.halo.after[position - 2] = d.after;
      }
    }
    const std::optional<size_t> folds = FoldOf(trace, t.name());
    if (!folds) continue;
    const auto& fold = std::get<schedule::FoldStorageStep>(trace[*folds]);
    const std::optional<int64_t> rows = RowsDim(t);
    if (fold.dim != rows) {
      const std::string has =
          rows ? fmt::format("dimension {} of {} has them", *rows, t.name())
               : fmt::format("{} has {} dimensions and none of rows; leave fold_storage out",
                             t.name(), t.shape().size());
      return Fail(Code::kInvalidArgument, "{}: between layers rows are folded; {}",
                  schedule::NameOf(trace[*folds], *folds + 1), has);
    }
    stays->second.folded = {fold.rows, fold.step, fold.planes.value_or(0)};
  }
  return kept;
}

Result<schedule::Trace> WithDoubleBuffers(const AccelRegion& region, schedule::Trace trace,
                                          const KeptActivations& kept, const isa::Config& config) {
  TESSERA_ASSIGN(const schedule::Schedule schedule, ScheduleOf(region, trace, kept, config));
  schedule::Schedule all = schedule;
  std::vector<schedule::Step> doubled = ApplyDoubleBuffers(&all);
  if (!doubled.empty() && !Fits(region, all)) doubled = FittingOf(region, schedule, doubled);
  trace.insert(trace.end(), doubled.begin(), doubled.end());
  return trace;
}

Result<schedule::Schedule> ScheduleOf(const AccelRegion& region, const schedule::Trace& trace,
                                      const KeptActivations& kept, const isa::Config& config) {
  Layouts layouts;
  for (const te::Tensor& t : Exchanged(region)) {
    layouts[t.name()] = LayoutOf(region, t, kept, config);
    const bool keeps = KeepsIn(trace, t.name());
    if (keeps == kept.contains(t.name())) continue;
    return Fail(Code::kInvalidArgument,
                "{}: its schedule has {} in {}, the network has it in {}; all layers that exchange "
                "a tensor have it in one memory",
                region.output.name(), t.name(), keeps ? "inp" : "global", keeps ? "global" : "inp");
  }
  TESSERA_ASSIGN(schedule::Trace whole, WithLayouts(trace, layouts));
  for (const te::Tensor& t : Exchanged(region)) {
    const auto stays = kept.find(t.name());
    if (stays == kept.end() || !stays->second.folded || FoldOf(trace, t.name())) continue;
    const auto& [rows, step, blocks] = *stays->second.folded;
    const auto planes = blocks > 0 ? std::optional(blocks) : std::nullopt;
    whole.push_back(schedule::FoldStorageStep{t.name(), RowsDim(t).value(), rows, step, planes});
  }
  return schedule::Schedule::Replay({region.output}, whole, target::Accelerator(config));
}

Result<StepRegion> ScheduleByPlan(const AccelRegion& region, const sched::AnalyzedRegion& analyzed,
                                  const sched::TilePlan& plan, const sched::OnChip& on_chip,
                                  const KeptActivations& kept, const isa::Config& config) {
  TESSERA_ASSIGN(schedule::Schedule schedule,
                 ScheduleOf(region, sched::StepsOf(analyzed, plan, config, on_chip), kept, config));
  schedule::Schedule all = schedule;
  const std::vector<schedule::Step> doubled = ApplyDoubleBuffers(&all);
  // Two copies of all buffers mostly fit; the first lowering is then the only one.
  Result<StepRegion> made = LowerScheduled(region, all, config);
  if (made || doubled.empty()) return made;
  for (const schedule::Step& step : FittingOf(region, schedule, doubled))
    TESSERA_TRY(schedule.Apply(step));
  return LowerScheduled(region, schedule, config);
}

Result<StepRegion> StoreKept(const AccelRegion& region, const KeptActivations& kept,
                             const isa::Config& config) {
  const te::Tensor& result = region.output;
  const te::Tensor source = te::Placeholder(result.name(), result.dtype(), result.shape());
  std::vector<std::string> axes;
  for (const ir::Axis& axis : result->axes) axes.push_back(axis.name());
  AccelRegion copy{.op = region.op, .result = region.result};
  copy.output = te::Compute(result.name() + ".stored", result.shape(), axes,
                            [&](const std::vector<ir::Expr>& i) { return source(i); });
  copy.activations[source.get()] = region.result;
  const auto layout = region.layouts.find(result.name());
  if (layout != region.layouts.end()) copy.layouts[copy.output.name()] = layout->second;
  const KeptActivations own{{result.name(), kept.at(result.name())}};
  const auto generate = [&]() -> Result<StepRegion> {
    TESSERA_ASSIGN(const sched::AnalyzedRegion analyzed,
                   sched::AnalyzeRegion(copy.output, {}, config));
    sched::OnChip on_chip{.follows = true};
    on_chip.fetched = {{source, own.at(result.name()).halo}};
    TESSERA_ASSIGN(const sched::TilePlan plan, sched::MakePlan(analyzed, config, on_chip));
    return ScheduleByPlan(copy, analyzed, plan, on_chip, own, config);
  };
  TESSERA_ASSIGN(StepRegion store, region.store_schedule
                                       ? ScheduleBySteps(copy, *region.store_schedule, own, config)
                                       : generate());
  for (RegionBuffer& buffer : store.lowered.buffers) buffer.role = RegionBuffer::Use::kResult;
  return store;
}

Result<StepRegion> ScheduleBySteps(const AccelRegion& region, const schedule::Trace& trace,
                                   const KeptActivations& kept, const isa::Config& config) {
  TESSERA_ASSIGN(const schedule::Schedule schedule, ScheduleOf(region, trace, kept, config));
  return LowerScheduled(region, schedule, config);
}

Result<schedule::Trace> StepsOf(const AccelRegion& region, const isa::Config& config) {
  const Analysis analyzed = AnalysisOf(region, config);
  if (!*analyzed) return std::unexpected(analyzed->error());
  TESSERA_ASSIGN(const sched::TilePlan plan, sched::MakePlan(**analyzed, config));
  return WithDoubleBuffers(region, sched::StepsOf(**analyzed, plan, config), {}, config);
}

}  // namespace tessera::lower::accel
