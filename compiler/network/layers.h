// SPDX-License-Identifier: Apache-2.0
//
// The layers of a graph. Each layer is turned into tensor expressions and analysed once, and each
// structure of layers planned and costed once, although placement, fusion and the plans of all
// devices ask for it. Depends on: compiler/region, compiler/cost, network/program.h,
// network/known_costs.h. Used by: network/place.h, compiler/driver.
#ifndef TESSERA_COMPILER_NETWORK_LAYERS_H_
#define TESSERA_COMPILER_NETWORK_LAYERS_H_

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/graph/fuse.h"
#include "compiler/graph/graph.h"
#include "compiler/network/known_costs.h"
#include "compiler/network/program.h"
#include "compiler/region/region.h"
#include "compiler/schedule/step.h"
#include "isa/config.h"

namespace tessera::network {

// |region| in the form that the accelerator's compiler takes, without an analysis. Activations keep
// the numbers of the graph's tensors.
lower::accel::AccelRegion BindRegion(const te::RegionTe& region);

// The GPU of |config|; kOpenCl if it has none.
uint32_t GpuOf(const isa::Config& config);

// A layer is a region of the graph, identified by its nodes. References stay valid as long as the
// Layers.
class Layers {
 public:
  // |graph| has been through quantize::AttachRequant and stays unchanged afterwards.
  // |measured|: what layers took in runs; null: nothing is known.
  Layers(const graph::Graph& graph, const isa::Config& config,
         std::shared_ptr<const LayerTimes> measured = nullptr)
      : graph_(graph), config_(config), costs_(std::make_shared<KnownCosts>(std::move(measured))) {}
  // On the machine of |other|, with the costs that are known there.
  Layers(const graph::Graph& graph, const Layers& other)
      : graph_(graph), config_(other.config_), costs_(other.costs_) {}

  const graph::Graph& graph() const { return graph_; }
  const isa::Config& config() const { return config_; }

  const te::RegionTe& Te(const graph::Region& layer) const;
  const lower::accel::Analysis& Analyzed(const graph::Region& layer) const;
  // |layer| in the form that the accelerator's compiler takes, with its analysis.
  lower::accel::AccelRegion Bound(const graph::Region& layer) const;
  // Whether the accelerator runs |layer|: its plan (CheckRegion).
  const sched::Accepted<sched::TilePlan>& Check(const graph::Region& layer) const;
  // The key of |layer|'s structure among measured times.
  uint64_t KeyOf(const graph::Region& layer) const { return CostsOf(layer).key; }
  // Seconds of one run of |layer|, on the host and GPUs as measured, if it was. Else by the
  // schedule that its generator makes; nothing: it has none, or no estimate. On the processor
  // beside the accelerator (isa::Config::cpu): on all its cores, with row-major activations. On the
  // accelerator: by the plan of Check, after another layer (cost::CostOptions::follows).
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
    // Of its structure, and of that of its form for the host; null: not asked for yet.
    StructureCosts *costs = nullptr, *on_host = nullptr;
  };
  StructureCosts& CostsOf(const graph::Region& layer) const;
  // What runs on |device| took; nothing: it was not measured.
  std::optional<double> Measured(uint32_t device, const graph::Region& layer) const;
  std::optional<AcceleratorTime> TimeBy(const graph::Region& layer,
                                        const sched::AnalyzedRegion& analyzed,
                                        const sched::TilePlan& plan) const;
  // TapsOf without the input. |own|: the analysis of |layer|.
  std::optional<TapsOnHost> PackedTaps(const graph::Region& layer,
                                       const sched::AnalyzedRegion& own) const;
  Layer& Of(const graph::Region& layer) const { return layers_[layer.nodes]; }

  const graph::Graph& graph_;
  const isa::Config config_;
  const std::shared_ptr<KnownCosts> costs_;
  mutable std::shared_ptr<const target::Target> cpu_, gpu_;  // of config_; made when asked for
  mutable std::map<std::vector<size_t>, Layer> layers_;
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_LAYERS_H_
