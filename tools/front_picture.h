// SPDX-License-Identifier: Apache-2.0
//
// A picture of machines by two objectives, with their front, drawn with cairo. Depends on: base,
// tools/canvas.h. Used by: explore_files.cc.
#ifndef TESSERA_TOOLS_FRONT_PICTURE_H_
#define TESSERA_TOOLS_FRONT_PICTURE_H_

#include <string>
#include <vector>

#include "base/error.h"

namespace tessera::tools {

// Pixels of the picture.
inline constexpr int kFrontWidth = 900, kFrontHeight = 540;

struct DrawnMachine {
  double x = 0, y = 0;
  std::string name = "";  // of machines beside the space; "": none is written
};

struct FrontPicture {
  std::string title, x, y;              // texts of the axes
  std::vector<DrawnMachine> predicted;  // grey, by estimates
  std::vector<DrawnMachine> ran, front, beside;
};

// Draws |picture| to |path|, as SVG or PNG by its ending.
//   errors  those of WritePicture (canvas.h)
Status WriteFront(const std::string& path, const FrontPicture& picture);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_FRONT_PICTURE_H_
