// SPDX-License-Identifier: Apache-2.0
//
// Finds boards by the names of the command line. Depends on: runtime/board. Used by: boards, flash.
#ifndef TESSERA_TOOLS_BOARDS_H_
#define TESSERA_TOOLS_BOARDS_H_

#include <string>

#include "base/error.h"
#include "runtime/board/board.h"

namespace tessera::tools {

// |name| is a board of |folder|; with a '/' or ending in .json it is a description or its folder.
//   errors  kNotFound  no such board (the message lists the boards); those of ReadBoard
Result<BoardDescription> FindBoard(const std::string& name, const std::string& folder);

// |board| with the image that a build left in |folder|: build.txt, tessera.bit, tessera.hwh, and
// tessera.dtbo if there is one. Checks them and writes the result there as board.json.
//   errors  kNotFound  a file is missing; kInvalidArgument, kDataLoss: a file that is truncated, or
//                      for another board or configuration; timing that was not met
Result<BoardDescription> CollectBuild(const BoardDescription& board, const std::string& folder);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_BOARDS_H_
