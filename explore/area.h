// SPDX-License-Identifier: Apache-2.0
//
// The area and the clock of a machine, and the parts that it has to fit. Depends on: isa,
// explore/machine.h. Used by: explore/search.h, tools.
#ifndef TESSERA_EXPLORE_AREA_H_
#define TESSERA_EXPLORE_AREA_H_

#include <string>

#include "base/error.h"
#include "explore/machine.h"
#include "isa/config.h"

namespace tessera::explore {

// The part |name_or_path|.
//   errors  kNotFound  no such part; lists them
Result<PartLimits> PartNamed(const std::string& name_or_path);

// The machine of |config| on a part of |family|.
//   errors  those of the model
Result<MachineArea> AreaOf(const isa::Config& config, const std::string& family);

}  // namespace tessera::explore

#endif  // TESSERA_EXPLORE_AREA_H_
