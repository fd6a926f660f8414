// SPDX-License-Identifier: Apache-2.0
//
// PNG and JPEG files, or a folder of them, as a model's input: pixels in its layout and extents.
// Depends on: runtime/tensor/picture.h, runtime/executor/inputs.h. Used by: inputs.cc.
#ifndef TESSERA_TOOLS_PICTURES_H_
#define TESSERA_TOOLS_PICTURES_H_

#include <string>

#include "base/error.h"
#include "runtime/artifact/artifact.h"
#include "runtime/tensor/tensor.h"

namespace tessera::tools {

struct Pictures {
  HostTensor items;
  int64_t all = 0;  // that there are; |items| may be fewer
};

// The files of |path|: itself, or those of a folder whose names end in .png, .jpg or .jpeg, in the
// order of their names' bytes; as uint8 [N, C, H, W] or [N, H, W, C], as |want| has its channels. A
// grey picture fills three channels alike. |resize|: "nearest" or "bilinear" (ResizePicture);
// "": a picture of other extents is refused. |first|: only so many, -1: all.
//   errors  kInvalidArgument  |want| is no image of 1 or 3 channels; colours for one channel;
//                             other extents; a folder without pictures
//           kOutOfRange       more than 4 GiB; |first| past the end
//           and those of ReadPicture
Result<Pictures> LoadPictures(const std::string& path, const artifact::TensorInfo& want,
                              const std::string& resize, int64_t first);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_PICTURES_H_
