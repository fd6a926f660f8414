// SPDX-License-Identifier: Apache-2.0
//
// Images as PNG and JPEG files hold them, read by libpng and libjpeg-turbo, and their size changed.
// Untrusted input. Depends on: tensor.h. Used by: tools/pictures.cc.
#ifndef TESSERA_RUNTIME_TENSOR_PICTURE_H_
#define TESSERA_RUNTIME_TENSOR_PICTURE_H_

#include <cstdint>
#include <string>

#include "base/error.h"
#include "runtime/tensor/tensor.h"

namespace tessera {

inline constexpr int64_t kLongestSide = 1 << 15;          // of a picture, in pixels
inline constexpr int64_t kMostPixels = int64_t{1} << 27;  // of a picture

// Whether the file at |path| begins as PNG or JPEG files do.
bool LooksLikePicture(const std::string& path);

// The pixels of a file as uint8 [H, W, C] with C = 1 (grey) or 3 (red, green, blue), as they stand
// in the file: no gamma or profile is applied, nor the orientation of EXIF data. A PNG of fewer
// than 8 bits or with a palette is widened.
//   errors  kNotFound         the file cannot be opened
//           kInvalidArgument  neither PNG nor JPEG; an alpha channel, 16 bits a sample, four inks
//           kDataLoss         it is truncated or damaged
//           kOutOfRange       longer than kLongestSide or more than kMostPixels
//           kUnsupported      this build, for a board, reads none
Result<HostTensor> ReadPicture(const std::string& path);

// How ResizePicture finds a pixel of the new picture.
enum class Resampling : uint8_t { kNearest, kBilinear };

// |picture|, uint8 [H, W, C], as uint8 [height, width, C]. Pixel i of n on an axis is sought where
// its middle lies among the m old ones, at x = (i + 0.5) * m / n - 0.5. kNearest takes the old
// pixel that holds that place, floor(x + 0.5). kBilinear weighs the two around it on each axis by
// their distance, ends repeated, and rounds to the nearest integer, halves up. There is no low pass
// before a reduction.
HostTensor ResizePicture(const HostTensor& picture, int64_t height, int64_t width,
                         Resampling resampling);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_TENSOR_PICTURE_H_
