// SPDX-License-Identifier: Apache-2.0
//
// The device-tree overlay of a board, as source for `dtc -@`: registers and interrupt as a UIO
// device, memory as a u-dma-buf device, and the clock of the fabric. On zynqmp it also sets the
// widths of the ports between the processing system and the fabric, because Linux does not set them
// when it loads a bitstream. Its labels are those of the vendor's kernels. Depends on: board.h.
#ifndef TESSERA_RUNTIME_BOARD_OVERLAY_H_
#define TESSERA_RUNTIME_BOARD_OVERLAY_H_

#include <string>

#include "runtime/board/board.h"

namespace tessera {

std::string OverlaySource(const BoardDescription& board);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_BOARD_OVERLAY_H_
