// SPDX-License-Identifier: Apache-2.0
//
// Memories as text: tiles of scratchpads in their shape, bytes of device memory. Depends on:
// runtime/machine_view.h, isa. Used by: commands.
#ifndef TESSERA_SIM_DEBUG_MEMORY_TEXT_H_
#define TESSERA_SIM_DEBUG_MEMORY_TEXT_H_

#include <string>
#include <string_view>

#include "isa/config.h"
#include "isa/image.h"
#include "runtime/machine_view.h"

namespace tessera::sim {

// The scratchpad of this name: "inp", "acc", ...
//   errors  kNotFound  |profile| has no such scratchpad; the message lists those that it has
Result<isa::Memory> ScratchpadNamed(std::string_view name, isa::Profile profile);

// Prints tiles |range| of |memory|: "FIRST", "FIRST:COUNT", "" for tile 0. Tiles of elements print
// as matrices, micro-ops and records by field.
//   errors  those of RangeOf; kOutOfRange: more tiles than the debugger prints at once
Result<std::string> ScratchpadText(const MachineView& view, isa::Memory memory,
                                   const std::string& range, const isa::Config& config,
                                   isa::Profile profile);

// Prints |count| bytes from |address| on, 16 a line. |address| is a number, or SEGMENT+OFFSET with
// the name or the number of a segment; the bytes must then lie in the segment.
//   errors  kInvalidArgument  |address| has another form
//           kOutOfRange       past the end, or more bytes than the debugger prints at once
Result<std::string> DeviceMemoryText(const MachineView& view, const Launch& launch,
                                     const std::string& address, uint64_t count);

}  // namespace tessera::sim

#endif  // TESSERA_SIM_DEBUG_MEMORY_TEXT_H_
