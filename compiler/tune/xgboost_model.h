// SPDX-License-Identifier: Apache-2.0
//
// A model of boosted trees, from the library xgboost (xgboost_model.cc). In a build without the
// library xgboost_absent.cc returns an error. Private to compiler/tune.
#ifndef TESSERA_COMPILER_TUNE_XGBOOST_MODEL_H_
#define TESSERA_COMPILER_TUNE_XGBOOST_MODEL_H_

#include <memory>

#include "base/error.h"
#include "compiler/tune/cost_model.h"
#include "compiler/tune/features.h"

namespace tessera::tune {

// Trees that correct the analytic cost, which is their base margin. |rank|: trained on pairs of
// trials, otherwise on squares of the error in log2 of cycles.
//   errors  kUnsupported  this build has no xgboost
Result<std::unique_ptr<CostModel>> MakeXgboostModel(ModelKind kind, Space* space,
                                                    const isa::Config& config, bool follows);

// The analytic score of |point|, log2 of the speed, minus |given|.
double PriorScore(FeatureTable& table, const Point& point, double given);

}  // namespace tessera::tune

#endif  // TESSERA_COMPILER_TUNE_XGBOOST_MODEL_H_
