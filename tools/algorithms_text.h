// SPDX-License-Identifier: Apache-2.0
//
// The algorithms of host code that are not those of the definition, for people and as JSON.
// Depends on: runtime/artifact. Used by: compile, info.
#ifndef TESSERA_TOOLS_ALGORITHMS_TEXT_H_
#define TESSERA_TOOLS_ALGORITHMS_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/artifact/artifact.h"

namespace tessera::tools {

// Lines that count the layers of each algorithm, of those that round otherwise apart; "" where no
// layer has one.
std::string AlgorithmLines(const artifact::Artifact& net);
// [{layer, algorithm}], in the order of the layers.
nlohmann::ordered_json AlgorithmsJson(const artifact::Artifact& net);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_ALGORITHMS_TEXT_H_
