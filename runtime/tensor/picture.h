// SPDX-License-Identifier: Apache-2.0
//
// Reads pictures from PNG and JPEG files with libpng and libjpeg-turbo, and resizes them. Untrusted
// input. Depends on: tensor.h. Used by: tools/pictures.cc.
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

// The pixels of a file as uint8 [H, W, C] with C = 1 (grey) or 3 (red, green, blue). Applies no
// gamma, no colour profile and no EXIF orientation. Widens a PNG with fewer than 8 bits or with a
// palette.
//   errors  kNotFound         the file cannot be opened
//           kInvalidArgument  neither PNG nor JPEG; an alpha channel, 16 bits a sample, four inks
//           kDataLoss         the file is truncated or damaged
//           kOutOfRange       a side over kLongestSide, or more than kMostPixels
//           kUnsupported      this build, for a board, reads no pictures
Result<HostTensor> ReadPicture(const std::string& path);

// How ResizePicture computes a pixel of the new picture.
enum class Resampling : uint8_t { kNearest, kBilinear };

// |picture|, uint8 [H, W, C], resized to uint8 [height, width, C]. On an axis of m old and n new
// pixels, new pixel i lies at x = (i + 0.5) * m / n - 0.5 among the old ones. kNearest takes the
// old pixel at floor(x + 0.5). kBilinear weighs the two old pixels around x on each axis by their
// distance, repeats the pixels at the ends, and rounds to the nearest integer, halves up. A
// reduction has no low-pass filter.
HostTensor ResizePicture(const HostTensor& picture, int64_t height, int64_t width,
                         Resampling resampling);

}  // namespace tessera

#endif  // TESSERA_RUNTIME_TENSOR_PICTURE_H_
