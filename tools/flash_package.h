// SPDX-License-Identifier: Apache-2.0
//
// What `tessera flash` puts onto a board, verified before anything is touched. Depends on:
// runtime/board, runtime/bitstream. Used by: flash, boards_collect.
#ifndef TESSERA_TOOLS_FLASH_PACKAGE_H_
#define TESSERA_TOOLS_FLASH_PACKAGE_H_

#include <cstdint>
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
};

// Whether |bit| is for the part of |board| and says |config_hash|.
//   errors  kInvalidArgument  another part by name or idcode, another user id
Status CheckBitstream(const BitFile& bit, const BoardDescription& board, uint64_t config_hash);

// |target|: a board of |boards|, whose build is |built|/NAME; a folder of a build or its
// board.json; or a .bit beside one.
//   errors  kNotFound         no such board; nothing was built; a file is missing
//           kInvalidArgument  the .bit is for another part or configuration; the image is for
//                             another configuration than this `tessera`'s
//           kDataLoss         size or checksum differ; a file that cannot be read to its end
//           and those of ParseBit
Result<FlashPackage> LoadFlashPackage(const std::string& target, const std::string& boards,
                                      const std::string& built);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FLASH_PACKAGE_H_
