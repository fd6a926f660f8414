// SPDX-License-Identifier: Apache-2.0
//
// The analytic cost as a model; it does not learn.
#include <cmath>
#include <utility>

#include "compiler/tune/cost_model.h"
#include "compiler/tune/features.h"
#include "compiler/tune/learning_model.h"

namespace tessera::tune {
namespace {

class PriorModel : public CostModel {
 public:
  PriorModel(Space* space, const isa::Config& config, bool follows)
      : table_(space, config, follows), given_(PriorScore(table_, space->given(), 0)) {}
  Status Fit(const History&) override { return {}; }
  std::vector<double> Predict(std::span<const Point> points) override {
    std::vector<double> scores;
    for (const Point& point : points) scores.push_back(PriorScore(table_, point, given_));
    return scores;
  }

 private:
  FeatureTable table_;
  double given_;
};

}  // namespace

double PriorScore(FeatureTable& table, const Point& point, double given) {
  const Features* features = table.Of(point);
  return features == nullptr ? kNoScore : -std::log2(std::max(features->cycles, 1.0)) - given;
}

Result<std::unique_ptr<CostModel>> MakeCostModel(ModelKind kind, Space* space,
                                                 const isa::Config& config, bool follows,
                                                 NumbersOfProgram programs) {
  switch (kind) {
    case ModelKind::kNone:
      return nullptr;
    case ModelKind::kPrior:
      return std::make_unique<PriorModel>(space, config, follows);
    case ModelKind::kTree:
      return MakeTreeModel(space, config, follows);
    case ModelKind::kRank:
    case ModelKind::kRegression:
    case ModelKind::kRankAlone:
    case ModelKind::kCompiled:
      return MakeXgboostModel(kind, space, config, follows, std::move(programs));
  }
  return nullptr;
}

Result<ModelKind> ModelNamed(const std::string& name) {
  if (name == "none") return ModelKind::kNone;
  if (name == "prior") return ModelKind::kPrior;
  if (name == "tree") return ModelKind::kTree;
  if (name == "xgboost") return ModelKind::kRank;
  if (name == "xgboost-regression") return ModelKind::kRegression;
  if (name == "xgboost-alone") return ModelKind::kRankAlone;
  if (name == "xgboost-compiled") return ModelKind::kCompiled;
  return Fail(Code::kInvalidArgument,
              "no model '{}'; the models are: none, prior, tree, xgboost, xgboost-regression, "
              "xgboost-alone, xgboost-compiled",
              name);
}

}  // namespace tessera::tune
