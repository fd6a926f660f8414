// SPDX-License-Identifier: Apache-2.0
//
// Windows, data, prologue and epilogue of a program. random_insns.cc and random_vta.cc draw the
// instructions.
#include "sim/rig/generator.h"

#include <algorithm>
#include <cstring>

#include "isa/encoding.h"
#include "isa/field_values.h"

namespace tessera::rig {

using isa::Memory;
using isa::Profile;

namespace {

// Whether an instruction reads all of |memory| in a step.
bool IsReadWhole(Memory memory) {
  return std::ranges::any_of(isa::kOperands, [&](const isa::OperandRow& o) {
    return o.extent == isa::ExtentKind::kWhole && o.place.kind == isa::PlaceKind::kMemory &&
           o.place.index == static_cast<int>(memory);
  });
}

}  // namespace

InsnGenerator::InsnGenerator(const isa::Config& config, Profile profile, Rng& rng)
    : config_(config), profile_(profile), rng_(rng) {
  for (int m = 0; m < isa::kMemories; ++m) {
    const int64_t depth = config.Depth(static_cast<Memory>(m), profile);
    const int64_t count = std::min<int64_t>(depth, rng.Range(16, 64));
    const int64_t places[] = {0, depth - count, rng.Range(0, depth - count)};
    windows_[m] = {places[rng.Range(0, 2)], count};
  }
  windows_[static_cast<int>(Memory::kAcc8)] = WindowOf(Memory::kAcc);
  for (const isa::MemoryRow& row : isa::kMemoryRows) {
    if (IsReadWhole(row.memory))
      windows_[static_cast<int>(row.memory)] = {0, config.Depth(row.memory, profile)};
  }
  MakeSegments();
}

void InsnGenerator::MakeSegments() {
  const auto random = [&](int64_t bytes) {
    std::vector<uint8_t> data(bytes);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(rng_.Next());
    return data;
  };
  const auto set = [&](int segment, std::vector<uint8_t> data) {
    segments_[segment] = {data.size(), std::move(data)};
  };
  uops_ = WindowOf(Memory::kUop).count;
  std::vector<uint8_t> uops;
  MakeUops(uops);
  set(0, std::move(uops));
  if (profile_ == Profile::kVta) {
    for (Memory m : {Memory::kWgt, Memory::kInp, Memory::kAcc, Memory::kAcc8}) {
      set(static_cast<int>(m), random(96 * config_.TileBytes(m, profile_)));
    }
    // Mixes small and large values: shifts and minima need both.
    for (uint8_t& byte : segments_[3].data) byte = rng_.OneIn(2) ? byte : 0;
    segments_[4].size = 128 * config_.out_tile_bytes();
    return;
  }
  prm_records_ = 8;
  std::vector<uint8_t> constants = random(8192 + 16 * config_.wgt_tile_bytes());
  FillPrm(constants);
  set(1, std::move(constants));
  segments_[2].size = 4096;  // the arena, without data at first
  set(3, random(4096 + 64 * config_.inp_tile_bytes()));
  segments_[4].size = 64 + 80 * config_.out_tile_bytes();
}

void InsnGenerator::MakeUops(std::vector<uint8_t>& data) {
  const bool vta = profile_ == Profile::kVta;
  std::optional<isa::VtaCodec> codec;
  if (vta) codec = isa::VtaCodec::Make(config_).value();
  for (int64_t u = 0; u < uops_; ++u) {
    const auto small = [&] { return rng_.Range(0, 7); };
    if (vta) {
      // The second half is for Alu, which reads an accumulator as source.
      const Memory source = u < uops_ / 2 ? Memory::kInp : Memory::kAcc;
      const isa::VtaUop uop{WindowOf(Memory::kAcc).first + small(),
                            WindowOf(source).first + small(),
                            WindowOf(Memory::kWgt).first + small()};
      const uint32_t word = codec->EncodeUop(uop).value();
      data.insert(data.end(), reinterpret_cast<const uint8_t*>(&word),
                  reinterpret_cast<const uint8_t*>(&word) + 4);
      continue;
    }
    // The second half has whole indices, for instructions with bases of zero.
    isa::Uop uop{small(), small(), small(), rng_.OneIn(4) ? 1 : 0};
    if (u >= uops_ / 2) {
      uop.dst += WindowOf(Memory::kAcc).first;
      uop.src += WindowOf(Memory::kInp).first;
      uop.wgt += WindowOf(Memory::kWgt).first;
    }
    const uint64_t word = isa::EncodeUop(uop).value();
    data.insert(data.end(), reinterpret_cast<const uint8_t*>(&word),
                reinterpret_cast<const uint8_t*>(&word) + 8);
  }
}

// Parameters as a compiler makes them, some at the ends of their ranges.
void InsnGenerator::FillPrm(std::vector<uint8_t>& data) {
  const int64_t n = config_.block_out;
  for (int64_t i = 0; i < prm_records_ * n; ++i) {
    uint8_t* record = &data[i / n * config_.prm_tile_bytes()];
    const int64_t c = i % n;
    const auto put = [&](const isa::RecordField& field, int64_t value) {
      std::memcpy(record + isa::RecordOffset(field) * n + field.bytes * c, &value,
                  static_cast<size_t>(field.bytes));
    };
    put(isa::RecordFieldOf(Memory::kPrm, "bias"),
        rng_.OneIn(4) ? static_cast<int32_t>(rng_.Next()) : rng_.Range(-9999, 9999));
    constexpr int64_t kMost = isa::GreatestOf("Requant.multiplier");
    put(isa::RecordFieldOf(Memory::kPrm, "multiplier"),
        rng_.OneIn(8) ? rng_.Range(0, kMost) : rng_.Range(kMost / 2 + 1, kMost));
    constexpr int64_t kLow = isa::LeastOf("Requant.shift"),
                      kHigh = isa::GreatestOf("Requant.shift");
    put(isa::RecordFieldOf(Memory::kPrm, "shift"),
        rng_.OneIn(8) ? rng_.Range(kLow, kHigh) : rng_.Range(-16, 0));
  }
}

// Draws a first tile such that |extent| tiles fit into |window|, if they can.
int64_t InsnGenerator::Pick(const TileWindow& window, int64_t extent) {
  return window.first + rng_.Range(0, std::max<int64_t>(window.count - extent, 0));
}

// Draws steps of two loops that stay within |room| tiles. Sets |*extent| to the distance from the
// first to the last tile.
InsnGenerator::Steps InsnGenerator::PickSteps(int64_t iter_out, int64_t iter_in, int64_t room,
                                              int64_t* extent) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Steps steps{rng_.Range(0, 6), rng_.Range(0, 4)};
    *extent = std::max<int64_t>(iter_out - 1, 0) * steps.out +
              std::max<int64_t>(iter_in - 1, 0) * steps.in;
    if (*extent < room) return steps;
  }
  *extent = 0;
  return {};
}

const TileWindow& InsnGenerator::WindowOf(int64_t vector_memory) const {
  const isa::VectorMemory memory = static_cast<isa::VectorMemory>(vector_memory);
  return WindowOf(memory == isa::VectorMemory::kOut   ? Memory::kOut
                  : memory == isa::VectorMemory::kInp ? Memory::kInp
                                                      : Memory::kAcc);
}

isa::Load InsnGenerator::FillLoad(Memory memory, int64_t first, int64_t count) {
  const int64_t bytes = config_.TileBytes(memory);
  const int64_t segment = memory == Memory::kUop                             ? 0
                          : memory == Memory::kInp || memory == Memory::kOut ? 3
                                                                             : 1;
  const int64_t room = static_cast<int64_t>(segments_[segment].data.size()) / bytes -
                       (memory == Memory::kPrm ? 0 : 1);
  const int64_t there = memory == Memory::kPrm ? prm_records_ : room;
  // Reads the data again and again if there is too little.
  const int64_t x = std::min(count, there);
  return {.memory = static_cast<int64_t>(memory),
          .segment = segment,
          .x_bytes = bytes,
          .sram_base = first,
          .x_size = x,
          .y_size = count / x,
          .x_step = bytes,
          .z_size = 1};
}

std::vector<isa::AnyInsn> InsnGenerator::Prologue() {
  std::vector<isa::AnyInsn> result;
  const auto add = [&](Memory memory, int64_t count) {
    const TileWindow& window = WindowOf(memory);
    count = std::min(count, window.count);
    if (profile_ == Profile::kVta) {
      result.push_back(isa::VtaInsn(isa::VtaLoad{.memory_type = static_cast<int64_t>(memory),
                                                 .sram_base = window.first,
                                                 .y_size = 1,
                                                 .x_size = count,
                                                 .x_stride = count}));
    } else {
      result.push_back(isa::Insn(FillLoad(memory, window.first, count)));
    }
  };
  add(Memory::kUop, WindowOf(Memory::kUop).count);
  std::vector<Memory> rest;
  for (const isa::MemoryRow& row : isa::kMemoryRows) {
    const bool loaded = (isa::LoadedIn(profile_).mask >> static_cast<int>(row.memory) & 1) != 0;
    const bool there = config_.Depth(row.memory, profile_) != 0;
    if (loaded && there && !row.lies_in && row.memory != Memory::kUop) rest.push_back(row.memory);
  }
  for (size_t n = rest.size(); n > 0; --n) {
    const size_t k = static_cast<size_t>(rng_.Range(0, static_cast<int64_t>(n) - 1));
    const int64_t count = rng_.Range(8, 64);
    if (!rng_.OneIn(8)) add(rest[k], IsReadWhole(rest[k]) ? WindowOf(rest[k]).count : count);
    std::swap(rest[k], rest[n - 1]);
  }
  return result;
}

isa::AnyInsn InsnGenerator::Any() {
  if (profile_ == Profile::kVta) return RandomVta();
  switch (rng_.Range(0, 13)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return RandomLoad();
    case 4:
    case 5:
    case 6:
      return RandomGemm();
    case 7:
      return isa::HasInsn(isa::Depthwise::kName, config_) ? RandomDepthwise() : RandomGemm();
    case 8:
    case 9:
      return RandomRequant();
    case 10:
      return RandomAdd();
    case 11:
      return RandomAlu();
    default:
      return RandomStore();
  }
}

isa::AnyInsn InsnGenerator::Epilogue() {
  if (profile_ == Profile::kVta) {
    const TileWindow& acc = WindowOf(Memory::kAcc);
    return isa::VtaInsn(isa::VtaStore{
        .memory_type = 4, .sram_base = acc.first, .y_size = 1, .x_size = 8, .x_stride = 8});
  }
  const int64_t bytes = config_.out_tile_bytes();
  return isa::Insn(isa::Store{.segment = 4,
                              .x_bytes = bytes,
                              .sram_base = WindowOf(Memory::kOut).first,
                              .x_size = 8,
                              .y_size = 1,
                              .x_step = bytes,
                              .z_size = 1});
}

}  // namespace tessera::rig
