// SPDX-License-Identifier: Apache-2.0
//
// The files of --load-model and --save-model of `tessera tune`: what searches have learned about
// layers, for searches of other networks and configurations. Depends on: compiler/tune. Used by:
// tune.
#ifndef TESSERA_TOOLS_TUNE_MODEL_H_
#define TESSERA_TOOLS_TUNE_MODEL_H_

#include <memory>
#include <vector>

#include "base/error.h"
#include "compiler/tune/shared_model.h"
#include "tools/tune_target.h"

namespace tessera::tools {

// Whether the flags about model files can be followed. |flags| have a cost model.
//   errors  kInvalidArgument  the cost model does not learn
//           kUnsupported      this build has no xgboost
//           kUnavailable      the file cannot be written
Status CheckModelFiles(const TuneFlags& flags);

// The model of --load-model for the layers of |target|; null: there is no such flag.
//   errors  those of ReadFile and SharedModel::Parse
//           kUnsupported  no layer has a choice
Result<std::shared_ptr<const tune::SharedModel>> LoadModel(const TuneFlags& flags,
                                                           TuneTarget& target);

// Writes the file of --save-model, if there is such a flag: |loaded|, if not null, and what
// |found| teaches. Returns a line for people; "": nothing was to write.
//   errors  kUnavailable  too few trials, or the file cannot be written
Result<std::string> SaveModel(const TuneFlags& flags, const std::vector<Found>& found,
                              const tune::SharedModel* loaded);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_TUNE_MODEL_H_
