// SPDX-License-Identifier: Apache-2.0
//
// Packing: the layout of an activation in device memory, and what the host does to convert a tensor
// to it and back. Data, and the two functions that define its meaning. Depends on: base,
// compiler/te. Used by: compiler/network, which chooses packings, lower/accel/host_pack.h, tests.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_PACKING_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_PACKING_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/layout.h"
#include "compiler/te/te.h"

namespace tessera::schedule::accel {

// The logical tensor is int8 [batch, channel, y, x], row-major. Device memory holds the tensor, or
// |prepared| of it, in |layout|, with the padding filled.
struct Packing {
  std::array<int64_t, 4> shape{1, 1, 1, 1};
  // An expression of one input that has as many elements as |shape|; none: the tensor itself.
  te::Tensor prepared;
  Layout layout;  // in device memory

  std::span<const int64_t> packed_shape() const {
    return prepared ? std::span(prepared.shape()) : std::span(shape);
  }
  int64_t bytes() const { return SizeInElements(packed_shape(), layout); }
  int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  // Device memory has every element of the tensor: Unpack can restore it.
  bool plain() const { return !prepared; }
  // Device memory holds the bytes of the row-major tensor: packing changes nothing.
  bool identity() const { return plain() && IsRowMajor(shape, layout); }
  bool operator==(const Packing&) const = default;
};

// [batches][channel blocks][y][x][rows][block]: |block| channels of |rows| images in one tile. With
// one row and blocks of 16 this is NCHW16c.
Layout BlockedLayout(int64_t rows, int64_t block);

// The packing of an activation that the machine makes.
Packing BlockedPacking(const std::array<int64_t, 4>& shape, int64_t rows, int64_t block);

// |tensor| has packing.elements() values, |packed| has packing.bytes(); other sizes are a bug of
// the caller.
void Pack(const Packing& packing, std::span<const int8_t> tensor, std::span<uint8_t> packed);
// Inverts Pack; |packing| must be plain().
void Unpack(const Packing& packing, std::span<const uint8_t> packed, std::span<int8_t> tensor);

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_PACKING_H_
