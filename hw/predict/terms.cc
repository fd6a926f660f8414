// SPDX-License-Identifier: Apache-2.0
#include "hw/predict/terms.h"

#include <algorithm>
#include <cmath>

#include "isa/insns.h"
#include "isa/widths.h"

namespace tessera::hw {
namespace {

// Bits that a PRM record keeps, where it lies in LUT RAM.
double RecordBits(const isa::Config& c) {
  if (c.block_out <= 4) return 0;
  int64_t bits = 0;
  for (const isa::RecordField& f : isa::kRecordFields) bits += f.bits;
  return static_cast<double>(bits * c.block_out);
}

}  // namespace

TermValues TermsOf(const isa::Config& c) {
  const bool vta = isa::ValidateVtaProfile(c).has_value();
  const auto lanes = static_cast<double>(c.lanes()), block = static_cast<double>(c.block_out);
  const auto bus = static_cast<double>(c.bus_bytes());
  const auto columns = static_cast<double>(c.array_columns()),
             sums = columns * static_cast<double>(c.batch);
  const auto index = [&](isa::Memory memory) {
    return static_cast<double>(isa::IndexBits(c.Depth(memory)));
  };
  TermValues t{};
  t[kOne] = 1;
  t[kLanes] = lanes;
  t[kVectorLanes] = static_cast<double>(c.vector_lanes());
  t[kSecondPass] = c.vector_passes == 2 ? t[kVectorLanes] : 0;
  t[kPassChannels] = std::min(block, t[kVectorLanes]);
  t[kTabLanes] = c.tab_bytes == 0 ? 0 : lanes;
  t[kChannels] = block;
  t[kDirectSums] = c.array_passes == 1 ? lanes : 0;
  t[kArrayChoice] = c.array_passes == 2 ? block * columns : 0;
  if (c.depthwise != 0) {
    t[kWindows] = 1;
    t[kWindowLanes] = lanes;
    t[kWindowChannels] = block;
    t[kWindowMacs] = sums * std::min(block, 9.0);
    t[kWindowIndex] = isa::TileIndexBits(c);
    t[kWindowIndices] =
        index(isa::Memory::kInp) + index(isa::Memory::kAcc) + index(isa::Memory::kWgt);
  }
  t[kMacs] = sums * block;
  t[kTile] = block * block;
  t[kTrees] = sums * std::log2(block);
  t[kBus] = bus;
  t[kBusShift] = bus * std::log2(bus);
  const int64_t largest = std::max(
      {c.wgt_tile_bytes(), c.acc_tile_bytes(), isa::RecordBytes(isa::Memory::kPrm) * c.block_out});
  t[kUsed] = std::min(bus, static_cast<double>(largest));
  t[kUsedShift] = t[kUsed] * std::log2(bus);
  t[kBusDoubling] = std::log2(bus);
  t[kInsnRest] = std::max(0.0, isa::kInsnBytes - bus);
  t[kInsnChoice] = std::max(0.0, std::log2(bus / isa::kVtaInsnBytes));
  t[kLaneDoubling] = std::log2(lanes);
  t[kMacDoubling] = std::log2(t[kMacs]);
  t[kVta] = vta ? 1 : 0;
  const int64_t tokens = c.TokenDepth(isa::Profile::kTessera);
  t[kTokens] = isa::IndexBits(tokens + 1);
  t[kVtaTokens] = vta ? isa::IndexBits(std::max(tokens, c.TokenDepth(isa::Profile::kVta)) + 1) : 0;
  const int64_t places = c.QueueDepth(isa::Profile::kTessera);
  t[kQueue] = isa::IndexBits(places);
  t[kOtherQueues] =
      isa::IndexBits(vta ? std::max(places, c.QueueDepth(isa::Profile::kVta)) : places);
  t[kBox] = isa::WidthsOfBox(c).All();
  t[kIndex] = isa::TileIndexBits(c);
  t[kUopIndex] = index(isa::Memory::kUop);
  t[kWgtIndex] = index(isa::Memory::kWgt);
  t[kInpIndex] = index(isa::Memory::kInp);
  t[kAccIndex] = index(isa::Memory::kAcc);
  t[kOutIndex] = index(isa::Memory::kOut);
  const auto depth = static_cast<double>(c.prm_depth);
  t[kRecord] = RecordBits(c);
  t[kRecordRam] = t[kRecord] * std::max(1.0, depth / 32);
  t[kRecordMux] = t[kRecord] * std::max(0.0, depth / 64 - 1);
  return t;
}

}  // namespace tessera::hw
