// SPDX-License-Identifier: Apache-2.0
//
// A network on the devices that run it, with what each layer costs there, before anything is
// compiled. Depends on: compiler/network, compiler/quantize. Used by: explore, tools.
#ifndef TESSERA_COMPILER_DRIVER_PLACEMENT_H_
#define TESSERA_COMPILER_DRIVER_PLACEMENT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/driver/compile.h"
#include "compiler/network/place_table.h"

namespace tessera::compiler {

struct PlacedLayer {
  std::string name, op;  // of its nodes, "conv1+relu", "conv + rescale"
  int64_t macs = 0;      // of one inference
  bool shared = false;   // a part of a layer that both devices make, or what joins the parts
  network::LayerCost cost;
  uint64_t key = 0;  // of its structure (network::Layers::KeyOf)
};

struct PlacedNetwork {
  std::vector<PlacedLayer> layers;       // in running order
  network::Pins shared;                  // the layers that both devices make
  network::NetworkTimes times, on_host;  // as placed; with all layers on the host
  artifact::Coverage coverage;
  // Cycles of the accelerator's programs on device `cycle`, if they were asked for. |times| has
  // each layer by itself, with its tensors in device memory; here results stay on chip.
  std::optional<uint64_t> cycles;

  network::Pins Pins() const;  // the placement, to be edited
};

// Places |graph|, which an importer made, as Compile does with |options|. |done| hears how many of
// so many layers have their costs. |exact|: the accelerator's programs are made, and run on device
// `cycle` without data.
//   errors  those of the quantisation rules, CheckPins; with |exact| those of Compile, Evaluate
Result<PlacedNetwork> PlaceNetwork(graph::Graph graph, const CompileOptions& options, bool exact,
                                   const std::function<void(int64_t done, int64_t all)>& done);

// The times of PlaceNetwork alone, which takes a part of the time: nothing is asked about other
// placements.
//   errors  those of the quantisation rules, CheckPins
Result<network::NetworkTimes> ForecastTimes(graph::Graph graph, const CompileOptions& options);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_PLACEMENT_H_
