// SPDX-License-Identifier: Apache-2.0
//
// The files that `tessera flash` puts onto a board, verified before any change. Depends on:
// runtime/board, runtime/bitstream. Used by: flash, boards_collect.
#ifndef TESSERA_TOOLS_FLASH_PACKAGE_H_
#define TESSERA_TOOLS_FLASH_PACKAGE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/bitstream/bit_file.h"
#include "runtime/board/board.h"

namespace tessera::tools {

struct FlashPackage {
  BoardDescription board;        // with an image
  std::vector<uint8_t> bin;      // for the FPGA manager
  std::vector<uint8_t> overlay;  // compiled; empty: none
  std::string bitstream;         // the path of the .bit
};

// Checks that |bit| is for the part of |board| and names |config_hash|.
//   errors  kInvalidArgument  another part (by name or idcode), another user id
Status CheckBitstream(const BitFile& bit, const BoardDescription& board, uint64_t config_hash);

// Reads |bytes| as a bitstream for |board|, of either kind, and checks it. |bin|: what the FPGA
// manager takes; empty for a board without a processor.
//   errors  as ParseBit, ParseEcp and CheckBitstream
Result<std::vector<uint8_t>> CheckedBin(std::span<const uint8_t> bytes,
                                        const BoardDescription& board, uint64_t config_hash);

// |target| is a board of |boards|, with its build in |built|/NAME; or a folder of a build or its
// board.json; or a .bit beside a board.json.
//   errors  kNotFound         no such board; no build; a file is missing
//           kInvalidArgument  the .bit is for another part or configuration; the image is for
//                             another configuration than this `tessera`'s
//           kDataLoss         a different size or checksum; a file that cannot be read to its end
//           others            as CheckedBin
Result<FlashPackage> LoadFlashPackage(const std::string& target, const std::string& boards,
                                      const std::string& built);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FLASH_PACKAGE_H_
