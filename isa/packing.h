// SPDX-License-Identifier: Apache-2.0
//
// Packing: how an activation lies in device memory, and what the host does to bring a tensor there
// or back. Data only, with the two functions that mean it. Depends on base. Used by: code
// generation (which chooses packings), runtime/pack, the artifact.
#ifndef TESSERA_ISA_PACKING_H_
#define TESSERA_ISA_PACKING_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::isa {

// The logical tensor is int8 [batch, channel, y, x], row-major. In device memory it is
// [batches][blocks][out_y][out_x][rows][block]: channels in blocks, |rows| images in one tile. Lane
// j of all blocks (block j / |block|, lane j % |block|) at (y, x) holds channel lanes[j].channel at
// (y * stride + dy, x * stride + dx); |fill| outside the tensor, past the last image and in lanes
// whose channel is -1. With one lane a channel, no offsets and stride 1 this is NCHW16c for block
// 16; other tables move the taps of a window into the channel axis.
struct Packing {
  std::array<int64_t, 4> shape{1, 1, 1, 1};
  int64_t rows = 1, block = 16;
  int64_t batches = 1, blocks = 1, out_y = 1, out_x = 1;
  std::array<int64_t, 2> stride{1, 1};  // y, x
  struct TapLane {
    int64_t channel = -1, dy = 0, dx = 0;
    bool operator==(const TapLane&) const = default;
  };
  std::vector<TapLane> lanes;  // blocks * block
  int8_t fill = 0;

  int64_t bytes() const { return batches * blocks * out_y * out_x * rows * block; }
  int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  // Every element of the tensor is somewhere: Unpack can bring it back.
  bool plain() const;
  bool operator==(const Packing&) const = default;
};

// The packing of an activation that the machine itself makes: one lane a channel.
Packing PlainPacking(const std::array<int64_t, 4>& shape, int64_t rows, int64_t block);

// |tensor| has packing.elements() values, |packed| packing.bytes(); other sizes are the caller's
// bug.
void Pack(const Packing& packing, std::span<const int8_t> tensor, std::span<uint8_t> packed);
// The other way; |packing| must be plain().
void Unpack(const Packing& packing, std::span<const uint8_t> packed, std::span<int8_t> tensor);

}  // namespace tessera::isa

#endif  // TESSERA_ISA_PACKING_H_
