// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/accel/packing.h"

#include <algorithm>

#include "base/check.h"

namespace tessera::schedule::accel {
namespace {

std::vector<uint8_t> Rewrite(const Im2col& r, const std::array<int64_t, 4>& from, int64_t fill,
                             std::span<const int8_t> tensor) {
  TESSERA_CHECK(from[1] * r.taps[0] * r.taps[1] == r.shape[1], "{} lanes", r.shape[1]);
  std::vector<uint8_t> out;
  for (int64_t n = 0; n < r.shape[0]; ++n) {
    for (int64_t j = 0; j < r.shape[1]; ++j) {
      const TapLane lane = TapLaneAt(r.taps, j);
      for (int64_t y = 0; y < r.shape[2]; ++y) {
        for (int64_t x = 0; x < r.shape[3]; ++x) {
          const int64_t sy = y * r.stride[0] + lane.ty * r.dilation[0] - r.before[0];
          const int64_t sx = x * r.stride[1] + lane.tx * r.dilation[1] - r.before[1];
          const bool inside = sy >= 0 && sy < from[2] && sx >= 0 && sx < from[3];
          const int64_t at = ((n * from[1] + lane.channel) * from[2] + sy) * from[3] + sx;
          out.push_back(static_cast<uint8_t>(inside ? tensor[static_cast<size_t>(at)] : fill));
        }
      }
    }
  }
  return out;
}

void CheckSizes(const Packing& p, size_t tensor, size_t packed) {
  TESSERA_CHECK(
      static_cast<int64_t>(tensor) == p.elements() && static_cast<int64_t>(packed) == p.bytes(),
      "{} elements of {}, {} bytes of {}", tensor, p.elements(), packed, p.bytes());
}

}  // namespace

TapLane TapLaneAt(const std::array<int64_t, 2>& taps, int64_t lane) {
  return {lane / (taps[0] * taps[1]), lane / taps[1] % taps[0], lane % taps[1]};
}

Layout BlockedLayout(int64_t rows, int64_t block) {
  Layout layout{{{0, rows, 0}, {1, block, 0}, {2, 1, 0}, {3, 1, 0}}, 0, {}};
  if (rows > 1) layout.dims.push_back({0, 1, rows});
  layout.dims.push_back({1, 1, block});
  return layout;
}

Packing BlockedPacking(const std::array<int64_t, 4>& shape, int64_t rows, int64_t block) {
  return {shape, std::nullopt, BlockedLayout(rows, block)};
}

void Pack(const Packing& p, std::span<const int8_t> tensor, std::span<uint8_t> packed) {
  CheckSizes(p, tensor.size(), packed.size());
  const std::vector<uint8_t> values = p.im2col ? Rewrite(*p.im2col, p.shape, p.layout.fill, tensor)
                                               : std::vector<uint8_t>(tensor.begin(), tensor.end());
  std::ranges::copy(PackLayout(p.packed_shape(), p.layout, 1, values), packed.begin());
}

void Unpack(const Packing& p, std::span<const uint8_t> packed, std::span<int8_t> tensor) {
  CheckSizes(p, tensor.size(), packed.size());
  TESSERA_CHECK(p.plain());
  std::ranges::transform(UnpackLayout(p.shape, p.layout, 1, packed), tensor.begin(),
                         [](uint8_t byte) { return static_cast<int8_t>(byte); });
}

}  // namespace tessera::schedule::accel
