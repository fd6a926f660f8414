// SPDX-License-Identifier: Apache-2.0
//
// Widths of the numbers that the machine of a configuration keeps. Depends on isa/config.h. Used by
// the printer of the SystemVerilog package and by hw/predict.
#ifndef TESSERA_ISA_WIDTHS_H_
#define TESSERA_ISA_WIDTHS_H_

#include <bit>
#include <cstdint>

#include "isa/config.h"

namespace tessera::isa {

// Bits of an index into |count| items; at least one.
inline int IndexBits(int64_t count) {
  return count <= 2 ? 1 : std::bit_width(static_cast<uint64_t>(count - 1));
}

// Of the tile index of the deepest scratchpad but UOP, and one bit that says "past all".
int TileIndexBits(const Config& config);

// Of what a LOAD or STORE says, in any scratchpad and profile.
struct BoxWidths {
  int size = 0;        // a number of tiles
  int tile = 0;        // a tile's index
  int tile_bytes = 0;  // the bytes of a tile in device memory
  int bytes = 0;       // a byte of all; more than 4 KiB have

  int All() const { return bytes + tile + tile_bytes + 4 * size; }
};
BoxWidths WidthsOfBox(const Config& config);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_WIDTHS_H_
