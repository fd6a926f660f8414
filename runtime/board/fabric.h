// SPDX-License-Identifier: Apache-2.0
//
// Loading a configuration into the fabric through the kernel's FPGA manager: the script of it,
// which `tessera flash` runs on a board near or far, and a driver on its own board. Depends on:
// base. Used by: tools (flash), runtime/drivers/zynq.
#ifndef TESSERA_RUNTIME_BOARD_FABRIC_H_
#define TESSERA_RUNTIME_BOARD_FABRIC_H_

#include <chrono>
#include <string>

#include "base/error.h"

namespace tessera {

// |script| for `sh -c`, with $R as the folder that stands for /.
std::string RootedScript(const std::string& root, const std::string& script);

// Programs /lib/firmware/|stem|.bin; fails unless the manager then says "operating", and says why
// in its last line. |stem|: a plain name.
std::string ProgramScript(const std::string& stem);

// Runs it here. Nobody may use the fabric meanwhile: its registers do not answer.
//   errors  kUnavailable  the manager refuses, in the script's words, or takes longer than |limit|
Status ProgramFabric(const std::string& root, const std::string& stem, std::chrono::seconds limit);

// Whether it could: the file is there, and the manager may be written.
//   errors  kInvalidArgument  |stem| is no plain name
//           kNotFound         no such file in /lib/firmware; no FPGA manager
//           kUnavailable      no permission
Status CanProgramFabric(const std::string& root, const std::string& stem);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BOARD_FABRIC_H_
