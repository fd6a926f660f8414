// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/xgboost_model.h"

#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::tune {
namespace {

constexpr size_t kFewest = 8;  // trials from which the model learns
constexpr int kRounds = 60;

Status Check(int code, const char* what) {
  if (code == 0) return {};
  return Fail(Code::kUnavailable, "xgboost: {}: {}; give --model prior to go on without it", what,
              XGBGetLastError());
}

// A matrix of the library, freed with its owner.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Matrix&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Matrix& operator=(Matrix&&) = delete;
  ~Matrix() {
    if (handle_ != nullptr) XGDMatrixFree(handle_);
  }
  // A matrix of |rows| of equal length with a margin for each.
  static Result<Matrix> Make(const std::vector<const Features*>& rows,
                             const std::vector<float>& margins) {
    std::vector<float> data;
    for (const Features* row : rows)
      data.insert(data.end(), row->values.begin(), row->values.end());
    Matrix made;
    TESSERA_TRY(Check(XGDMatrixCreateFromMat(data.data(), rows.size(), rows[0]->values.size(), NAN,
                                             &made.handle_),
                      "matrix"));
    TESSERA_TRY(
        Check(XGDMatrixSetFloatInfo(made.handle_, "base_margin", margins.data(), margins.size()),
              "base margin"));
    return made;
  }
  DMatrixHandle get() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class XgboostModel : public CostModel {
 public:
  XgboostModel(ModelKind kind, Space* space, const isa::Config& config, bool follows)
      : rank_(kind != ModelKind::kRegression),
        corrects_(kind != ModelKind::kRankAlone),
        table_(space, config, follows),
        given_(PriorScore(table_, space->given(), 0)) {}
  ~XgboostModel() override { Drop(); }

  Status Fit(const History& history) override {
    std::vector<const Features*> rows;
    std::vector<float> margins, labels;
    const Trial* best = history.best();
    if (best == nullptr) return {};
    const double least = std::log2(static_cast<double>(*best->cycles + 1));
    double slowest = 0;
    for (const Trial& trial : history.trials()) {
      if (trial.cycles)
        slowest = std::max(slowest, std::log2(static_cast<double>(*trial.cycles + 1)) - least);
    }
    for (const Trial& trial : history.trials()) {
      const Features* features = table_.Of(trial.point);
      if (features == nullptr) continue;
      rows.push_back(features);
      margins.push_back(static_cast<float>(ScoreOf(trial.point)));
      // A failed trial counts as half as fast as the slowest trial.
      const double slow =
          trial.cycles ? std::log2(static_cast<double>(*trial.cycles + 1)) - least : slowest + 1;
      labels.push_back(static_cast<float>(-slow));
    }
    if (rows.size() < kFewest) return {};
    // Ranking by pairs uses only the order of labels, but the library needs relevances from 0 up.
    // Regression needs labels on the level of the margins: they are equal at the best trial.
    const float lowest = *std::ranges::min_element(labels);
    const auto level = static_cast<float>(ScoreOf(best->point));
    for (float& label : labels) label += rank_ ? -lowest : level;
    return Train(rows, margins, labels);
  }

  std::vector<double> Predict(std::span<const Point> points) override {
    std::vector<double> scores(points.size(), kNoScore);
    std::vector<const Features*> rows;
    std::vector<float> margins;
    std::vector<size_t> at;
    for (size_t k = 0; k < points.size(); ++k) {
      scores[k] = ScoreOf(points[k]);
      const Features* features = table_.Of(points[k]);
      if (features == nullptr) continue;
      rows.push_back(features);
      margins.push_back(static_cast<float>(scores[k]));
      at.push_back(k);
    }
    if (booster_ == nullptr || rows.empty()) return scores;
    const auto matrix = Matrix::Make(rows, margins);
    if (!matrix) return scores;
    bst_ulong count = 0;
    const float* out = nullptr;
    if (XGBoosterPredict(booster_, matrix->get(), 1, 0, 0, &count, &out) != 0) return scores;
    for (size_t k = 0; k < at.size(); ++k) scores[at[k]] = static_cast<double>(out[k]);
    return scores;
  }

 private:
  // The score from which the trees begin.
  double ScoreOf(const Point& point) {
    const double prior = PriorScore(table_, point, given_);
    return corrects_ || prior == kNoScore ? prior : 0;
  }

  void Drop() {
    if (booster_ != nullptr) XGBoosterFree(booster_);
    booster_ = nullptr;
  }

  Status Train(const std::vector<const Features*>& rows, const std::vector<float>& margins,
               const std::vector<float>& labels) {
    TESSERA_ASSIGN(const Matrix matrix, Matrix::Make(rows, margins));
    TESSERA_TRY(Check(XGDMatrixSetFloatInfo(matrix.get(), "label", labels.data(), labels.size()),
                      "labels"));
    if (rank_) {
      const auto group = static_cast<unsigned>(rows.size());
      TESSERA_TRY(Check(XGDMatrixSetUIntInfo(matrix.get(), "group", &group, 1), "group"));
    }
    Drop();
    const DMatrixHandle handle = matrix.get();
    TESSERA_TRY(Check(XGBoosterCreate(&handle, 1, &booster_), "booster"));
    const std::pair<const char*, const char*> params[] = {
        {"objective", rank_ ? "rank:pairwise" : "reg:squarederror"},
        {"max_depth", "6"},
        {"eta", "0.2"},
        {"gamma", "0.0001"},
        {"min_child_weight", "1"},
        {"lambda", "1"},
        {"tree_method", "exact"},
        {"nthread", "1"},
        {"seed", "43"},
        {"verbosity", "0"}};
    for (const auto& [name, value] : params)
      TESSERA_TRY(Check(XGBoosterSetParam(booster_, name, value), name));
    for (int round = 0; round < kRounds; ++round)
      TESSERA_TRY(Check(XGBoosterUpdateOneIter(booster_, round, handle), "training"));
    return {};
  }

  const bool rank_, corrects_;
  FeatureTable table_;
  double given_;
  BoosterHandle booster_ = nullptr;
};

}  // namespace

bool HasXgboost() { return true; }

Result<std::unique_ptr<CostModel>> MakeXgboostModel(ModelKind kind, Space* space,
                                                    const isa::Config& config, bool follows) {
  return std::make_unique<XgboostModel>(kind, space, config, follows);
}

}  // namespace tessera::tune
