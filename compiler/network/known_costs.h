// SPDX-License-Identifier: Apache-2.0
//
// What layers of one structure cost on one machine. Layers of a network, and of the graphs that a
// search makes of it, repeat; each structure is planned and costed once, if it was not measured.
// Depends on: compiler/region, compiler/schedule/accel, network/layer_times.h. Used by:
// network/layers.h.
#ifndef TESSERA_COMPILER_NETWORK_KNOWN_COSTS_H_
#define TESSERA_COMPILER_NETWORK_KNOWN_COSTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/graph/graph.h"
#include "compiler/network/layer_times.h"
#include "compiler/region/float_scale.h"
#include "compiler/region/region.h"
#include "compiler/schedule/accel/plan.h"

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

// Of all layers of one structure. Of an outer optional: whether it was computed.
struct StructureCosts {
  std::optional<schedule::accel::TilePlan> plan;  // if the accelerator's compiler accepts them
  std::optional<std::optional<AcceleratorTime>> accelerator;
  std::optional<std::optional<TapsOnHost>> taps;   // without the input
  std::optional<std::optional<double>> host, gpu;  // seconds; on the host of layers as they are
  uint64_t key = 0;  // the same for one structure in every process of a version
};

class KnownCosts {
 public:
  // |measured|: used instead of estimates; null: none are.
  explicit KnownCosts(std::shared_ptr<const LayerTimes> measured = nullptr)
      : measured_(std::move(measured)) {}

  // References stay valid.
  StructureCosts& Of(const te::RegionTe& layer);
  te::FloatScales& scales() { return scales_; }
  const LayerTimes* measured() const { return measured_.get(); }

 private:
  std::unordered_map<std::string, StructureCosts> costs_;  // by te::StructureOf
  te::FloatScales scales_;
  const std::shared_ptr<const LayerTimes> measured_;
};

}  // namespace tessera::network

#endif  // TESSERA_COMPILER_NETWORK_KNOWN_COSTS_H_
