// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/tune/booster.h"
#include "compiler/tune/learning_model.h"

namespace tessera::tune {
namespace {

class XgboostModel : public LearningModel {
 public:
  XgboostModel(ModelKind kind, Space* space, const isa::Config& config, bool follows,
               NumbersOfProgram programs)
      : LearningModel(space, config, follows, KnowsEstimate(kind), false),
        rank_(kind != ModelKind::kRegression),
        programs_(kind == ModelKind::kCompiled ? std::move(programs) : nullptr) {}

 protected:
  Status Learn(const KnownPoints& trials) override {
    std::vector<float> labels = trials.speeds;
    // Ranking by pairs uses only the order of labels, but the library needs relevances from 0 up.
    // Regression needs labels on the level of the margins: they are equal at the best trial.
    const float lowest = *std::ranges::min_element(labels);
    for (float& label : labels) label += rank_ ? -lowest : static_cast<float>(trials.best_start);
    for (const bool compiled : {false, true}) {
      if (compiled && !programs_) continue;
      Rows made = RowsOf(trials, compiled, trials.starts);
      made.rows.labels = labels;
      made.rows.groups.push_back(static_cast<unsigned>(labels.size()));
      TESSERA_TRY((compiled ? of_programs_ : of_points_).Train(made.rows, rank_));
    }
    return {};
  }

  void Improve(const KnownPoints& points, bool compiled, std::vector<float>* scores) override {
    compiled = compiled && programs_;
    const Booster& booster = compiled ? of_programs_ : of_points_;
    if (!booster.has_trees()) return;
    auto found = booster.Predict(RowsOf(points, compiled, *scores).rows);
    if (found) *scores = std::move(*found);
  }

 private:
  struct Rows {
    BoosterRows rows;
    std::vector<std::vector<float>> values;  // behind |rows|, where they are not the features' own
  };

  // |compiled|: with what the programs have.
  Rows RowsOf(const KnownPoints& points, bool compiled, const std::vector<float>& margins) {
    Rows made;
    made.rows.margins = margins;
    made.values.reserve(points.at.size());
    for (size_t k = 0; k < points.at.size(); ++k) {
      const std::vector<float>& features = points.features[k]->values;
      if (!compiled) {
        made.rows.rows.emplace_back(features);
        continue;
      }
      std::vector<float>& both = made.values.emplace_back(features);
      const std::vector<float>& program = ProgramOf(*points.points[k]);
      both.insert(both.end(), program.begin(), program.end());
      made.rows.rows.emplace_back(both);
    }
    return made;
  }

  // What the program of |point| has; zeros: it is refused.
  const std::vector<float>& ProgramOf(const Point& point) {
    const auto [at, fresh] = known_.try_emplace(HashOf(point));
    if (fresh) {
      auto numbers = programs_(point);
      if (numbers) width_ = numbers->size();
      at->second = numbers ? std::move(*numbers) : std::vector<float>(width_);
    }
    return at->second;
  }

  const bool rank_;
  const NumbersOfProgram programs_;
  Booster of_points_, of_programs_;
  std::unordered_map<uint64_t, std::vector<float>> known_;  // what programs have, by point
  size_t width_ = 0;                                        // numbers of a program
};

}  // namespace

Result<std::unique_ptr<CostModel>> MakeXgboostModel(ModelKind kind, Space* space,
                                                    const isa::Config& config, bool follows,
                                                    NumbersOfProgram programs) {
  if (!HasXgboost()) return std::unexpected(Booster().Train({}, true).error());
  return std::make_unique<XgboostModel>(kind, space, config, follows, std::move(programs));
}

}  // namespace tessera::tune
