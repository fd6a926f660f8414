// SPDX-License-Identifier: Apache-2.0
//
// A cost model predicts which points of a space are fast. A strategy asks it before it measures.
// Depends on: history.h, shared_model.h. Used by: strategies, searches.
#ifndef TESSERA_COMPILER_TUNE_COST_MODEL_H_
#define TESSERA_COMPILER_TUNE_COST_MODEL_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/tune/history.h"
#include "compiler/tune/shared_model.h"
#include "isa/config.h"

namespace tessera::tune {

// A model of one space. It is used by one thread at a time.
class CostModel {
 public:
  virtual ~CostModel() = default;
  // Learns from all trials so far, including failed ones.
  //   errors  kUnavailable  the library of the model refuses
  virtual Status Fit(const History& history) = 0;
  // A score for each point, higher for faster: about log2 of the speed relative to the space's
  // given point. A point without a schedule or a cost has kNoScore.
  virtual std::vector<double> Predict(std::span<const Point> points) = 0;
  // As Predict, by what the compiled programs of |points| have too, which takes a compilation each.
  // A model that does not know programs predicts the same.
  virtual std::vector<double> PredictCompiled(std::span<const Point> points) {
    return Predict(points);
  }
  // What |history| teaches the models of other tasks; nothing: the model or its space has no part
  // in that.
  virtual std::optional<Lessons> LessonsOf(const History&) { return std::nullopt; }
  // Begins at the scores of |shared|, of the kind of LessonsOf's. A model that does not learn
  // ignores it.
  virtual void StartFrom(std::shared_ptr<const SharedModel>) {}
};

inline constexpr double kNoScore = -64;

// kPrior is the compiler's estimate. kTree, kRank and kRegression correct it; kRankAlone and
// kCompiled do not know it. kTree is a neural network, the others of those that learn are boosted
// trees. kCompiled is kRankAlone with more trees that know compiled programs (PredictCompiled).
enum class ModelKind : uint8_t { kNone, kPrior, kTree, kRank, kRegression, kRankAlone, kCompiled };
// Whether models of |kind| need xgboost.
constexpr bool NeedsXgboost(ModelKind kind) { return kind >= ModelKind::kRank; }
// Whether models of |kind| learn from trials.
constexpr bool Learns(ModelKind kind) { return kind >= ModelKind::kTree; }
// Whether models of |kind| that learn correct the compiler's estimate.
constexpr bool KnowsEstimate(ModelKind kind) { return kind < ModelKind::kRankAlone; }

// What the compiled program of a point has (ProgramNumbers in task.h).
using NumbersOfProgram = std::function<std::optional<std::vector<float>>(const Point&)>;

// A model of |space|, which outlives it; null for kNone. |follows|: the layer runs behind another
// one (cost::CostOptions). |programs|: for kCompiled; without, it knows no programs.
//   errors  kUnsupported  NeedsXgboost(|kind|), in a build without xgboost
Result<std::unique_ptr<CostModel>> MakeCostModel(ModelKind kind, Space* space,
                                                 const isa::Config& config, bool follows,
                                                 NumbersOfProgram programs = {});

// Whether this build has xgboost.
bool HasXgboost();

// "none", "prior", "tree", "xgboost" (kRank), "xgboost-regression", "xgboost-alone",
// "xgboost-compiled".
//   errors  kInvalidArgument  another word; the message lists the names
Result<ModelKind> ModelNamed(const std::string& name);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_COST_MODEL_H_
