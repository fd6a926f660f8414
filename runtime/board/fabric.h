// SPDX-License-Identifier: Apache-2.0
//
// Loads a configuration into the fabric through the kernel's FPGA manager. `tessera flash` runs the
// script on a board near or far; a driver runs it on its own board. Depends on: base. Used by:
// tools (flash), runtime/drivers/zynq.
#ifndef TESSERA_RUNTIME_BOARD_FABRIC_H_
#define TESSERA_RUNTIME_BOARD_FABRIC_H_

#include <chrono>
#include <string>

#include "base/error.h"

namespace tessera {

// |script| for `sh -c`, with $R as the folder that stands for "/".
std::string RootedScript(const std::string& root, const std::string& script);

// The script that programs /lib/firmware/|stem|.bin. It fails unless the manager then says
// "operating"; its last line says why. |stem|: a plain name.
std::string ProgramScript(const std::string& stem);

// Runs this script here. Nobody may use the fabric meanwhile, because its registers do not answer.
//   errors  kUnavailable  the manager rejects the file (the script's words), or takes longer than
//                         |limit|
Status ProgramFabric(const std::string& root, const std::string& stem, std::chrono::seconds limit);

// Checks that ProgramFabric can begin: the file exists, and this process may write to the manager.
//   errors  kInvalidArgument  |stem| is not a plain name
//           kNotFound         no such file in /lib/firmware; no FPGA manager
//           kUnavailable      no permission
Status CanProgramFabric(const std::string& root, const std::string& stem);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BOARD_FABRIC_H_
