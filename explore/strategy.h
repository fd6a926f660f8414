// SPDX-License-Identifier: Apache-2.0
//
// A strategy chooses the machines that a search looks at next, and in which stage. Depends on:
// explore/explored.h. Used by: explore/search.h, bench, tests. A strategy is a file in strategies/
// and a row of strategy.cc.
#ifndef TESSERA_EXPLORE_STRATEGY_H_
#define TESSERA_EXPLORE_STRATEGY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "explore/explored.h"

namespace tessera::explore {

// Machines of one batch. Fixed, so that the same seed finds the same machines on any computer.
inline constexpr size_t kPredictBatch = 128, kRunBatch = 8;

struct WantedMachines {
  Stage stage = Stage::kRun;
  std::vector<int64_t> machines;  // of Explored::fitting(), not yet known in |stage|
};

class MachineStrategy {
 public:
  virtual ~MachineStrategy() = default;
  // What to look at next. No machines: the strategy is at its end.
  virtual WantedMachines Next(const Explored& explored) = 0;
};

//   errors  kNotFound  no such name; the message lists the names
Result<std::unique_ptr<MachineStrategy>> MakeMachineStrategy(const std::string& name,
                                                             uint64_t seed);
std::string MachineStrategyNames();  // "halving, nsga2, ..."

// Everything is predicted, the better half of it again and again, and of that some machines run:
// strategies/halving.cc.
std::unique_ptr<MachineStrategy> MakeHalving(uint64_t seed);
std::unique_ptr<MachineStrategy> MakeNsga2(uint64_t seed);
std::unique_ptr<MachineStrategy> MakeBayesian(uint64_t seed);
std::unique_ptr<MachineStrategy> MakeRandomMachines(uint64_t seed);
std::unique_ptr<MachineStrategy> MakeGridOfMachines(uint64_t seed);

// At most |count| of |from|, drawn without repetition, without those known in |stage|.
std::vector<int64_t> DrawMachines(const Explored& explored, std::vector<int64_t> from, Stage stage,
                                  size_t count, Rng* rng);
// The fitting machines that differ from |machine| by one step of one key.
std::vector<int64_t> NeighboursOf(const Explored& explored, int64_t machine);

// The indices of at most |count| of |values|, each the one that adds most to the hypervolume of
// |front| and of those before it. Values that add nothing come last, best ranks first.
std::vector<size_t> MostGain(std::vector<Values> front, const std::vector<Values>& values,
                             const Values& reference, size_t count);

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_STRATEGY_H_
