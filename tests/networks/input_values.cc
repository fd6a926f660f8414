// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "tests/networks/build.h"

namespace tessera::networks {

using graph::TensorId;

std::map<TensorId, std::vector<uint8_t>> InputValues(const Recipe& recipe,
                                                     const graph::Graph& graph) {
  std::map<TensorId, std::vector<uint8_t>> values;
  Rng rng(recipe.seed);
  for (const TensorId id : graph.inputs) {
    std::vector<uint8_t>& bytes = values[id];
    bytes.resize(static_cast<size_t>(graph.tensor(id).count()));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.Next());
  }
  return values;
}

}  // namespace tessera::networks
