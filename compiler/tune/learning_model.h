// SPDX-License-Identifier: Apache-2.0
//
// What the cost models that learn have in common: the scores from which they begin, and the trials
// as rows to learn from. Private to compiler/tune.
#ifndef TESSERA_COMPILER_TUNE_LEARNING_MODEL_H_
#define TESSERA_COMPILER_TUNE_LEARNING_MODEL_H_

#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "compiler/tune/cost_model.h"
#include "compiler/tune/features.h"

namespace tessera::tune {

// The analytic score of |point|, log2 of the speed, minus |given|.
double PriorScore(FeatureTable& table, const Point& point, double given);

// The points that have features, and what is known of each.
struct KnownPoints {
  std::vector<size_t> at;  // the index among all points
  std::vector<const Point*> points;
  std::vector<const Features*> features;
  std::vector<float> starts;  // the score from which the model begins
  // Of trials: log2 of the speed relative to the best trial, 0 or less. A failed trial counts as
  // half as fast as the slowest trial.
  std::vector<float> speeds;
  double best_start = 0;  // of trials: the start of the best one
};

class LearningModel : public CostModel {
 public:
  // |estimate|: begins at the compiler's estimate, otherwise at 0. |trees|: the features have them.
  LearningModel(Space* space, const isa::Config& config, bool follows, bool estimate, bool trees);

  std::optional<Lessons> LessonsOf(const History& history) override;
  void StartFrom(std::shared_ptr<const SharedModel> shared) override;

 protected:
  static constexpr size_t kFewest = 8;  // trials from which a model learns

  // Calls Learn if there are enough trials.
  Status Fit(const History& history) final;
  // The starts, which Improve makes scores.
  std::vector<double> Predict(std::span<const Point> points) final { return Scored(points, false); }
  std::vector<double> PredictCompiled(std::span<const Point> points) final {
    return Scored(points, true);
  }
  virtual Status Learn(const KnownPoints& trials) = 0;
  // Gives |scores|, which are the starts, what the model has learned about |points|.
  // |compiled|: by their programs too.
  virtual void Improve(const KnownPoints& points, bool compiled, std::vector<float>* scores) = 0;

 private:
  std::vector<double> Scored(std::span<const Point> points, bool compiled);
  KnownPoints TrialsOf(const History& history);
  // Sets the starts of |points|: the estimate's score plus the shared model's correction.
  void Start(KnownPoints* points);

  const bool estimate_;
  FeatureTable table_;
  double given_;
  std::shared_ptr<const SharedModel> shared_;
  double share_ = 1;  // of the shared model's correction that counts
};

// A network that walks the loops of a schedule (tree_network.h).
std::unique_ptr<CostModel> MakeTreeModel(Space* space, const isa::Config& config, bool follows);

// Boosted trees that correct the analytic cost, which is their base margin. kRank and kRankAlone
// are trained on pairs of trials, kRegression on squares of the error in log2 of cycles. kCompiled
// has other trees for points whose programs |programs| knows.
//   errors  kUnsupported  this build has no xgboost
Result<std::unique_ptr<CostModel>> MakeXgboostModel(ModelKind kind, Space* space,
                                                    const isa::Config& config, bool follows,
                                                    NumbersOfProgram programs);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_LEARNING_MODEL_H_
