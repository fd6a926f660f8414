// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "compiler/tune/booster.h"
#include "compiler/tune/learning_model.h"

namespace tessera::tune {
namespace {

class XgboostModel : public LearningModel {
 public:
  XgboostModel(ModelKind kind, Space* space, const isa::Config& config, bool follows)
      : LearningModel(space, config, follows, kind != ModelKind::kRankAlone, false),
        rank_(kind != ModelKind::kRegression) {}

 protected:
  Status Learn(const KnownPoints& trials) override {
    BoosterRows rows = RowsOf(trials, trials.starts);
    rows.labels = trials.speeds;
    rows.groups.push_back(static_cast<unsigned>(rows.rows.size()));
    // Ranking by pairs uses only the order of labels, but the library needs relevances from 0 up.
    // Regression needs labels on the level of the margins: they are equal at the best trial.
    const float lowest = *std::ranges::min_element(rows.labels);
    for (float& label : rows.labels)
      label += rank_ ? -lowest : static_cast<float>(trials.best_start);
    return booster_.Train(rows, rank_);
  }

  void Improve(const KnownPoints& points, std::vector<float>* scores) override {
    if (!booster_.has_trees()) return;
    auto found = booster_.Predict(RowsOf(points, *scores));
    if (found) *scores = std::move(*found);
  }

 private:
  static BoosterRows RowsOf(const KnownPoints& points, const std::vector<float>& margins) {
    BoosterRows rows;
    for (const Features* features : points.features) rows.rows.emplace_back(features->values);
    rows.margins = margins;
    return rows;
  }

  const bool rank_;
  Booster booster_;
};

}  // namespace

Result<std::unique_ptr<CostModel>> MakeXgboostModel(ModelKind kind, Space* space,
                                                    const isa::Config& config, bool follows) {
  if (!HasXgboost()) return std::unexpected(Booster().Train({}, true).error());
  return std::make_unique<XgboostModel>(kind, space, config, follows);
}

}  // namespace tessera::tune
