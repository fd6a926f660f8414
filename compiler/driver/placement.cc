// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/placement.h"

#include "base/text.h"
#include "compiler/driver/build.h"
#include "compiler/driver/coverage.h"
#include "compiler/driver/evaluate.h"
#include "compiler/network/place_cost.h"
#include "compiler/network/share_layers.h"

namespace tessera::compiler {

network::Pins PlacedNetwork::Pins() const {
  network::Pins pins = shared;
  for (const PlacedLayer& layer : layers) {
    if (!layer.shared) pins.push_back({Legible(layer.name), layer.cost.device});
  }
  return pins;
}

namespace {

Result<uint64_t> CyclesOf(graph::Graph graph, CompileOptions options) {
  options.cpu = false;
  options.layers_only = true;
  TESSERA_ASSIGN(const Compiled compiled, Compile(std::move(graph), "", 0, options));
  uint64_t cycles = 0;
  for (const PlannedProgram& program : compiled.programs) {
    TESSERA_ASSIGN(const RunReport ran, Evaluate(program, options.config));
    cycles += ran.cycles;
  }
  return cycles;
}

}  // namespace

Result<PlacedNetwork> PlaceNetwork(graph::Graph graph, const CompileOptions& options, bool exact,
                                   const std::function<void(int64_t done, int64_t all)>& done) {
  std::optional<uint64_t> cycles;
  if (exact) {
    TESSERA_ASSIGN(cycles, CyclesOf(graph, options));
  }
  FusedNetwork fused;
  TESSERA_TRY(PlaceAndFuse(std::move(graph), options, {}, &fused));
  const network::PlacedFuse fuse = [&](const network::Devices& on) {
    return network::FuseOn(*fused.layers, on, options.fuse);
  };
  const network::PlacementCosts costs =
      network::CostsOf(*fused.layers, fused.places, fused.regions, fuse,
                       [&](int64_t count) { done(count, std::ssize(fused.regions)); });
  const std::vector<bool> in_shared = network::SharedNodes(fused.graph);
  PlacedNetwork placed{.layers = {},
                       .shared = fused.shared,
                       .times = costs.times,
                       .on_host = costs.on_host,
                       .coverage = CoverageOf(fused.graph, fused.places),
                       .cycles = cycles};
  for (size_t r = 0; r < fused.regions.size(); ++r) {
    placed.layers.push_back({fused.regions[r].name, OperatorsOf(fused.graph, fused.regions[r]),
                             fused.Te(r).macs, in_shared[fused.regions[r].nodes[0]],
                             costs.layers[r], fused.layers->KeyOf(fused.regions[r])});
  }
  return placed;
}

Result<network::NetworkTimes> ForecastTimes(graph::Graph graph, const CompileOptions& options) {
  FusedNetwork fused;
  TESSERA_TRY(PlaceAndFuse(std::move(graph), options, {}, &fused));
  const network::PlaceCosts costs(*fused.layers, [&](const network::Devices& on) {
    return network::FuseOn(*fused.layers, on, options.fuse);
  });
  return costs.Times(network::DevicesOf(fused.places));
}

}  // namespace tessera::compiler
