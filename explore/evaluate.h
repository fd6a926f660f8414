// SPDX-License-Identifier: Apache-2.0
//
// What networks cost on a machine, by estimate and by a run. Depends on: compiler/driver,
// explore/machine.h. Used by: explore/search.h, tools.
#ifndef TESSERA_EXPLORE_EVALUATE_H_
#define TESSERA_EXPLORE_EVALUATE_H_

#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/graph.h"
#include "explore/machine.h"
#include "isa/config.h"
#include "runtime/device.h"

namespace tessera::explore {

struct ExploredNetwork {
  std::string name;    // of its file
  uint64_t crc = 0;    // of its file
  graph::Graph graph;  // as imported
};

// The compiler's estimate of |network| on the machine of |config|, at the configuration's clock.
// Makes no programs.
//   errors  those of compiler::ForecastTimes
Result<NetworkCost> PredictNetwork(const ExploredNetwork& network, const isa::Config& config);

// The same with the exact cycles of the accelerator's programs, whose schedules the generators
// make.
//   errors  those of compiler::Compile and sim::CountCycles
Result<NetworkCost> RunNetwork(const ExploredNetwork& network, const isa::Config& config);

// The accelerator's part of a cost: a run of one program.
NetworkCost CostOfRun(const RunReport& ran, const isa::Config& config);

// |stage| of all |networks| on |config|. An error becomes MachineCost::cause.
MachineCost CostOf(const std::vector<ExploredNetwork>& networks, const isa::Config& config,
                   Stage stage);

// |cost| as one line, and back.
std::string PrintCost(const MachineCost& cost);
//   errors  kDataLoss  |text| is no such line
Result<MachineCost> ParseCost(const std::string& text);

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_EVALUATE_H_
