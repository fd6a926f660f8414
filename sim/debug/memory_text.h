// SPDX-License-Identifier: Apache-2.0
//
// Memories in words: tiles of scratchpads in their form, bytes of device memory. Depends on:
// runtime/machine_view.h, isa. Used by: commands.
#ifndef TESSERA_SIM_DEBUG_MEMORY_TEXT_H_
#define TESSERA_SIM_DEBUG_MEMORY_TEXT_H_

#include <string>
#include <string_view>

#include "isa/config.h"
#include "isa/image.h"
#include "runtime/machine_view.h"

namespace tessera::sim {

// The scratchpad "inp", "acc", ...
//   errors  kNotFound  none is called so, or |profile| has it not; the message lists them
Result<isa::Memory> ScratchpadNamed(std::string_view name, isa::Profile profile);

// Tiles |range| ("FIRST", "FIRST:COUNT"; "": the first) of |memory|: matrices of numbers, micro-ops
// by field, records by field.
//   errors  RangeOf's; kOutOfRange  more than are printed at once
Result<std::string> ScratchpadText(const MachineView& view, isa::Memory memory,
                                   const std::string& range, const isa::Config& config,
                                   isa::Profile profile);

// |count| bytes from |address| on, a line for 16: a number, or SEGMENT+OFFSET with the segment's
// name or number, whose bounds then hold.
//   errors  kInvalidArgument  another form
//           kOutOfRange       past the end, or more than are printed at once
Result<std::string> DeviceMemoryText(const MachineView& view, const Launch& launch,
                                     const std::string& address, uint64_t count);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_MEMORY_TEXT_H_
