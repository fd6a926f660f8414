// SPDX-License-Identifier: Apache-2.0
//
// Numbers that describe a point of a space to a learning model. They do not depend on names.
// Depends on: space.h, compiler/cost. Used by: cost models.
#ifndef TESSERA_COMPILER_TUNE_FEATURES_H_
#define TESSERA_COMPILER_TUNE_FEATURES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/tune/layer_space.h"
#include "compiler/tune/loop_tree.h"
#include "isa/config.h"

namespace tessera::tune {

struct Features {
  // Estimated (cost::CostOnTarget); 1: the space has no estimate.
  double cycles = 1;
  // For each knob of the space: log2(value + 1), and its place in its domain, 0 to 1. The rest is
  // for layers alone. Of the accelerator: for each unit of the machine and for the bus, log2 of the
  // cycles that it works, and its share of all cycles; log2 of bytes read, bytes written and
  // cycles. Of a processor: log2 of cycles, iterations, instructions by kind, and bytes read and
  // written behind each cache. For INP, WGT and ACC, or for local memory and registers of the host:
  // log2 of the elements of their buffers. For the first kFeatureLoops loops of the stage with the
  // most iterations: log2 of them. Then what the estimate has once more, minus the given point's.
  std::vector<float> values;
  LoopTree tree;         // of a layer, for models that walk the loops; otherwise empty
  size_t knobs = 0;      // how many of |values| are about knobs: they come first
  size_t estimates = 0;  // ... and behind them about the estimate
  // The values that mean the same for every layer of the target. A network's space has none.
  std::span<const float> common() const { return std::span(values).subspan(knobs); }
};
inline constexpr size_t kFeatureLoops = 12;

// What Features::common has for layers of |target|, a name for each value.
std::vector<std::string> CommonFeatures(const target::Target& target);
// Changes whenever CommonFeatures does, or how a value is computed. Saved models have it.
uint64_t CommonFeaturesHash(const target::Target& target);

// The features of a space's points, each computed once. It is used by one thread at a time.
class FeatureTable {
 public:
  // |trees|: the features have Features::tree.
  FeatureTable(Space* space, const isa::Config& config, bool follows, bool trees = false)
      : space_(space),
        layer_(dynamic_cast<LayerSpace*>(space)),
        config_(config),
        follows_(follows),
        trees_(trees) {
    if (layer_ != nullptr) layer_->KeepSchedules();
  }
  // Null: the point has no schedule, or its schedule no cost.
  const Features* Of(const Point& point);
  // The layer's space; null: the space is not of a layer.
  const LayerSpace* layer() const { return layer_; }

 private:
  std::optional<Features> Compute(const Point& point);
  // False: the point has no schedule, or its schedule no cost.
  bool AddSchedule(const Point& point, Features* made);
  // Adds what the compiler's estimate of |schedule| has. False: the schedule has no cost.
  bool AddEstimate(const schedule::Schedule& schedule, Features* made) const;

  Space* space_;
  LayerSpace* layer_;  // |space_|; null: it is not of a layer
  isa::Config config_;
  bool follows_, trees_;
  std::unordered_map<uint64_t, std::optional<Features>> known_;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_FEATURES_H_
