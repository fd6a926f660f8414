// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/layers.h"

#include <set>
#include <string>

namespace tessera::network {

lower::accel::AccelRegion BindRegion(const te::RegionTe& region) {
  lower::accel::AccelRegion bound{
      .op = region.name, .output = region.output, .result = region.output_id};
  for (const te::Binding& b : region.bindings) {
    if (b.activation >= 0) {
      bound.activations[b.placeholder.get()] = b.activation;
    } else {
      bound.constants[b.placeholder.get()] = b.constant;
    }
  }
  return bound;
}

const te::RegionTe& Layers::Te(const graph::Region& layer) const {
  std::optional<te::RegionTe>& te = Of(layer).te;
  if (!te) te = te::BuildRegion(graph_, layer);
  return *te;
}

const lower::accel::Analysis& Layers::Analyzed(const graph::Region& layer) const {
  lower::accel::Analysis& analysis = Of(layer).analysis;
  if (!analysis) {
    const te::RegionTe& te = Te(layer);
    sched::ConstantSet constants;
    for (const te::Binding& b : te.bindings) {
      if (b.activation < 0) constants.insert(b.placeholder.get());
    }
    analysis = std::make_shared<lower::accel::Analysis::element_type>(
        sched::AnalyzeRegion(te.output, constants, config_));
  }
  return analysis;
}

lower::accel::AccelRegion Layers::Bound(const graph::Region& layer) const {
  lower::accel::AccelRegion bound = BindRegion(Te(layer));
  bound.analysis = Analyzed(layer);
  return bound;
}

const sched::Acceptance& Layers::Check(const graph::Region& layer) const {
  std::optional<sched::Acceptance>& check = Of(layer).check;
  if (!check) check = lower::accel::CheckRegion(Analyzed(layer), config_);
  return *check;
}

std::vector<graph::TensorId> Layers::PackedByHost(const graph::Region& layer,
                                                  const schedule::Trace* trace) const {
  std::set<std::string> packed;
  if (trace == nullptr) {
    const lower::accel::Analysis& analysis = Analyzed(layer);
    if (!*analysis) return {};
    for (const te::Tensor& t : (*analysis)->anchor.Packed()) packed.insert(t.name());
  } else {
    std::map<std::string, std::string> read;  // by stages: what they are elements of
    for (const schedule::Step& step : *trace) {
      if (const auto* reindex = std::get_if<schedule::ReindexStep>(&step))
        read[reindex->name] = reindex->tensor;
      if (const auto* spread = std::get_if<schedule::SpreadStep>(&step))
        read[spread->name] = spread->tensor;
      if (const auto* prepare = std::get_if<schedule::PrepareStep>(&step))
        packed.insert(read[prepare->stage]);
    }
  }
  std::vector<graph::TensorId> ids;
  for (const te::Binding& b : Te(layer).bindings) {
    if (b.activation >= 0 && packed.contains(b.placeholder.name())) ids.push_back(b.activation);
  }
  return ids;
}

}  // namespace tessera::network
