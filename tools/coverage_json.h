// SPDX-License-Identifier: Apache-2.0
//
// A network's coverage for --json. Depends on: compiler/driver. Used by: compile.cc, model_file.cc.
#ifndef TESSERA_TOOLS_COVERAGE_JSON_H_
#define TESSERA_TOOLS_COVERAGE_JSON_H_

#include <nlohmann/json.hpp>

#include "compiler/driver/coverage.h"

namespace tessera::tools {

// {operators, accelerated, macs, accelerated_macs, host: [{operator, count, why}]}
inline nlohmann::ordered_json CoverageJson(const compiler::Coverage& coverage) {
  nlohmann::ordered_json host = nlohmann::ordered_json::array();
  for (const compiler::Coverage::Left& left : coverage.left)
    host.push_back({{"operator", left.op}, {"count", left.nodes}, {"why", left.why}});
  return {{"operators", coverage.nodes},
          {"accelerated", coverage.accelerated},
          {"macs", coverage.macs},
          {"accelerated_macs", coverage.accelerated_macs},
          {"host", std::move(host)}};
}

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COVERAGE_JSON_H_
