// SPDX-License-Identifier: Apache-2.0
//
// The shell scripts of `tessera flash`: what is looked at and changed on a board's Linux. $R is the
// root folder; a script that fails says why in its last line. The one that programs the fabric is
// in runtime/board/fabric.h. Depends on: runtime/board. Used by: flash_steps.
//
// Files below /lib/firmware, STEM being BoardDescription::firmware:
//   STEM.bin, STEM.dtbo      what is loaded
//   STEM.*.new               on its way there
//   STEM.*.before            what STEM.* was before this flash, until it has succeeded
//   tessera.loaded           "BOOT STEM CHECKSUM": who was flashed in which boot of the system
//   tessera-board.json       the description of what is loaded, which drivers read
#ifndef TESSERA_TOOLS_FLASH_SCRIPTS_H_
#define TESSERA_TOOLS_FLASH_SCRIPTS_H_

#include <cstdint>
#include <string>

#include "runtime/board/board.h"

namespace tessera::tools {

// Touches nothing. Prints "key value" lines: manager (its name), before (the stem of what was
// flashed in this boot and is still there, or "-"), configfs (yes or no). Fails without an FPGA
// manager, permission, |kib| free, a way to read registers, or when a process has the registers
// mapped.
std::string LookScript(const BoardDescription& board, uint64_t kib);

// Standard input to STEM|ending|.new; prints what `cksum` says of it.
std::string UploadScript(const BoardDescription& board, const std::string& ending);
// Removes what uploads left.
std::string DropScript(const BoardDescription& board);

// Takes the overlay off, and with it the devices.
std::string DetachScript(const BoardDescription& board);
// Puts .new in the place of what was there, which becomes .before.
std::string SwapScript(const BoardDescription& board);
// Applies |stem|.dtbo, if it is there, and waits for the UIO device.
std::string AttachScript(const BoardDescription& board, const std::string& stem);
// Prints the registers ID, VERSION, CONFIG_HASH_LO and _HI as four hexadecimal words.
std::string IdentityScript(const BoardDescription& board);
// Standard input to tessera-board.json; writes tessera.loaded, removes .before.
std::string RecordScript(const BoardDescription& board);
// Takes the overlay off, if it is on, and puts .before back.
std::string UnswapScript(const BoardDescription& board);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FLASH_SCRIPTS_H_
