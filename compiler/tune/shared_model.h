// SPDX-License-Identifier: Apache-2.0
//
// What the trials of some tasks teach about others: trees over the features that mean the same for
// every layer of a target. A task that begins has no trials; its model begins at the scores of a
// shared model. It is kept in a file too, for other networks and configurations. Depends on:
// features.h, booster.h. Used by: cost models, searches, the command.
//
// The file is text of two lines: what the trees are of, a JSON object; and xgboost's JSON.
//
//   {"format":"tessera tune model","version":2,"features":"9c..","target":"accelerator",
//    "estimate":true,"trials":["77..","a0.."],"crc":"01.."}
//
// Hashes are 16 hexadecimal digits. "features" is CommonFeaturesHash, "trials" has a hash of each
// trial from which the model learned, "crc" is of all but itself.
#ifndef TESSERA_COMPILER_TUNE_SHARED_MODEL_H_
#define TESSERA_COMPILER_TUNE_SHARED_MODEL_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/target/target.h"
#include "compiler/tune/booster.h"

namespace tessera::tune {

// What a shared model is of. Lessons and models of one kind go together.
struct SharedKind {
  std::string target;     // as in records: "accelerator", "host"
  uint64_t features = 0;  // CommonFeaturesHash
  size_t count = 0;       // of the features
  bool estimate = true;   // the trees correct the compiler's estimate
  bool operator==(const SharedKind&) const = default;
};
SharedKind SharedKindOf(const target::Target& target, bool estimate);

// The trials of one task, as models of other tasks learn from them.
struct Lessons {
  SharedKind kind;
  std::vector<std::vector<float>> rows;  // Features::common of each trial
  std::vector<float> starts;             // of each, the score of the estimate
  // log2 of the speed relative to the slowest trial. A failed trial has 0.
  std::vector<float> labels;
};

class SharedModel {
 public:
  // A model without trees: it adds nothing.
  explicit SharedModel(SharedKind kind) : kind_(std::move(kind)) {}

  const SharedKind& kind() const { return kind_; }
  // From how many trials it learned. Trials of equal features count once.
  int64_t trials() const { return static_cast<int64_t>(seen_.size()); }
  // This model with more trees, which learn |lessons|, each of kind(): pairs of trials of one task.
  // Tasks without a trial that is new to this model add nothing. |kept|: the model goes to a file.
  // There are as many trees more then as is the share of the new trials in all, so a model that is
  // saved and loaded again and again grows ever more slowly.
  //   errors  those of Booster::Train
  Result<SharedModel> With(std::span<const Lessons> lessons, bool kept = false) const;
  // What the trees add to the scores of |rows|, each of kind().count features.
  //   errors  those of Booster::Predict
  Result<std::vector<float>> Corrections(std::vector<std::span<const float>> rows) const;

  // The file's text.
  //   errors  those of Booster::Text
  Result<std::string> Print() const;
  // Reads |text|, the contents of |file|.
  //   errors  kInvalidArgument  another format, version, target, or other features than |wanted|
  //           kDataLoss         it is damaged
  //           kUnsupported      this build has no xgboost
  static Result<SharedModel> Parse(const std::string& text, const std::string& file,
                                   const SharedKind& wanted);

 private:
  uint64_t CrcWith(const std::string& trees) const;

  SharedKind kind_;
  std::set<uint64_t> seen_;  // hashes of the trials
  Booster booster_;
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_SHARED_MODEL_H_
