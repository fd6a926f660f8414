// SPDX-License-Identifier: Apache-2.0
//
// The cost model `tree`: a tree-recurrent network corrects the score from which it begins.
#include "compiler/tune/learning_model.h"
#include "compiler/tune/tree_network.h"

namespace tessera::tune {
namespace {

constexpr uint64_t kSeed = 43;
constexpr int kSteps = 24;  // of each fit; the network keeps its weights from fit to fit

class TreeModel : public LearningModel {
 public:
  TreeModel(Space* space, const isa::Config& config, bool follows)
      : LearningModel(space, config, follows, true, true), network_(kSeed) {}

 protected:
  Status Learn(const KnownPoints& trials) override {
    std::vector<TreeSample> samples;
    for (size_t k = 0; k < trials.at.size(); ++k)
      samples.push_back({&trials.features[k]->tree, trials.starts[k], trials.speeds[k]});
    network_.Train(samples, kSteps);
    return {};
  }

  void Improve(const KnownPoints& points, bool, std::vector<float>* scores) override {
    std::vector<const LoopTree*> trees;
    for (const Features* features : points.features) trees.push_back(&features->tree);
    const std::vector<float> more = network_.Scores(trees);
    for (size_t k = 0; k < more.size(); ++k) (*scores)[k] += more[k];
  }

 private:
  TreeNetwork<float> network_;
};

}  // namespace

std::unique_ptr<CostModel> MakeTreeModel(Space* space, const isa::Config& config, bool follows) {
  return std::make_unique<TreeModel>(space, config, follows);
}

}  // namespace tessera::tune
