// SPDX-License-Identifier: Apache-2.0
//
// Takes single layers of a model as networks of their own. Used by: regress.
#ifndef TESSERA_TOOLS_MODEL_LAYERS_H_
#define TESSERA_TOOLS_MODEL_LAYERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "tools/network.h"

namespace tessera::tools {

// Operators [first, last) of the imported model.
struct ModelLayer {
  std::string name;  // of the first operator
  size_t first = 0, last = 0;
};

// Each operator with multiply-accumulates between int8 tensors, together with the next operator if
// that reads its result and gives int8 too.
//   errors  those of ReadFile and the importers
Result<std::vector<ModelLayer>> LayersOf(const std::string& path);

// |layer| of the model at |path|, compiled for the accelerator of |config_name|.
//   errors  kInvalidArgument  the file has changed since LayersOf; others: as LoadNetwork
Result<LoadedNetwork> LoadLayer(const std::string& path, const std::string& config_name,
                                const ModelLayer& layer);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_MODEL_LAYERS_H_
