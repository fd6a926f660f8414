// SPDX-License-Identifier: Apache-2.0
//
// Packing: how an activation lies in device memory, and what the host does to bring a tensor there
// or back. Data only, with the two functions that mean it. Depends on base. Used by:
// compiler/network, which chooses packings, lower/accel/host_pack.h, tests.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_PACKING_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_PACKING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/layout.h"

namespace tessera::schedule::accel {

// An input rewritten so that taps of a window become channels: an int8 tensor |shape| [batch, lane,
// y, x]. Lane (c * taps[0] + ty) * taps[1] + tx at (y, x) is channel c of the input at
// (y * stride[0] + ty * dilation[0] - before[0], x * stride[1] + tx * dilation[1] - before[1]), or
// the packing's fill outside of it. An axis that keeps its window has one tap and stride 1.
struct Im2col {
  std::array<int64_t, 4> shape{1, 1, 1, 1};                                   // after it
  std::array<int64_t, 2> taps{1, 1}, stride{1, 1}, dilation{1, 1}, before{};  // y, x
  bool operator==(const Im2col&) const = default;
};

// What lane |lane| of an im2col with |taps| is.
struct TapLane {
  int64_t channel = 0, ty = 0, tx = 0;
};
TapLane TapLaneAt(const std::array<int64_t, 2>& taps, int64_t lane);
// The other way, for numbers and for expressions (Number(int64_t) is one).
template <typename Number>
Number LaneOf(const std::array<int64_t, 2>& taps, Number channel, Number ty, Number tx) {
  return (channel * Number(taps[0]) + ty) * Number(taps[1]) + tx;
}

// The logical tensor is int8 [batch, channel, y, x], row-major. In device memory it, or what im2col
// makes of it, is in |layout|, the padding filled.
struct Packing {
  std::array<int64_t, 4> shape{1, 1, 1, 1};
  std::optional<Im2col> im2col;
  Layout layout;

  const std::array<int64_t, 4>& packed_shape() const { return im2col ? im2col->shape : shape; }
  int64_t bytes() const { return SizeInElements(packed_shape(), layout); }
  int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  // Every element of the tensor is somewhere: Unpack can bring it back.
  bool plain() const { return !im2col; }
  // Device memory holds the bytes of the row-major tensor: nothing to pack.
  bool identity() const { return plain() && IsRowMajor(shape, layout); }
  bool operator==(const Packing&) const = default;
};

// [batches][channel blocks][y][x][rows][block]: channels in blocks, |rows| images in one tile; with
// one row and blocks of 16 that is NCHW16c.
Layout BlockedLayout(int64_t rows, int64_t block);

// The packing of an activation that the machine itself makes.
Packing BlockedPacking(const std::array<int64_t, 4>& shape, int64_t rows, int64_t block);

// |tensor| has packing.elements() values, |packed| packing.bytes(); other sizes are the caller's
// bug.
void Pack(const Packing& packing, std::span<const int8_t> tensor, std::span<uint8_t> packed);
// The other way; |packing| must be plain().
void Unpack(const Packing& packing, std::span<const uint8_t> packed, std::span<int8_t> tensor);

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_PACKING_H_
