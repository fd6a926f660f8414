// SPDX-License-Identifier: Apache-2.0
//
// Layers of a model as networks of their own. Used by: regress.
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
  std::string name;  // of the first
  size_t first = 0, last = 0;
};

// Each operator with multiply-accumulates between tensors of int8, with the next one where that
// reads its result and gives int8 too.
//   errors  ReadFile's and those of the importers
Result<std::vector<ModelLayer>> LayersOf(const std::string& path);

// |layer| of the model at |path|, compiled for the accelerator of |config_name|.
//   errors  LoadNetwork's
Result<LoadedNetwork> LoadLayer(const std::string& path, const std::string& config_name,
                                const ModelLayer& layer);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_MODEL_LAYERS_H_
