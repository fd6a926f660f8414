// SPDX-License-Identifier: Apache-2.0
//
// The folder of a build as boards/scripts/build.sh leaves it, with a bitstream that configures
// nothing.
#ifndef TESSERA_TESTS_TOOLS_FLASH_BUILD_H_
#define TESSERA_TESTS_TOOLS_FLASH_BUILD_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/bitstream/bit_file.h"
#include "runtime/board/board.h"

namespace tessera::test {

struct FakeBuild {
  std::string folder;
  BoardDescription board;  // with its image's description
  BitFile bit;

  // Makes build |seed| of |name| in |folder|.
  static FakeBuild Make(const std::string& folder, const std::string& name, uint64_t seed);
  // Changes the bitstream and writes the matching description.
  void Rewrite(const std::function<void(BitFile&)>& change);
  // Changes the description alone.
  void Describe(const std::function<void(BoardDescription&)>& change);
};

}  // namespace tessera::test

#endif  // TESSERA_TESTS_TOOLS_FLASH_BUILD_H_
