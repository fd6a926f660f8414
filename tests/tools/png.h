// SPDX-License-Identifier: Apache-2.0
//
// The pixels of a screenshot. Depends on zlib. Used by: trace_page_test.cc.
#ifndef TESSERA_TESTS_TOOLS_PNG_H_
#define TESSERA_TESTS_TOOLS_PNG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::test {

struct Picture {
  int width = 0, height = 0;
  std::vector<uint32_t> pixels;  // 0xRRGGBB, row by row
  uint32_t At(int x, int y) const {
    return pixels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
};

// A PNG of 8 bits a channel, RGB or RGBA, not interlaced.
//   errors  ReadFile's; kInvalidArgument it is another file
Result<Picture> ReadPng(const std::string& path);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_TOOLS_PNG_H_
