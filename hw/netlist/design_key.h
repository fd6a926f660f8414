// SPDX-License-Identifier: Apache-2.0
//
// A number that tells designs apart before they are mapped: what the cells of a flattened module
// are, in which instances, and how they are connected. It does not depend on the names of wires and
// of yosys' own cells, on source positions, on the order of anything, or on wires that only rename
// others. Of cells that compute the same from the same inputs it does not see which one is read.
//
// Depends on: base. Used by: netlist_report, for the names of netlists (hw/scripts/synth.sh).
#ifndef TESSERA_HW_NETLIST_DESIGN_KEY_H_
#define TESSERA_HW_NETLIST_DESIGN_KEY_H_

#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace tessera::netlist {

// Reads the module that the text marks as top: what write_json of yosys makes after proc, flatten
// and memory_collect.
//   errors  kInvalidArgument  not JSON, or not what yosys writes; no top
Result<uint64_t> DesignKey(std::string_view text);

}  // namespace tessera::netlist

#endif  // TESSERA_HW_NETLIST_DESIGN_KEY_H_
