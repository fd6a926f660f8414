// SPDX-License-Identifier: Apache-2.0
//
// The share of a network that the accelerator runs, and the reasons for the rest, as `info`,
// `compile` and `compare` print them. Depends on: runtime/artifact.
#ifndef TESSERA_TOOLS_COVERAGE_TEXT_H_
#define TESSERA_TOOLS_COVERAGE_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "runtime/artifact/artifact.h"

namespace tessera::tools {

// "accelerator: 12 of 14 operators, 99.9 % of 2,650,000 multiply-accumulates; host: 1 x sigmoid
// (VECTOR has no table lookup), ...", one line without its end.
std::string CoverageText(const artifact::Coverage& coverage);

// The same for an artifact with a plan for the accelerator, as whole lines. A line before it says
// if the accelerator has no program. "" for other artifacts.
std::string CoverageLines(const artifact::Artifact& net);

// {operators, accelerated, macs, accelerated_macs, host: [{operator, count, why}], gpu: [{operator,
// count, device}]}
nlohmann::ordered_json CoverageJson(const artifact::Coverage& coverage);

// Option --strict of |model|.
//   errors  kUnsupported  the host has to run some of it: names the operators
Status CheckStrict(const artifact::Coverage& coverage, const std::string& model);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COVERAGE_TEXT_H_
