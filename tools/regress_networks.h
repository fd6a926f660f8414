// SPDX-License-Identifier: Apache-2.0
//
// Runs networks and single layers on the machines of `tessera regress`; compares every instruction,
// every output and the cycles. Used by: regress_items.cc.
#ifndef TESSERA_TOOLS_REGRESS_NETWORKS_H_
#define TESSERA_TOOLS_REGRESS_NETWORKS_H_

#include "tools/regress_items.h"

namespace tessera::tools {

// Runs the model or artifact |item|.path, or one layer of it, on every machine of |setup|, with one
// input of random values drawn from the item's seed.
RegressEnd RunRegressNetwork(const RegressSetup& setup, const RegressItem& item);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_REGRESS_NETWORKS_H_
