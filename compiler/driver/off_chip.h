// SPDX-License-Identifier: Apache-2.0
//
// Layers whose results go through device memory although the plan had them stay on chip: emission
// refused the program. Depends on: compiler/network. Used by: device_plan.cc, tools.
#ifndef TESSERA_COMPILER_DRIVER_OFF_CHIP_H_
#define TESSERA_COMPILER_DRIVER_OFF_CHIP_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/network/program.h"

namespace tessera::compiler {

struct OffChip {
  std::string layer;                 // emission refused its part of the program
  std::vector<std::string> results;  // of these layers go through device memory
  std::string why;                   // what emission said
  bool operator==(const OffChip&) const = default;
};

// What happened, what it costs and how to avoid it, in one line without its end.
std::string Text(const OffChip& off);

// Adds to |in_memory| the activations of |regions[refused]|, whose program emission refused with
// the message |why|, so that none of them stays on chip. Null, and nothing is added: none of them
// stayed there.
std::optional<OffChip> LeaveChip(const std::vector<network::Activation>& activations,
                                 const std::vector<lower::accel::AccelRegion>& regions,
                                 size_t refused, const std::string& why, std::set<int>* in_memory);

}  // namespace tessera::compiler

#endif  // TESSERA_COMPILER_DRIVER_OFF_CHIP_H_
