// SPDX-License-Identifier: Apache-2.0
//
// Boards as the command line names them. Depends on: runtime/board. Used by: boards, flash.
#ifndef TESSERA_TOOLS_BOARDS_H_
#define TESSERA_TOOLS_BOARDS_H_

#include <string>

#include "base/error.h"
#include "runtime/board/board.h"

namespace tessera::tools {

// |name|: a board of |folder|; with a '/' or ending in .json, a description or its folder.
//   errors  kNotFound  no such board (the message lists them); those of ReadBoard
Result<BoardDescription> FindBoard(const std::string& name, const std::string& folder);

// |board| with the image that a build left in |folder| (build.txt, tessera.bit, tessera.hwh and,
// where there is one, tessera.dtbo), which is checked and written there as board.json.
//   errors  kNotFound  a file is missing; kInvalidArgument, kDataLoss: a file that is not the
//                      board's, or of another configuration, or cut off; timing that was not met
Result<BoardDescription> CollectBuild(const BoardDescription& board, const std::string& folder);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_BOARDS_H_
