// SPDX-License-Identifier: Apache-2.0
//
// Says which layers lost their places on chip (compiler::OffChip), as `compile`, `run` and
// `compare` do. Depends on: compiler/driver.
#ifndef TESSERA_TOOLS_OFF_CHIP_TEXT_H_
#define TESSERA_TOOLS_OFF_CHIP_TEXT_H_

#include <nlohmann/json.hpp>
#include <vector>

#include "compiler/driver/off_chip.h"

namespace tessera::tools {

// A line on standard error for each of |all|.
void WarnOfOffChip(const std::vector<compiler::OffChip>& all);

// [{layer, results: [layer], why}]
nlohmann::ordered_json OffChipJson(const std::vector<compiler::OffChip>& all);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_OFF_CHIP_TEXT_H_
