// SPDX-License-Identifier: Apache-2.0
//
// The layers of a graph. Each layer is turned into tensor expressions, analysed, planned and costed
// once, although placement, fusion and the plans of all devices ask for it. Depends on:
// compiler/region, compiler/cost, network/program.h. Used by: network/place.h, compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_LAYERS_H_
#define TESSERA_COMPILER_NETWORK_LAYERS_H_

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/graph/fuse.h"
#include "compiler/graph/graph.h"
#include "compiler/network/program.h"
#include "compiler/region/region.h"
#include "compiler/schedule/step.h"
#include "isa/config.h"

namespace tessera::network {

// Seconds of a layer on the accelerator: with all its activations in device memory, and with none
// there, because the layers around it leave them on chip. In between is a share of the difference
// for each activation in memory, by its bytes.
struct AcceleratorTime {
  double from_memory = 0, on_chip = 0;
};

// A layer whose input the host packs with the taps of its window as channels (WithTaps).
struct TapsOnHost {
  graph::TensorId input = -1;
  double bytes = 0;  // that the host packs
  AcceleratorTime time;
};

// |region| in the form that the accelerator's compiler takes, without an analysis. Activations keep
// the numbers of the graph's tensors.
lower::accel::AccelRegion BindRegion(const te::RegionTe& region);

// A layer is a region of the graph, identified by its nodes. References stay valid as long as the
// Layers.
class Layers {
 public:
  // |graph| has been through quantize::AttachRequant and stays unchanged afterwards.
  Layers(const graph::Graph& graph, const isa::Config& config) : graph_(graph), config_(config) {}

  const graph::Graph& graph() const { return graph_; }
  const isa::Config& config() const { return config_; }

  const te::RegionTe& Te(const graph::Region& layer) const;
  const lower::accel::Analysis& Analyzed(const graph::Region& layer) const;
  // |layer| in the form that the accelerator's compiler takes, with its analysis.
  lower::accel::AccelRegion Bound(const graph::Region& layer) const;
  // Whether the accelerator runs |layer|: its plan (CheckRegion).
  const sched::Accepted<sched::TilePlan>& Check(const graph::Region& layer) const;
  // Seconds of one run of |layer| by the schedule that its generator makes; nothing: it has none,
  // or no estimate. On the processor beside the accelerator (isa::Config::cpu): on all its cores,
  // with row-major activations. On the accelerator: by the plan of Check, after another layer
  // (cost::CostOptions::follows).
  std::optional<double> HostSeconds(const graph::Region& layer) const;
  // On the GPU beside the host (isa::Config::gpu), with the launches of its kernels; nothing, too,
  // if there is none.
  std::optional<double> GpuSeconds(const graph::Region& layer) const;
  std::optional<AcceleratorTime> AcceleratorSeconds(const graph::Region& layer) const;
  // |layer| on the accelerator, if the host makes its input; nothing: the host packs no taps.
  std::optional<TapsOnHost> TapsOf(const graph::Region& layer) const;
  // The activations of |layer| that the host packs in a layout other than the one that layers
  // exchange: operands of a product of two activations or, if the user gives schedule |trace|, the
  // activations that it prepares.
  std::vector<graph::TensorId> PackedByHost(const graph::Region& layer,
                                            const schedule::Trace* trace = nullptr) const;

 private:
  struct Layer {
    std::optional<te::RegionTe> te;
    lower::accel::Analysis analysis;
    std::optional<sched::Accepted<sched::TilePlan>> check;
    // Of the outer optional: whether it was computed.
    std::optional<std::optional<double>> host, gpu;
    std::optional<std::optional<AcceleratorTime>> accelerator;
    std::optional<std::optional<TapsOnHost>> taps;
  };
  std::optional<AcceleratorTime> TimeBy(const graph::Region& layer,
                                        const sched::AnalyzedRegion& analyzed,
                                        const sched::TilePlan& plan) const;
  Layer& Of(const graph::Region& layer) const { return layers_[layer.nodes]; }

  const graph::Graph& graph_;
  const isa::Config config_;
  mutable std::shared_ptr<const target::Target> cpu_, gpu_;  // of config_; made when asked for
  mutable std::map<std::vector<size_t>, Layer> layers_;
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_LAYERS_H_
