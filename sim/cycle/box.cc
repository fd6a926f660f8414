// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/box.h"

#include <algorithm>

#include "base/check.h"

namespace tessera::sim::cycle {

CheckedBox BoxOf(const isa::InsnNest& nest, isa::Memory memory,
                 const std::array<uint64_t, isa::kSegments>& segments) {
  CheckedBox box;
  box.memory = memory;
  const isa::NestOperand* data = nullptr;
  const isa::NestOperand* tiles = nullptr;
  for (const isa::NestOperand& o : nest.operands()) (o.space.is_segment() ? data : tiles) = &o;
  TESSERA_CHECK(data != nullptr && tiles != nullptr);
  box.tile = static_cast<uint64_t>(tiles->base);
  box.x_bytes = static_cast<uint64_t>(data->extent);
  box.address = segments[data->space.segment()] + static_cast<uint64_t>(data->base);
  box.size = {1, 1, 1};
  box.tiles = 1;
  const int loops = nest.loop_count;  // outermost first
  for (int axis = 0; axis < loops; ++axis) {
    const isa::NestLoop& loop = nest.loop_list[loops - 1 - axis];
    box.size[axis] = static_cast<uint64_t>(loop.inside);
    box.step[axis] = static_cast<uint64_t>(data->strides[loops - 1 - axis]);
    box.tiles *= static_cast<uint64_t>(loop.count);
    if (axis == 2) continue;
    box.before[axis] = static_cast<uint64_t>(loop.before);
    box.after[axis] = static_cast<uint64_t>(loop.count - loop.before - loop.inside);
  }
  box.nop = box.tiles == 0;
  box.no_data = box.nop || box.size[0] == 0 || box.size[1] == 0;
  box.run_bytes = box.x_bytes;
  bool whole = true;
  for (int axis = 0; axis < 3 && !box.no_data; ++axis) {
    whole = whole && (box.size[axis] == 1 || box.step[axis] == box.run_bytes);
    box.whole[axis] = whole;
    if (whole) box.run_bytes += (box.size[axis] - 1) * box.step[axis];
  }
  return box;
}

BurstWalk::BurstWalk(const CheckedBox& box, uint64_t bus_bytes)
    : box_(box), bus_bytes_(bus_bytes), at_(box.address), end_(box.address + box.run_bytes) {
  for (int axis = 0; axis < 3; ++axis) count_[axis] = box.whole[axis] ? 1 : box.size[axis];
  Cut();
}

void BurstWalk::Cut() {
  const uint64_t block = kMaxBurst * bus_bytes_;
  const uint64_t word = at_ / bus_bytes_ * bus_bytes_;
  const uint64_t end = std::min(end_, (word / block + 1) * block);
  burst_.address = word;
  burst_.beats = static_cast<uint32_t>((end - word + bus_bytes_ - 1) / bus_bytes_);
  at_ = end;
  burst_.last = at_ == end_;
  for (int axis = 0; axis < 3; ++axis) burst_.last &= index_[axis] + 1 == count_[axis];
}

void BurstWalk::Next() {
  if (at_ == end_) {
    uint64_t start = box_.address;
    bool carry = true;
    for (int axis = 0; axis < 3; ++axis) {
      if (carry) carry = ++index_[axis] == count_[axis];
      if (carry) index_[axis] = 0;
      start += index_[axis] * box_.step[axis];
    }
    at_ = start;
    end_ = start + box_.run_bytes;
  }
  Cut();
}

ChunkWalk::ChunkWalk(const CheckedBox& box, uint64_t bus_bytes)
    : box_(box),
      bus_bytes_(bus_bytes),
      most_(box.memory == isa::Memory::kAcc8 ? bus_bytes / 4 : bus_bytes) {
  if (box.nop) {
    chunk_.last = true;
    return;
  }
  count_ = {box.before[0] + box.size[0] + box.after[0], box.before[1] + box.size[1] + box.after[1],
            box.size[2]};
  chunk_.write = true;
  chunk_.memory = box.memory;
  chunk_.tile = box.tile;
  StartTile();
  Cut();
}

void ChunkWalk::StartTile() {
  data_ = true;
  uint64_t at = box_.address + index_[2] * box_.step[2];
  for (int axis = 0; axis < 2; ++axis) {
    const uint64_t i = index_[axis] - box_.before[axis];  // wraps in the pads before the data
    data_ = data_ && i < box_.size[axis];
    at += i * box_.step[axis];
  }
  left_ = box_.x_bytes;
  offset_ = at % bus_bytes_;
}

void ChunkWalk::Next() {
  if (chunk_.ends_tile) {
    bool carry = true;
    for (int axis = 0; axis < 3 && carry; ++axis) {
      carry = ++index_[axis] == count_[axis];
      if (carry) index_[axis] = 0;
    }
    ++chunk_.tile;
    StartTile();
  } else {
    left_ -= most_;
    offset_ = (offset_ + most_) % bus_bytes_;
  }
  Cut();
}

void ChunkWalk::Cut() {
  chunk_.data = data_;
  chunk_.ends_tile = !data_ || left_ <= most_;
  chunk_.bytes = data_ ? static_cast<uint32_t>(std::min(left_, most_)) : 0;
  const uint64_t end = offset_ + chunk_.bytes;
  chunk_.full = end >= bus_bytes_;
  chunk_.spans = end > bus_bytes_;
  // The run continues if the next tile in device memory belongs to it.
  chunk_.ends_run = data_ && chunk_.ends_tile;
  chunk_.last = chunk_.ends_tile;
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t before = axis < 2 ? box_.before[axis] : 0;
    if (box_.whole[axis]) chunk_.ends_run &= index_[axis] + 1 == before + box_.size[axis];
    chunk_.last &= index_[axis] + 1 == count_[axis];
  }
}

}  // namespace tessera::sim::cycle
