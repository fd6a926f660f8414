// SPDX-License-Identifier: Apache-2.0
#include "isa/packing.h"

#include <algorithm>

#include "base/bits.h"
#include "base/check.h"

namespace tessera::isa {
namespace {

// Calls f(byte in device memory, element of the tensor or -1) for every byte, in order.
template <typename F>
void ForEach(const Packing& p, F&& f) {
  const auto [images, channels, height, width] = p.shape;
  size_t at = 0;
  for (int64_t n = 0; n < p.batches; ++n) {
    for (int64_t b = 0; b < p.blocks; ++b) {
      for (int64_t y = 0; y < p.out_y; ++y) {
        for (int64_t x = 0; x < p.out_x; ++x) {
          for (int64_t r = 0; r < p.rows; ++r) {
            const int64_t image = n * p.rows + r;
            for (int64_t j = b * p.block; j < (b + 1) * p.block; ++j) {
              const Packing::TapLane& lane = p.lanes[static_cast<size_t>(j)];
              const int64_t sy = y * p.stride[0] + lane.dy, sx = x * p.stride[1] + lane.dx;
              const bool inside = image < images && lane.channel >= 0 && sy >= 0 && sy < height &&
                                  sx >= 0 && sx < width;
              f(at++, inside ? ((image * channels + lane.channel) * height + sy) * width + sx : -1);
            }
          }
        }
      }
    }
  }
}

void CheckSizes(const Packing& p, size_t tensor, size_t packed) {
  TESSERA_CHECK(static_cast<int64_t>(p.lanes.size()) == p.blocks * p.block);
  TESSERA_CHECK(
      static_cast<int64_t>(tensor) == p.elements() && static_cast<int64_t>(packed) == p.bytes(),
      "{} elements of {}, {} bytes of {}", tensor, p.elements(), packed, p.bytes());
}

}  // namespace

bool Packing::plain() const {
  Packing same = PlainPacking(shape, rows, block);
  same.fill = fill;
  return *this == same;
}

Packing PlainPacking(const std::array<int64_t, 4>& shape, int64_t rows, int64_t block) {
  Packing p;
  p.shape = shape;
  p.rows = rows;
  p.block = block;
  p.batches = CeilDiv(shape[0], rows);
  p.blocks = CeilDiv(shape[1], block);
  p.out_y = shape[2];
  p.out_x = shape[3];
  p.lanes.resize(static_cast<size_t>(p.blocks * block));
  for (int64_t c = 0; c < shape[1]; ++c) p.lanes[static_cast<size_t>(c)].channel = c;
  return p;
}

void Pack(const Packing& packing, std::span<const int8_t> tensor, std::span<uint8_t> packed) {
  CheckSizes(packing, tensor.size(), packed.size());
  ForEach(packing, [&](size_t at, int64_t element) {
    packed[at] =
        static_cast<uint8_t>(element < 0 ? packing.fill : tensor[static_cast<size_t>(element)]);
  });
}

void Unpack(const Packing& packing, std::span<const uint8_t> packed, std::span<int8_t> tensor) {
  CheckSizes(packing, tensor.size(), packed.size());
  TESSERA_CHECK(packing.plain());
  ForEach(packing, [&](size_t at, int64_t element) {
    if (element >= 0) tensor[static_cast<size_t>(element)] = static_cast<int8_t>(packed[at]);
  });
}

}  // namespace tessera::isa
