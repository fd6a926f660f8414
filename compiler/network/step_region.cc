// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/step_region.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/bits.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/usage.h"
#include "compiler/lower/accel/host_pack.h"
#include "compiler/lower/lower.h"
#include "compiler/network/program.h"
#include "compiler/schedule/params.h"
#include "compiler/target/accelerator.h"

namespace tessera::network {
namespace {

using lower::accel::GlobalBuffer;

// How |tensor|, which regions exchange, lies in device memory, as a step says it.
std::string LayoutOf(const te::Tensor& tensor, const isa::Config& config) {
  const sched::Packing packing = sched::PackingOf(sched::ToShape4(tensor.shape()), config);
  Layout layout = lower::accel::LayoutForRank(packing.layout, tensor.shape().size());
  std::erase_if(layout.dims, [](const LayoutDim& d) { return d.mod == 1; });
  std::string text = ir::LayoutText(layout);
  std::erase(text, ' ');
  return text;
}

// |given| with |layouts| of activations: where it gives them one, that one.
Result<schedule::Trace> WithLayouts(const schedule::Trace& given,
                                    std::map<std::string, std::string> layouts) {
  schedule::Trace trace;
  for (const schedule::Step& step : given) {
    trace.push_back(step);
    const auto* layout = std::get_if<schedule::LayoutStep>(&step);
    const auto of = layout != nullptr ? layouts.find(layout->tensor) : layouts.end();
    if (of == layouts.end()) continue;
    if (layout->pieces != of->second || layout->fill) {
      return Fail(Code::kInvalidArgument,
                  "schedule step {} ({}): between layers {} has the layout {}; cache_read or "
                  "cache_write makes a copy that may have another",
                  trace.size(), schedule::Print(step), layout->tensor, of->second);
    }
    layouts.erase(of);
  }
  for (const auto& [tensor, pieces] : layouts)
    trace.push_back(schedule::LayoutStep{tensor, pieces, std::nullopt});
  return trace;
}

}  // namespace

Result<StepRegion> ScheduleBySteps(const AccelRegion& region, const isa::Config& config) {
  std::map<std::string, te::Tensor> activations;
  std::map<std::string, std::vector<uint8_t>> values;
  std::map<std::string, std::string> layouts{
      {region.output.name(), LayoutOf(region.output, config)}};
  for (const te::Tensor& t : te::TopologicalOrder({region.output})) {
    if (!t->placeholder) continue;
    const auto constant = region.constants.find(t.get());
    if (constant != region.constants.end()) {
      values[t.name()] = constant->second;
    } else {
      activations.emplace(t.name(), t);
      layouts[t.name()] = LayoutOf(t, config);
    }
  }
  TESSERA_ASSIGN(schedule::Trace trace, WithLayouts(*region.schedule, std::move(layouts)));
  TESSERA_ASSIGN(const schedule::Schedule schedule,
                 schedule::Schedule::Replay({region.output}, trace, target::Accelerator(config)));
  TESSERA_TRY(schedule::Prepare(schedule, &values));
  StepRegion made{.trace = std::move(trace)};
  lower::accel::LoweredRegion& lowered = made.lowered;
  TESSERA_ASSIGN(lowered.func, lower::Lower(schedule, region.output.name(), {.guards = false}));
  lowered.body = lowered.func.body;
  for (const ir::Buffer& param : lowered.func.params) {
    const std::string& name = param->name;
    if (name == region.output.name()) {
      lowered.buffers.push_back({GlobalBuffer::Use::kResult, region.output, {}});
    } else if (const auto activation = activations.find(name); activation != activations.end()) {
      lowered.buffers.push_back({GlobalBuffer::Use::kActivation, activation->second, {}});
    } else {
      lowered.buffers.push_back(
          {GlobalBuffer::Use::kConstant,
           {},
           ir::PackLayout(*schedule::ParamBuffer(schedule, name), values.at(name))});
    }
  }
  made.inp_tiles =
      CeilDiv(ir::MostInUse(lowered.body, ir::Scope::kInp,
                            [](const ir::Buffer& buffer) { return ir::SizeInBytes(*buffer); }),
              config.TileBytes(isa::Memory::kInp));
  return made;
}

}  // namespace tessera::network
