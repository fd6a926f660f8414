// SPDX-License-Identifier: Apache-2.0
//
// bayesian: a Gaussian process learns the time from the machines that ran; their area is known. Of
// some random machines and the neighbours of the front those run that would add most to the front
// if they were as fast as the process thinks possible: one deviation faster than it expects.
#include <algorithm>
#include <cmath>

#include "explore/gaussian.h"
#include "explore/strategy.h"

namespace tessera::explore {
namespace {

constexpr size_t kFirst = 16;   // random machines before it learns
constexpr size_t kDrawn = 384;  // candidates of a batch, beside the neighbours of the front
constexpr double kHope = 1;     // deviations

class Bayesian : public MachineStrategy {
 public:
  explicit Bayesian(uint64_t seed) : rng_(seed) {}

  WantedMachines Next(const Explored& explored) override {
    const std::vector<int64_t> ran = explored.With(Stage::kRun);
    if (ran.size() < kFirst) {
      return {Stage::kRun,
              DrawMachines(explored, explored.fitting(), Stage::kRun, kRunBatch, &rng_)};
    }
    std::vector<std::vector<double>> features;
    std::vector<double> seconds, accelerator;
    for (const int64_t machine : ran) {
      features.push_back(explored.FeaturesOf(machine));
      const MachineCost& cost = *explored.Of(machine).Answer(Stage::kRun);
      seconds.push_back(std::log(cost.total()));
      double some = 0;
      for (const NetworkCost& network : cost.networks) some += network.accelerator;
      accelerator.push_back(some / cost.total());
    }
    const GaussianProcess process(features, seconds);
    std::ranges::sort(accelerator);
    const double share = accelerator[accelerator.size() / 2];
    const std::vector<int64_t> drawn = Drawn(explored);
    std::vector<Values> hoped, front;
    for (const int64_t machine : drawn) {
      const Guess guess = process.At(explored.FeaturesOf(machine));
      const double total = std::exp(guess.mean - kHope * guess.deviation);
      const MachineCost cost{
          .networks = {{.accelerator = share * total, .host = (1 - share) * total}}};
      hoped.push_back(ValuesOf(explored.goals(), explored.Of(machine).area, cost));
    }
    for (const int64_t machine : explored.Front())
      front.push_back(explored.ValuesAt(machine, Stage::kRun));
    WantedMachines wanted;
    for (const size_t k : MostGain(front, hoped, explored.Reference(), kRunBatch))
      wanted.machines.push_back(drawn[k]);
    return wanted;
  }

 private:
  std::vector<int64_t> Drawn(const Explored& explored) {
    std::vector<int64_t> drawn =
        DrawMachines(explored, explored.fitting(), Stage::kRun, kDrawn, &rng_);
    for (const int64_t machine : explored.Front()) {
      for (const int64_t near : NeighboursOf(explored, machine)) {
        if (!explored.Knows(near, Stage::kRun)) drawn.push_back(near);
      }
    }
    std::ranges::sort(drawn);
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
    return drawn;
  }

  Rng rng_;
};

}  // namespace

std::unique_ptr<MachineStrategy> MakeBayesian(uint64_t seed) {
  return std::make_unique<Bayesian>(seed);
}

}  // namespace tessera::explore
