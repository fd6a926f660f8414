// SPDX-License-Identifier: Apache-2.0
#include "tools/off_chip_text.h"

#include <cstdio>

#include "tools/output.h"

namespace tessera::tools {

void WarnOfOffChip(const std::vector<compiler::OffChip>& all) {
  for (const compiler::OffChip& off : all)
    std::fprintf(stderr, "tessera: warning: %s\n", compiler::Text(off).c_str());
}

Json OffChipJson(const std::vector<compiler::OffChip>& all) {
  Json json = Json::array();
  for (const compiler::OffChip& off : all)
    json.push_back({{"layer", off.layer}, {"results", off.results}, {"why", off.why}});
  return json;
}

}  // namespace tessera::tools
