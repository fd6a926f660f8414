// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/host_func.h"

#include <algorithm>
#include <set>

#include "compiler/cost/choice.h"
#include "compiler/driver/prepared.h"
#include "compiler/ir/layout.h"
#include "compiler/lower/lower.h"
#include "compiler/network/host_form.h"
#include "compiler/network/place.h"
#include "compiler/schedule/host.h"
#include "compiler/schedule/params.h"

namespace tessera::compiler {
namespace {

constexpr int64_t kLeastChannels = 4;  // with fewer, rows are longer than channels

// |given| with |layouts| for the activations of |bindings|: in place of its own layout steps, else
// at its end.
Result<schedule::Trace> WithLayouts(const schedule::Trace& given, const std::string& layer,
                                    const std::vector<te::Binding>& bindings,
                                    std::map<std::string, std::string> layouts) {
  schedule::Trace trace;
  for (const schedule::Step& step : given) {
    const auto* layout = std::get_if<schedule::LayoutStep>(&step);
    const auto of = std::ranges::find_if(bindings, [&](const te::Binding& b) {
      return layout && b.activation >= 0 && b.placeholder.name() == layout->tensor;
    });
    if (of == bindings.end()) {
      trace.push_back(step);
      continue;
    }
    const auto rank = static_cast<int>(of->placeholder.shape().size());
    const Result<Layout> said = ir::ParseLayout(layout->pieces, rank);
    // A layout with strides is that of a part in its place, which the plan decides.
    const bool between = said && (*said == ChannelsLast() || !said->strides.empty());
    if (!between || layout->fill) {
      const auto refused =
          Fail(Code::kInvalidArgument,
               "layer {}: its schedule gives {} the layout {}, but between layers tensors are "
               "row-major or 0,2,3,1; cache_read or cache_write makes a copy that may have one",
               layer, layout->tensor, layout->pieces);
      return schedule::AtStep(
          given, [&](const schedule::Step& other) { return &other == &step; }, refused.error());
    }
    // Plans give a tensor different layouts: this one's stands in place of the other's.
    if (const auto wanted = layouts.extract(layout->tensor))
      trace.push_back(schedule::LayoutStep{wanted.key(), wanted.mapped(), std::nullopt});
  }
  for (const auto& [tensor, pieces] : layouts)
    trace.push_back(schedule::LayoutStep{tensor, pieces, std::nullopt});
  return trace;
}

// Of any host, if |level| is null.
std::shared_ptr<const target::Target> TargetOf(const target::HostLevel* level) {
  return level == nullptr ? target::Host() : target::Host(*level);
}

// What the generator has to know for |region|, whose result is activation region.output_id.
schedule::HostOptions OptionsFor(const te::RegionTe& region, const HostLayouts& layouts,
                                 const target::HostLevel* level) {
  schedule::HostOptions wanted{.activations = te::ActivationNames(region),
                               .target = TargetOf(level)};
  const auto add = [&](const te::Tensor& tensor, int activation) {
    const auto it = layouts.find(activation);
    if (it == layouts.end()) return;
    std::string text = ir::LayoutText(it->second);
    std::erase(text, ' ');
    wanted.layouts[tensor.name()] = text;
  };
  for (const te::Binding& binding : region.bindings) add(binding.placeholder, binding.activation);
  add(region.output, region.output_id);
  return wanted;
}

// The generator's own schedule, or the one that |choice| finds among those it can make.
Result<schedule::Schedule> Generated(const te::Tensor& output, const schedule::HostOptions& wanted,
                                     const FloatChoice& choice) {
  schedule::HostOptions allowed = wanted;
  allowed.rounds = choice.floats == Floats::kFast;
  TESSERA_ASSIGN(const std::vector<schedule::Sketch> sketches,
                 schedule::HostSketches(output, allowed));
  if (sketches.size() == 1) return schedule::HostSchedule({output}, allowed);
  return cost::CheapestAlgorithm(sketches, wanted.target, {.bytes_between = choice.bytes_between});
}

}  // namespace

Layout ChannelsLast() { return {.dims = {{0, 1, 0}, {2, 1, 0}, {3, 1, 0}, {1, 1, 0}}}; }

std::vector<std::optional<schedule::NetworkTrace>> LayoutsOnHost(
    const graph::Graph& graph, const std::vector<graph::Region>& regions) {
  std::set<graph::TensorId> fixed(graph.inputs.begin(), graph.inputs.end());
  fixed.insert(graph.outputs.begin(), graph.outputs.end());
  for (const graph::Region& region : regions) {
    const std::optional<graph::TensorId> viewed = network::ViewedBy(graph, region);
    if (viewed) fixed.insert({*viewed, region.output});
  }
  std::vector<std::optional<schedule::NetworkTrace>> traces;
  for (const graph::Region& region : regions) {
    auto& trace = traces.emplace_back();
    const std::vector<int64_t>& shape = graph.tensor(region.output).shape;
    if (fixed.contains(region.output) || shape.size() != 4) continue;
    trace.emplace();
    if (shape[1] >= kLeastChannels && shape[2] * shape[3] > 1)
      trace->push_back(schedule::ChannelsLastStep());
  }
  return traces;
}

Result<HostFunc> MakeHostFunc(const te::RegionTe& given, const std::string& name,
                              const HostLayouts& layouts, const schedule::Trace* trace,
                              const target::HostLevel* level, const FloatChoice& choice) {
  const te::RegionTe region = network::ForHost(given, *TargetOf(level), trace);
  HostFunc host{.bindings = region.bindings};
  host.bindings.push_back({region.output, region.output_id, {}});
  lower::LowerOptions options;
  const schedule::HostOptions wanted = OptionsFor(region, layouts, level);
  std::optional<Result<schedule::Schedule>> schedule;
  if (trace != nullptr) {
    TESSERA_ASSIGN(const schedule::Trace laid,
                   WithLayouts(*trace, region.name, host.bindings, wanted.layouts));
    schedule = schedule::Schedule::Replay({region.output}, laid, wanted.target);
  } else {
    schedule = Generated(region.output, wanted, choice);
  }
  if (!*schedule) return Within("layer " + region.name, schedule->error());
  const schedule::Schedule& made = **schedule;
  if (const Status status = AddPrepared(made, &host.bindings); !status)
    return Within("layer " + region.name, status.error());
  for (const te::Binding& b : host.bindings) options.params.push_back(b.placeholder.name());
  Result<ir::Func> func = lower::Lower(made, name, options);
  if (!func) return Within("layer " + region.name, func.error());
  for (const std::string& tensor : options.params)
    host.buffers.push_back(schedule::ParamBuffer(made, tensor));
  host.func = std::move(*func);
  host.schedule = made.trace();
  host.rounding = schedule::RoundingOf(made);
  return host;
}

Result<std::vector<schedule::Sketch>> HostSketchesOf(const te::RegionTe& given,
                                                     const HostLayouts& layouts,
                                                     const target::HostLevel* level,
                                                     const schedule::Trace* own) {
  std::vector<schedule::Sketch> all;
  for (const te::RegionTe& region : network::HostForms(given, *TargetOf(level))) {
    auto made = schedule::HostSketches(region.output, OptionsFor(region, layouts, level));
    if (!made) return Within("layer " + region.name, made.error());
    for (schedule::Sketch& sketch : *made) {
      // Without such a sum, all forms have the same sketches.
      if (std::ranges::count(all, sketch.name, &schedule::Sketch::name) == 0)
        all.push_back(std::move(sketch));
    }
  }
  if (own != nullptr) {
    const auto first = std::ranges::find(all, *own, &schedule::Sketch::trace);
    TESSERA_CHECK(first != all.end(), "{}", schedule::Print(*own));
    std::rotate(all.begin(), first, first + 1);
  }
  return all;
}

}  // namespace tessera::compiler
