// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/tree_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace tessera::tune {
namespace {

// Adam's constants, the usual ones but for the rate: a search has few steps.
constexpr double kRate = 0.02, kMeanDecay = 0.9, kSquareDecay = 0.999, kEpsilon = 1e-8;

using Loops = std::vector<LoopNode>;

// The different stages of some trees, so that each is walked once: the points of a space share
// most of their stages. |of_tree|: the stages of each tree.
struct DifferentStages {
  std::vector<const Loops*> loops;
  std::vector<std::vector<size_t>> of_tree;

  explicit DifferentStages(std::span<const LoopTree* const> trees) {
    std::map<Loops, size_t> known;
    for (const LoopTree* tree : trees) {
      std::vector<size_t>& stages = of_tree.emplace_back();
      for (const Loops& stage : *tree) {
        const auto [at, fresh] = known.try_emplace(stage, loops.size());
        if (fresh) loops.push_back(&stage);
        stages.push_back(at->second);
      }
    }
  }
};

template <typename Real>
struct Walker {
  using Network = TreeNetwork<Real>;
  static constexpr size_t kState = Network::kState, kGate = Network::kGate;
  using State = std::array<Real, kState>;

  // One step of the unit: what went in and the gates.
  struct Step {
    State before, update, reset, candidate;
  };

  const Real* weights;

  // Adds a gate's weights for |loop| and |state| to the bias.
  State Sum(size_t gate, const LoopNode& loop, const State& state) const {
    const Real* column = weights + gate * kGate;
    State sum;
    for (size_t r = 0; r < kState; ++r) sum[r] = column[(Network::kColumns - 1) * kState + r];
    for (size_t k = 0; k < kLoopNumbers; ++k, column += kState) {
      const Real x = static_cast<Real>(loop[k]);
      for (size_t r = 0; r < kState; ++r) sum[r] += x * column[r];
    }
    for (size_t k = 0; k < kState; ++k, column += kState) {
      for (size_t r = 0; r < kState; ++r) sum[r] += state[k] * column[r];
    }
    return sum;
  }

  static void Sigmoid(State* values) {
    for (Real& v : *values) v = 1 / (1 + std::exp(-v));
  }

  // The state after |loops|. Keeps the steps in |steps|, if that is not null.
  State Forward(const Loops& loops, std::vector<Step>* steps) const {
    State state{};
    for (const LoopNode& loop : loops) {
      Step step{state, Sum(0, loop, state), Sum(1, loop, state), {}};
      Sigmoid(&step.update);
      Sigmoid(&step.reset);
      State kept;
      for (size_t r = 0; r < kState; ++r) kept[r] = step.reset[r] * state[r];
      step.candidate = Sum(2, loop, kept);
      for (size_t r = 0; r < kState; ++r) {
        step.candidate[r] = std::tanh(step.candidate[r]);
        state[r] += step.update[r] * (step.candidate[r] - state[r]);
      }
      if (steps != nullptr) steps->push_back(step);
    }
    return state;
  }

  // Adds the derivatives of gate |gate|, whose sums have derivatives |down|, to |gradient|, and
  // those of its state to |to|.
  void Backward(size_t gate, const LoopNode& loop, const State& state, const State& down,
                Real* gradient, State* to) const {
    const Real* column = weights + gate * kGate;
    Real* made = gradient + gate * kGate;
    for (size_t k = 0; k < kLoopNumbers; ++k, made += kState) {
      const Real x = static_cast<Real>(loop[k]);
      for (size_t r = 0; r < kState; ++r) made[r] += x * down[r];
    }
    column += kLoopNumbers * kState;
    for (size_t k = 0; k < kState; ++k, made += kState, column += kState) {
      Real sum = 0;
      for (size_t r = 0; r < kState; ++r) {
        made[r] += state[k] * down[r];
        sum += column[r] * down[r];
      }
      (*to)[k] += sum;
    }
    for (size_t r = 0; r < kState; ++r) made[r] += down[r];
  }

  // Adds the derivatives of |loops| to |gradient|; |down| is that of the last state.
  void Backward(const Loops& loops, const std::vector<Step>& steps, State down,
                Real* gradient) const {
    for (size_t k = loops.size(); k-- > 0;) {
      const Step& step = steps[k];
      State update, reset, candidate, kept, before{}, kept_down{};
      for (size_t r = 0; r < kState; ++r) {
        const Real u = step.update[r], c = step.candidate[r];
        update[r] = down[r] * (c - step.before[r]) * u * (1 - u);
        candidate[r] = down[r] * u * (1 - c * c);
        before[r] = down[r] * (1 - u);
        kept[r] = step.reset[r] * step.before[r];
      }
      Backward(2, loops[k], kept, candidate, gradient, &kept_down);
      for (size_t r = 0; r < kState; ++r) {
        const Real s = step.reset[r];
        reset[r] = kept_down[r] * step.before[r] * s * (1 - s);
        before[r] += kept_down[r] * s;
      }
      Backward(0, loops[k], step.before, update, gradient, &before);
      Backward(1, loops[k], step.before, reset, gradient, &before);
      down = before;
    }
  }
};

// The loss of |scores|, and its derivative by each score.
template <typename Real>
Real PairLoss(std::span<const TreeSample> samples, const std::vector<Real>& scores,
              std::vector<Real>* down) {
  Real loss = 0;
  size_t pairs = 0;
  down->assign(samples.size(), 0);
  for (size_t a = 0; a < samples.size(); ++a) {
    for (size_t b = 0; b < samples.size(); ++b) {
      if (!(samples[a].speed > samples[b].speed)) continue;
      ++pairs;
      const Real weight = std::min<Real>(1, static_cast<Real>(samples[a].speed) - samples[b].speed);
      const Real ahead = scores[a] - scores[b];
      // log(1 + exp(-ahead)) without an overflow.
      const Real tail = std::exp(-std::abs(ahead));
      loss += weight * (std::log1p(tail) + std::max<Real>(0, -ahead));
      const Real push = weight * (ahead > 0 ? tail : 1) / (1 + tail);
      (*down)[a] -= push;
      (*down)[b] += push;
    }
  }
  if (pairs == 0) return 0;
  for (Real& d : *down) d /= static_cast<Real>(pairs);
  return loss / static_cast<Real>(pairs);
}

}  // namespace

template <typename Real>
TreeNetwork<Real>::TreeNetwork(uint64_t seed)
    : rng_(seed), weights_(kWeights), mean_(kWeights), square_(kWeights) {
  // The variance of a gate's sum is then about that of its inputs.
  const double most = std::sqrt(3.0 / static_cast<double>(kColumns));
  for (size_t gate = 0; gate < 3; ++gate) {
    for (size_t k = 0; k < kGate - kState; ++k)  // biases are 0
      weights_[gate * kGate + k] = static_cast<Real>(most * (2 * rng_.Unit() - 1));
  }
}

template <typename Real>
std::vector<Real> TreeNetwork<Real>::Scores(std::span<const LoopTree* const> trees) const {
  const DifferentStages stages(trees);
  const Walker<Real> walker{weights_.data()};
  const Real* head = weights_.data() + 3 * kGate;
  std::vector<Real> of_stage;
  for (const Loops* loops : stages.loops) {
    const auto state = walker.Forward(*loops, nullptr);
    Real score = 0;
    for (size_t r = 0; r < kState; ++r) score += head[r] * state[r];
    of_stage.push_back(score);
  }
  std::vector<Real> scores;
  for (const std::vector<size_t>& tree : stages.of_tree) {
    Real& score = scores.emplace_back(0);
    for (const size_t stage : tree) score += of_stage[stage];
  }
  return scores;
}

template <typename Real>
Real TreeNetwork<Real>::Loss(std::span<const TreeSample> samples,
                             std::vector<Real>* gradient) const {
  std::vector<const LoopTree*> trees;
  for (const TreeSample& sample : samples) trees.push_back(sample.tree);
  const DifferentStages stages(trees);
  const Walker<Real> walker{weights_.data()};
  const Real* head = weights_.data() + 3 * kGate;
  std::vector<std::vector<typename Walker<Real>::Step>> steps(stages.loops.size());
  std::vector<typename Walker<Real>::State> states;
  for (size_t s = 0; s < stages.loops.size(); ++s)
    states.push_back(walker.Forward(*stages.loops[s], &steps[s]));
  std::vector<Real> scores, down;
  for (size_t k = 0; k < samples.size(); ++k) {
    Real& score = scores.emplace_back(static_cast<Real>(samples[k].start));
    for (const size_t s : stages.of_tree[k]) {
      for (size_t r = 0; r < kState; ++r) score += head[r] * states[s][r];
    }
  }
  const Real loss = PairLoss(samples, scores, &down);
  if (gradient == nullptr) return loss;
  // The derivative by a stage's score is the sum of those of the samples that have the stage.
  std::vector<Real> of_stage(states.size());
  for (size_t k = 0; k < samples.size(); ++k) {
    for (const size_t s : stages.of_tree[k]) of_stage[s] += down[k];
  }
  for (size_t s = 0; s < states.size(); ++s) {
    typename Walker<Real>::State to;
    for (size_t r = 0; r < kState; ++r) {
      (*gradient)[3 * kGate + r] += of_stage[s] * states[s][r];
      to[r] = of_stage[s] * head[r];
    }
    walker.Backward(*stages.loops[s], steps[s], to, gradient->data());
  }
  return loss;
}

template <typename Real>
void TreeNetwork<Real>::Train(std::span<const TreeSample> samples, int steps) {
  std::vector<TreeSample> order(samples.begin(), samples.end());
  for (int step = 0; step < steps; ++step) {
    const size_t count = std::min(kBatch, order.size());
    for (size_t k = 0; count < order.size() && k < count; ++k) {
      const auto other = rng_.Range(static_cast<int64_t>(k), std::ssize(order) - 1);
      std::swap(order[k], order[static_cast<size_t>(other)]);
    }
    std::vector<Real> gradient(kWeights);
    Loss(std::span(order).first(count), &gradient);
    ++steps_;
    const double n = static_cast<double>(steps_);
    const Real mean_scale = static_cast<Real>(1 / (1 - std::pow(kMeanDecay, n)));
    const Real square_scale = static_cast<Real>(1 / (1 - std::pow(kSquareDecay, n)));
    for (size_t w = 0; w < kWeights; ++w) {
      mean_[w] += static_cast<Real>(1 - kMeanDecay) * (gradient[w] - mean_[w]);
      square_[w] += static_cast<Real>(1 - kSquareDecay) * (gradient[w] * gradient[w] - square_[w]);
      weights_[w] -= static_cast<Real>(kRate) * mean_[w] * mean_scale /
                     (std::sqrt(square_[w] * square_scale) + static_cast<Real>(kEpsilon));
    }
  }
}

template class TreeNetwork<float>;
template class TreeNetwork<double>;

}  // namespace tessera::tune
