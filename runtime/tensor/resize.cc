// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "runtime/tensor/picture.h"

namespace tessera {
namespace {

// The two old pixels around a new one, and the weight of the second.
struct PixelBetween {
  int64_t first = 0, second = 0;
  double share = 0;
};

// The places of the |to| new pixels of an axis among |from| old ones.
std::vector<PixelBetween> Places(int64_t from, int64_t to, Resampling resampling) {
  std::vector<PixelBetween> places;
  for (int64_t i = 0; i < to; ++i) {
    if (resampling == Resampling::kNearest) {
      const int64_t at = (2 * i + 1) * from / (2 * to);  // exact: floor((i + 0.5) * from / to)
      places.push_back({at, at, 0});
      continue;
    }
    const double x =
        (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    const double low = std::floor(x);
    const auto first = static_cast<int64_t>(low);
    places.push_back({std::clamp<int64_t>(first, 0, from - 1),
                      std::clamp<int64_t>(first + 1, 0, from - 1), x - low});
  }
  return places;
}

}  // namespace

HostTensor ResizePicture(const HostTensor& picture, int64_t height, int64_t width,
                         Resampling resampling) {
  const int64_t old_width = picture.shape[1], channels = picture.shape[2];
  HostTensor made = HostTensor::Zeros(DType::kUint8, {height, width, channels});
  const std::vector<PixelBetween> rows = Places(picture.shape[0], height, resampling),
                                  columns = Places(old_width, width, resampling);
  size_t out = 0;
  for (const PixelBetween& y : rows) {
    for (const PixelBetween& x : columns) {
      for (int64_t c = 0; c < channels; ++c) {
        const auto old = [&](int64_t row, int64_t column) {
          return static_cast<double>(
              picture.bytes[static_cast<size_t>((row * old_width + column) * channels + c)]);
        };
        const double above =
            old(y.first, x.first) * (1 - x.share) + old(y.first, x.second) * x.share;
        const double below =
            old(y.second, x.first) * (1 - x.share) + old(y.second, x.second) * x.share;
        made.bytes[out++] =
            static_cast<uint8_t>(std::floor(above * (1 - y.share) + below * y.share + 0.5));
      }
    }
  }
  return made;
}

}  // namespace tessera
