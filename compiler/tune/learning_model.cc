// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/learning_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::tune {
namespace {

// As AutoTVM has it: after so many trials of its own, a task believes other tasks half as much.
constexpr double kHalfLife = 64;

}  // namespace

LearningModel::LearningModel(Space* space, const isa::Config& config, bool follows, bool estimate,
                             bool trees)
    : estimate_(estimate),
      table_(space, config, follows, trees),
      given_(PriorScore(table_, space->given(), 0)) {}

void LearningModel::StartFrom(std::shared_ptr<const SharedModel> shared) {
  if (table_.layer() != nullptr) shared_ = std::move(shared);
}

void LearningModel::Start(KnownPoints* points) {
  for (const Features* features : points->features) {
    const double prior = -std::log2(std::max(features->cycles, 1.0)) - given_;
    points->starts.push_back(estimate_ ? static_cast<float>(prior) : 0);
  }
  if (shared_ == nullptr || points->features.empty()) return;
  std::vector<std::span<const float>> rows;
  for (const Features* features : points->features) rows.push_back(features->common());
  const auto corrections = shared_->Corrections(std::move(rows));
  for (size_t k = 0; corrections && k < corrections->size(); ++k)
    points->starts[k] += static_cast<float>(share_) * (*corrections)[k];
}

KnownPoints LearningModel::TrialsOf(const History& history) {
  KnownPoints known;
  const Trial* best = history.best();
  if (best == nullptr) return known;
  const auto log = [](uint64_t cycles) { return std::log2(static_cast<double>(cycles + 1)); };
  const double least = log(*best->cycles);
  double slowest = 0;
  for (const Trial& trial : history.trials()) {
    if (trial.cycles) slowest = std::max(slowest, log(*trial.cycles) - least);
  }
  size_t best_at = 0;
  for (size_t k = 0; k < history.trials().size(); ++k) {
    const Trial& trial = history.trials()[k];
    const Features* features = table_.Of(trial.point);
    if (features == nullptr) continue;
    if (&trial == best) best_at = known.at.size();
    known.at.push_back(k);
    known.points.push_back(&trial.point);
    known.features.push_back(features);
    const double slow = trial.cycles ? log(*trial.cycles) - least : slowest + 1;
    known.speeds.push_back(static_cast<float>(-slow));
  }
  Start(&known);
  if (!known.at.empty()) known.best_start = known.starts[best_at];
  return known;
}

Status LearningModel::Fit(const History& history) {
  share_ = std::exp2(-static_cast<double>(history.trials().size()) / kHalfLife);
  const KnownPoints trials = TrialsOf(history);
  return trials.at.size() < kFewest ? Status() : Learn(trials);
}

std::vector<double> LearningModel::Scored(std::span<const Point> points, bool compiled) {
  std::vector<double> scores(points.size(), kNoScore);
  KnownPoints known;
  for (size_t k = 0; k < points.size(); ++k) {
    const Features* features = table_.Of(points[k]);
    if (features == nullptr) continue;
    known.at.push_back(k);
    known.points.push_back(&points[k]);
    known.features.push_back(features);
  }
  Start(&known);
  std::vector<float> found = known.starts;
  if (!known.at.empty()) Improve(known, compiled, &found);
  for (size_t k = 0; k < found.size(); ++k) scores[known.at[k]] = static_cast<double>(found[k]);
  return scores;
}

std::optional<Lessons> LearningModel::LessonsOf(const History& history) {
  if (table_.layer() == nullptr) return std::nullopt;
  Lessons made{SharedKindOf(table_.layer()->target(), estimate_), {}, {}, {}};
  // Without what this model has itself from others.
  const auto shared = std::exchange(shared_, nullptr);
  const KnownPoints known = TrialsOf(history);
  shared_ = shared;
  for (const Features* features : known.features)
    made.rows.emplace_back(features->common().begin(), features->common().end());
  made.starts = known.starts;
  made.labels = known.speeds;
  if (!made.labels.empty()) {
    const float lowest = *std::ranges::min_element(made.labels);
    for (float& label : made.labels) label -= lowest;
  }
  return made;
}

}  // namespace tessera::tune
