// SPDX-License-Identifier: Apache-2.0
//
// The shell scripts with which `tessera flash` looks at and changes a board's Linux. $R is the root
// folder; a script that fails says why in its last line. runtime/board/fabric.h has the script that
// programs the fabric. Depends on: runtime/board. Used by: flash_steps.
//
// Files in /lib/firmware, where STEM is BoardDescription::firmware:
//   STEM.bin, STEM.dtbo      the files to load
//   STEM.*.new               an upload that is not in use yet
//   STEM.*.before            STEM.* as it was before this flash, until the flash has succeeded
//   tessera.loaded           "BOOT STEM CHECKSUM": which image was flashed in which boot
//   tessera-board.json       the description of the loaded image, for drivers
#ifndef TESSERA_TOOLS_FLASH_SCRIPTS_H_
#define TESSERA_TOOLS_FLASH_SCRIPTS_H_

#include <cstdint>
#include <string>

#include "runtime/board/board.h"

namespace tessera::tools {

// Changes nothing. Prints "key value" lines: manager (its name), before (the stem flashed in this
// boot and still loaded, or "-"), configfs (yes or no). Fails without an FPGA manager, permission,
// |kib| KiB free or a way to read registers, or if a process has the registers mapped.
std::string LookScript(const BoardDescription& board, uint64_t kib);

// Writes standard input to STEM|ending|.new; prints its `cksum`.
std::string UploadScript(const BoardDescription& board, const std::string& ending);
// Removes the uploads.
std::string DropScript(const BoardDescription& board);

// Takes the overlay off, and its devices with it.
std::string DetachScript(const BoardDescription& board);
// Renames the current files to .before and the .new files to theirs.
std::string SwapScript(const BoardDescription& board);
// Applies |stem|.dtbo, if it exists, and waits for the UIO device.
std::string AttachScript(const BoardDescription& board, const std::string& stem);
// Prints the registers ID, VERSION, CONFIG_HASH_LO and _HI as four hexadecimal words.
std::string IdentityScript(const BoardDescription& board);
// Writes standard input to tessera-board.json; writes tessera.loaded, removes .before.
std::string RecordScript(const BoardDescription& board);
// Takes the overlay off, if it is on, and puts .before back.
std::string UnswapScript(const BoardDescription& board);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FLASH_SCRIPTS_H_
