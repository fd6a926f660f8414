// SPDX-License-Identifier: Apache-2.0
//
// halving: successive halving over the stages. First machines are predicted: all that fit or, where
// those are many, a random sample. A model learns from those that ran how far the prediction was
// off, and corrects the others. The better half of what was predicted is kept, then the better half
// of that, and of each half the machines run that promise most. Where machines are many, the
// neighbours of the predicted front are predicted between the runs. In the end every machine runs
// that the corrected prediction, made lower by what it may be off, has on the front.
#include <algorithm>
#include <cmath>

#include "explore/gaussian.h"
#include "explore/strategy.h"

namespace tessera::explore {
namespace {

constexpr size_t kDrawnFirst = 256;   // machines of a large space that are drawn at first
constexpr size_t kPool = 2048;        // predicted at most
constexpr double kDoubt = 2;          // deviations by which a prediction is made lower
constexpr size_t kMostWeighed = 192;  // candidates whose gain is computed

class Halving : public MachineStrategy {
 public:
  explicit Halving(uint64_t seed) : rng_(seed) {}

  WantedMachines Next(const Explored& explored) override {
    if (predict_next_) {
      WantedMachines wanted{Stage::kPredict, ToPredict(explored)};
      predict_next_ = IsFirst(explored);
      if (!wanted.machines.empty()) return wanted;
    }
    WantedMachines wanted{Stage::kRun, ToRun(explored)};
    if (wanted.machines.empty()) return {Stage::kPredict, ToPredict(explored)};
    predict_next_ = explored.fitting().size() > kDrawnFirst;
    return wanted;
  }

 private:
  // A machine that has been predicted and not run.
  struct Candidate {
    int64_t machine = 0;
    Values likely, least;  // corrected; made lower
  };

  // Whether machines are to be predicted before any runs.
  static bool IsFirst(const Explored& explored) {
    const size_t known = explored.With(Stage::kPredict).size() + kPredictBatch;
    return known < std::min(kDrawnFirst, explored.fitting().size() + kPredictBatch);
  }

  std::vector<int64_t> ToPredict(const Explored& explored) {
    const size_t known = explored.With(Stage::kPredict).size();
    if (known >= kPool) return {};
    std::vector<int64_t> near;
    if (known >= kDrawnFirst) near = NearFront(explored);
    if (!near.empty()) return near;
    return DrawMachines(explored, explored.fitting(), Stage::kPredict, kPredictBatch, &rng_);
  }

  std::vector<int64_t> NearFront(const Explored& explored) {
    const std::vector<int64_t> known = explored.With(Stage::kPredict);
    std::vector<Values> values;
    for (const int64_t machine : known)
      values.push_back(explored.ValuesAt(machine, Stage::kPredict));
    std::vector<int64_t> near;
    for (const size_t f : FrontOf(values)) {
      const std::vector<int64_t> some = NeighboursOf(explored, known[f]);
      near.insert(near.end(), some.begin(), some.end());
    }
    std::ranges::sort(near);
    near.erase(std::unique(near.begin(), near.end()), near.end());
    return DrawMachines(explored, near, Stage::kPredict, kPredictBatch, &rng_);
  }

  // The logarithm of what machines took more than predicted, learned from those that ran.
  static std::optional<GaussianProcess> Correction(const Explored& explored) {
    std::vector<std::vector<double>> features;
    std::vector<double> off;
    for (const int64_t machine : explored.With(Stage::kRun)) {
      const MachineCost* predicted = explored.Of(machine).Answer(Stage::kPredict);
      if (predicted == nullptr) continue;
      features.push_back(explored.FeaturesOf(machine));
      off.push_back(
          std::log(explored.Of(machine).Answer(Stage::kRun)->total() / predicted->total()));
    }
    if (off.size() < 4) return std::nullopt;
    return GaussianProcess(features, off);
  }

  std::vector<Candidate> Candidates(const Explored& explored) const {
    const std::optional<GaussianProcess> correction = Correction(explored);
    std::vector<Candidate> candidates;
    for (const int64_t machine : explored.fitting()) {
      const KnownMachine& known = explored.Of(machine);
      if (known.Answer(Stage::kPredict) == nullptr || explored.Knows(machine, Stage::kRun))
        continue;
      const Guess off = correction ? correction->At(explored.FeaturesOf(machine)) : Guess{0, 0.15};
      const auto at = [&](double log_factor) {
        MachineCost cost = *known.predicted;
        for (NetworkCost& network : cost.networks) {
          for (double* seconds :
               {&network.accelerator, &network.host, &network.start, &network.carry})
            *seconds *= std::exp(log_factor);
        }
        return ValuesOf(explored.goals(), known.area, cost);
      };
      candidates.push_back({machine, at(off.mean), at(off.mean - kDoubt * off.deviation)});
    }
    return candidates;
  }

  std::vector<int64_t> ToRun(const Explored& explored) {
    std::vector<Candidate> candidates = Candidates(explored);
    std::vector<Values> front;
    for (const int64_t machine : explored.Front())
      front.push_back(explored.ValuesAt(machine, Stage::kRun));
    if (kept_ == 0) kept_ = candidates.size();
    kept_ = std::max<size_t>(kept_ / 2, 1);
    size_t kept = kept_;
    if (kept < kRunBatch) {  // the last rounds: whatever may be on the front
      std::erase_if(candidates, [&](const Candidate& c) {
        return std::ranges::any_of(
            front, [&](const Values& f) { return f == c.least || Dominates(f, c.least); });
      });
      kept = candidates.size();
    }
    KeepBest(kept, &candidates);
    std::vector<Values> likely;
    for (const Candidate& c : candidates) likely.push_back(c.likely);
    std::vector<int64_t> chosen;
    for (const size_t c : Weigh(explored, front, likely)) chosen.push_back(candidates[c].machine);
    return chosen;
  }

  // The |count| best by the ranks of their likely values, in that order.
  static void KeepBest(size_t count, std::vector<Candidate>* candidates) {
    std::vector<Values> likely;
    for (const Candidate& c : *candidates) likely.push_back(c.likely);
    const std::vector<size_t> ranks = RanksOf(likely);
    std::vector<size_t> order(ranks.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::stable_sort(order, {}, [&](size_t k) { return ranks[k]; });
    order.resize(std::min(order.size(), count));
    std::vector<Candidate> best;
    for (const size_t k : order) best.push_back((*candidates)[k]);
    *candidates = std::move(best);
  }

  // The machines of a batch: those that add most to |front|.
  static std::vector<size_t> Weigh(const Explored& explored, const std::vector<Values>& front,
                                   std::vector<Values> likely) {
    const Values reference = ReferenceFor(explored, likely);
    if (likely.size() > kMostWeighed) likely.resize(kMostWeighed);
    return MostGain(front, likely, reference, kRunBatch);
  }

  static Values ReferenceFor(const Explored& explored, const std::vector<Values>& likely) {
    if (Values reference = explored.Reference(); !reference.empty()) return reference;
    Values most(explored.goals().size(), 0);
    for (const Values& values : likely) {
      for (size_t k = 0; k < most.size(); ++k) most[k] = std::max(most[k], 1.1 * values[k]);
    }
    return most;
  }

  Rng rng_;
  bool predict_next_ = true;
  size_t kept_ = 0;  // of the candidates; 0: none were taken yet
};

}  // namespace

std::unique_ptr<MachineStrategy> MakeHalving(uint64_t seed) {
  return std::make_unique<Halving>(seed);
}

}  // namespace tessera::explore
