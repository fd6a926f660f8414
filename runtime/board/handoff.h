// SPDX-License-Identifier: Apache-2.0
//
// The hardware hand-off of a board's block design: makes it from the description, and checks a file
// against the description. Depends on: board.h, runtime/bitstream. Used by: tools (boards).
#ifndef TESSERA_RUNTIME_BOARD_HANDOFF_H_
#define TESSERA_RUNTIME_BOARD_HANDOFF_H_

#include "base/error.h"
#include "runtime/bitstream/hwh.h"
#include "runtime/board/board.h"

namespace tessera {

// The block design of |board|, with the cells and values that readers use. The vendor's tool writes
// more.
HwhDesign HandoffOf(const BoardDescription& board);

// Checks that |design| has one machine, at the address and with the data width of |board|.
//   errors  kInvalidArgument  no machine or two; another address, size or data width
Status CheckHandoff(const HwhDesign& design, const BoardDescription& board);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BOARD_HANDOFF_H_
