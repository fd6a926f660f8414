// SPDX-License-Identifier: Apache-2.0
//
// Chooses the files, networks and layers that `tessera regress` runs. Depends on: regress_items.h.
// Used by: regress.
#ifndef TESSERA_TOOLS_REGRESS_PLAN_H_
#define TESSERA_TOOLS_REGRESS_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "tools/regress_items.h"

namespace tessera::tools {

// The programs of |folder|, sorted by name, for suite corpus or directed.
//   errors  kNotFound  the folder cannot be read; the message names the suite's option
Result<std::vector<RegressItem>> PlanFolder(RegressSuite suite, const std::string& folder,
                                            uint64_t seed);

// The committed network, and every model of the folder |models| ("": none), on each configuration.
//   errors  kNotFound  the folder cannot be read
Result<std::vector<RegressItem>> PlanNetworks(const RegressSetup& setup, const std::string& models,
                                              uint64_t seed);

// |count| layers of |model|, drawn by |seed|; the same ones on every configuration.
//   errors  kNotFound         no such file
//           kInvalidArgument  no layer of int8 with products
//           others            as LayersOf
Result<std::vector<RegressItem>> PlanLayers(const RegressSetup& setup, const std::string& model,
                                            int64_t count, uint64_t seed);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_PLAN_H_
