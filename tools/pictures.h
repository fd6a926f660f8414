// SPDX-License-Identifier: Apache-2.0
//
// Reads PNG and JPEG files, or a folder of them, as a model's input, in its layout and extents.
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
  int64_t all = 0;  // how many exist; |items| may have fewer
};

// Reads the file |path|, or the files of a folder whose names end in .png, .jpg or .jpeg, sorted by
// the bytes of their names. The result is uint8, [N, C, H, W] or [N, H, W, C] as |want| has its
// channels. A grey picture fills three channels equally. |resize|: "nearest" or "bilinear"
// (ResizePicture), or "" to reject pictures of other extents. |first|: how many; -1: all.
//   errors  kInvalidArgument  |want| is not an image of 1 or 3 channels; colours for one channel;
//                             other extents; a folder without pictures
//           kOutOfRange       more than 4 GiB; |first| past the end
//           kNotFound         a folder that cannot be listed
//           others            as ReadPicture
Result<Pictures> LoadPictures(const std::string& path, const artifact::TensorInfo& want,
                              const std::string& resize, int64_t first);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_PICTURES_H_
