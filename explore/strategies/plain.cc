// SPDX-License-Identifier: Apache-2.0
//
// random: machines that fit, in any order. grid: in the order of their numbers.
#include "explore/strategy.h"

namespace tessera::explore {
namespace {

class RandomMachines : public MachineStrategy {
 public:
  explicit RandomMachines(uint64_t seed) : rng_(seed) {}
  WantedMachines Next(const Explored& explored) override {
    return {Stage::kRun, DrawMachines(explored, explored.fitting(), Stage::kRun, kRunBatch, &rng_)};
  }

 private:
  Rng rng_;
};

class GridOfMachines : public MachineStrategy {
 public:
  WantedMachines Next(const Explored& explored) override {
    WantedMachines wanted;
    for (; at_ < explored.fitting().size() && wanted.machines.size() < kRunBatch; ++at_) {
      const int64_t machine = explored.fitting()[at_];
      if (!explored.Knows(machine, Stage::kRun)) wanted.machines.push_back(machine);
    }
    return wanted;
  }

 private:
  size_t at_ = 0;
};

}  // namespace

std::unique_ptr<MachineStrategy> MakeRandomMachines(uint64_t seed) {
  return std::make_unique<RandomMachines>(seed);
}
std::unique_ptr<MachineStrategy> MakeGridOfMachines(uint64_t) {
  return std::make_unique<GridOfMachines>();
}

}  // namespace tessera::explore
