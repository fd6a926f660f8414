// SPDX-License-Identifier: Apache-2.0
//
// Boosted trees, of the library xgboost (booster.cc). In a build without the library
// xgboost_absent.cc returns errors. It is used by one thread at a time. Private to compiler/tune.
#ifndef TESSERA_COMPILER_TUNE_BOOSTER_H_
#define TESSERA_COMPILER_TUNE_BOOSTER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::tune {

// Rows of equal length. A prediction is a row's margin plus what the trees add.
struct BoosterRows {
  std::vector<std::span<const float>> rows;
  std::vector<float> margins;
  std::vector<float> labels;     // for training, one a row
  std::vector<unsigned> groups;  // for pairs: rows of each task; pairs are of one task
};

class Booster {
 public:
  static constexpr int kTrees = 60;  // of a model that learns from nothing

  Booster();
  Booster(Booster&&) noexcept;
  Booster& operator=(Booster&&) noexcept;
  ~Booster();

  bool has_trees() const { return library_ != nullptr; }
  // Makes |trees| trees that learn |rows|, on one core, behind a copy of the trees of |before|.
  // |pairs|: from the order of the labels, which are from 0 up; otherwise from squared errors.
  //   errors  kUnsupported  this build has no xgboost
  //           kUnavailable  the library refuses
  Status Train(const BoosterRows& rows, bool pairs, int trees = kTrees,
               const Booster* before = nullptr);
  // The predictions for |rows|, in their order.
  //   errors  as Train
  Result<std::vector<float>> Predict(const BoosterRows& rows) const;
  // The trees in the library's JSON.
  //   errors  as Train
  Result<std::string> Text() const;
  // Has the trees of |text|, of rows with |features| values.
  //   errors  kUnsupported  this build has no xgboost
  //           kDataLoss     the library cannot read it, or its rows have another length
  Status Load(const std::string& text, size_t features);

 private:
  struct Library;
  std::unique_ptr<Library> library_;  // null: no trees
};

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_BOOSTER_H_
