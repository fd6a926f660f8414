// SPDX-License-Identifier: Apache-2.0
//
// A tree-recurrent network that scores schedules, after AutoTVM's TreeGRU (Chen et al., Learning to
// Optimize Tensor Programs, NeurIPS 2018, section 3.1), much smaller. A gated recurrent unit walks
// the loops of each stage from the innermost outwards; its last state is the stage. The sum of the
// stages, times one vector, is the score. It learns pairs of schedules: which one is faster. Plain
// C++ without a library; equal inputs give equal weights. Depends on: loop_tree.h. Used by: the
// cost model `tree`. Private to compiler/tune.
#ifndef TESSERA_COMPILER_TUNE_TREE_NETWORK_H_
#define TESSERA_COMPILER_TUNE_TREE_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "compiler/tune/loop_tree.h"

namespace tessera::tune {

// A schedule to learn. Its score is |start| plus the network's.
struct TreeSample {
  const LoopTree* tree = nullptr;
  float start = 0;
  float speed = 0;  // log2, in any unit
};

// |Real|: float; tests of the gradient need double.
template <typename Real>
class TreeNetwork {
 public:
  static constexpr size_t kState = 8;
  // The gates (update, reset, candidate) have a column of kState weights for each number of a loop,
  // for each element of the state, and a bias.
  static constexpr size_t kColumns = kLoopNumbers + kState + 1;
  static constexpr size_t kGate = kColumns * kState;
  static constexpr size_t kWeights = 3 * kGate + kState;  // the last ones make the score

  // Random gates; the score of each tree is 0 until the network has learned.
  explicit TreeNetwork(uint64_t seed);

  // What the network adds to the start of each tree.
  std::vector<Real> Scores(std::span<const LoopTree* const> trees) const;
  // The mean over the pairs of |samples| of different speed of
  //   min(1, difference of the speeds) * log(1 + exp(score of the slower - score of the faster)).
  // Adds its derivative by each weight to |gradient|, if that is not null.
  Real Loss(std::span<const TreeSample> samples, std::vector<Real>* gradient) const;
  // Goes |steps| steps of Adam, each with at most kBatch random samples.
  void Train(std::span<const TreeSample> samples, int steps);

  std::vector<Real>& weights() { return weights_; }

 private:
  static constexpr size_t kBatch = 48;

  Rng rng_;
  std::vector<Real> weights_, mean_, square_;  // of the gradient: for Adam
  int64_t steps_ = 0;
};

extern template class TreeNetwork<float>;
extern template class TreeNetwork<double>;

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_TREE_NETWORK_H_
