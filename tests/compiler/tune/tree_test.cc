// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the network of model `tree`. Its scores and its loss are those of a second
// derivation that writes the equations out, over random trees and weights; each derivative is the
// difference quotient of the loss; it learns an order that its numbers tell, and learns the same
// twice; untrained it adds nothing. The numbers of a schedule's loops are those that a hand-written
// schedule has. The models that learn are compared on the machine in search_test.cc.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/tune/tree_network.h"

namespace tessera::tune::tree_test {
namespace {

using Network = TreeNetwork<double>;
constexpr size_t kState = Network::kState;

std::vector<LoopTree> RandomTrees(Rng& rng, int count) {
  std::vector<LoopTree> trees;
  for (int t = 0; t < count; ++t) {
    LoopTree& tree = trees.emplace_back();
    for (int64_t s = rng.Range(1, 3); s > 0; --s) {
      auto& stage = tree.emplace_back();
      for (int64_t n = rng.Range(1, 4); n > 0; --n) {
        LoopNode& node = stage.emplace_back();
        for (float& x : node) x = static_cast<float>(rng.Range(-8, 8)) / 8;
      }
    }
    // Trees share stages, as those of a space do.
    if (t > 0) tree.push_back(trees[0][0]);
  }
  return trees;
}

std::vector<TreeSample> Samples(Rng& rng, const std::vector<LoopTree>& trees) {
  std::vector<TreeSample> samples;
  for (const LoopTree& tree : trees)
    samples.push_back({&tree, static_cast<float>(rng.Range(-4, 4)) / 4,
                       static_cast<float>(rng.Range(-6, 0)) / 4});
  return samples;
}

void FillWeights(Rng& rng, Network* network) {
  for (double& w : network->weights()) w = rng.Unit() - 0.5;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Row |row| of gate |gate|: bias + W x + U h.
double Row(const std::vector<double>& w, size_t gate, size_t row, const LoopNode& x,
           const std::vector<double>& h) {
  const auto at = [&](size_t column) { return w[gate * Network::kGate + column * kState + row]; };
  double sum = at(kLoopNumbers + kState);
  for (size_t k = 0; k < kLoopNumbers; ++k) sum += at(k) * x[k];
  for (size_t k = 0; k < kState; ++k) sum += at(kLoopNumbers + k) * h[k];
  return sum;
}

// The score of |tree| by the equations of a gated recurrent unit (Cho et al., 2014).
double ScoreOf(const std::vector<double>& w, const LoopTree& tree) {
  double score = 0;
  for (const auto& stage : tree) {
    std::vector<double> h(kState, 0.0);
    for (const LoopNode& x : stage) {
      std::vector<double> kept(kState), next(kState);
      for (size_t r = 0; r < kState; ++r) kept[r] = Sigmoid(Row(w, 1, r, x, h)) * h[r];
      for (size_t r = 0; r < kState; ++r) {
        const double update = Sigmoid(Row(w, 0, r, x, h));
        next[r] = (1 - update) * h[r] + update * std::tanh(Row(w, 2, r, x, kept));
      }
      h = next;
    }
    for (size_t r = 0; r < kState; ++r) score += w[3 * Network::kGate + r] * h[r];
  }
  return score;
}

double LossOf(const std::vector<double>& w, const std::vector<TreeSample>& samples) {
  double loss = 0, pairs = 0;
  for (const TreeSample& fast : samples) {
    for (const TreeSample& slow : samples) {
      if (fast.speed <= slow.speed) continue;
      const double ahead =
          fast.start + ScoreOf(w, *fast.tree) - slow.start - ScoreOf(w, *slow.tree);
      loss += std::min(1.0, double{fast.speed} - slow.speed) * std::log(1 + std::exp(-ahead));
      ++pairs;
    }
  }
  return loss / pairs;
}

TEST(TreeNetwork, ScoresAreThoseOfTheEquations) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Network network(seed);
    FillWeights(rng, &network);
    const std::vector<LoopTree> trees = RandomTrees(rng, 6);
    std::vector<const LoopTree*> all;
    for (const LoopTree& tree : trees) all.push_back(&tree);
    const std::vector<double> scores = network.Scores(all);
    ASSERT_EQ(scores.size(), trees.size());
    for (size_t k = 0; k < trees.size(); ++k)
      EXPECT_NEAR(scores[k], ScoreOf(network.weights(), trees[k]), 1e-12);
    const std::vector<TreeSample> samples = Samples(rng, trees);
    EXPECT_NEAR(network.Loss(samples, nullptr), LossOf(network.weights(), samples), 1e-12);
  }
}

TEST(TreeNetwork, GradientIsTheDifferenceQuotient) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Network network(seed);
    FillWeights(rng, &network);
    const std::vector<LoopTree> trees = RandomTrees(rng, 7);
    const std::vector<TreeSample> samples = Samples(rng, trees);
    std::vector<double> gradient(Network::kWeights);
    network.Loss(samples, &gradient);
    double largest = 0;
    for (size_t k = 0; k < Network::kWeights; ++k) {
      constexpr double kStep = 1e-5;
      double& weight = network.weights()[k];
      const double before = weight;
      weight = before + kStep;
      const double above = network.Loss(samples, nullptr);
      weight = before - kStep;
      const double below = network.Loss(samples, nullptr);
      weight = before;
      EXPECT_NEAR(gradient[k], (above - below) / (2 * kStep), 1e-8) << "weight " << k;
      largest = std::max(largest, std::abs(gradient[k]));
    }
    EXPECT_GT(largest, 1e-3);
  }
}

TEST(TreeNetwork, LossNeedsPairs) {
  Rng rng(1);
  const std::vector<LoopTree> trees = RandomTrees(rng, 2);
  const Network network(1);
  const std::vector<TreeSample> equal{{&trees[0], 1, -1}, {&trees[1], 0, -1}};
  std::vector<double> gradient(Network::kWeights);
  EXPECT_EQ(network.Loss(equal, &gradient), 0);
  EXPECT_EQ(gradient, std::vector<double>(Network::kWeights));
}

TEST(TreeNetwork, LearnsAnOrderThatItsNumbersTell) {
  Rng rng(7);
  const std::vector<LoopTree> trees = RandomTrees(rng, 240);
  std::vector<TreeSample> samples;
  for (const LoopTree& tree : trees) {
    float speed = 0;
    for (const auto& stage : tree) speed += stage.back()[0] - stage.back()[3];
    samples.push_back({&tree, 0, speed});
  }
  const auto train = [&] {
    TreeNetwork<float> network(3);
    std::vector<const LoopTree*> all;
    for (const LoopTree& tree : trees) all.push_back(&tree);
    for (const float score : network.Scores(all)) EXPECT_EQ(score, 0);  // untrained
    network.Train(std::span(samples).first(200), 400);
    return network.Scores(all);
  };
  const std::vector<float> scores = train();
  double right = 0, pairs = 0;
  for (size_t a = 200; a < trees.size(); ++a) {
    for (size_t b = 200; b < a; ++b) {
      ++pairs;
      right += (scores[a] > scores[b]) == (samples[a].speed > samples[b].speed);
    }
  }
  EXPECT_GE(right / pairs, 0.85);
  EXPECT_EQ(scores, train());
}

TEST(LoopTrees, HaveTheNumbersOfTheLoops) {
  const te::Tensor x = te::Placeholder("x", DType::kInt32, {8, 32});
  const te::Axis k = te::ReduceAxis("k", 32);
  const te::Tensor y = te::Compute("y", {8}, {"i"}, [&](const std::vector<ir::Expr>& i) {
    return te::Sum(x(i[0], k.var), {k});
  });
  const te::Tensor z =
      te::Compute("z", {8}, {"i"}, [&](const std::vector<ir::Expr>& i) { return y(i) + 1; });
  schedule::Schedule s = *schedule::Schedule::Create({z});
  const Status applied = s.Apply("split y k 4 ko ki\nunroll y ki\nsplit z i 2 io ii");
  ASSERT_TRUE(applied) << applied.error().message;
  const LoopTree tree = TreeOf(s);
  ASSERT_EQ(tree.size(), 2u);
  // y: loops i of 8, ko of 8, ki of 4; z: io of 4, ii of 2. An eighth of log2 each.
  const auto numbers = [](std::initializer_list<float> logs, bool reduce, bool unroll) {
    LoopNode node{};
    size_t at = 0;
    for (const float log : logs) node[at++] = log / 8;
    node[static_cast<size_t>(LoopNumber::kReduce)] = reduce;
    node[static_cast<size_t>(LoopNumber::kUnroll)] = unroll;
    return node;
  };
  // Extent, elements, reuse, runs; the innermost loop first.
  const std::vector<LoopNode> of_y{numbers({2, 0, 2, 6}, true, true),
                                   numbers({3, 0, 5, 3}, true, false),
                                   numbers({3, 3, 5, 0}, false, false)};
  const std::vector<LoopNode> of_z{numbers({1, 1, 0, 2}, false, false),
                                   numbers({2, 3, 0, 0}, false, false)};
  EXPECT_EQ(tree[0], of_y);
  EXPECT_EQ(tree[1], of_z);
}

}  // namespace
}  // namespace tessera::tune::tree_test
