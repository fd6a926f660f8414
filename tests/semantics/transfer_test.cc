// SPDX-License-Identifier: Apache-2.0
//
// What is tested: LOAD and STORE of both profiles against a model that works backwards, from each
// byte of the destination to its source; bounds at the last legal and first illegal value. Space:
// random boxes with pads, steps, windows that overlap, short tiles, every memory, named
// configurations. Not tested here: field values without a meaning (fields_test).
#include <gtest/gtest.h>

#include <cstring>

#include "helpers.h"

namespace tessera::isa::transfer_test {
namespace {

// The new value of byte |offset| of tile |tile| of the box, or nothing if it stays.
struct BoxModel {
  const Load& load;
  const std::vector<uint8_t>& memory;
  int64_t columns() const { return load.x_pad_0 + load.x_size + load.x_pad_1; }
  int64_t rows() const { return load.y_pad_0 + load.y_size + load.y_pad_1; }
  int64_t tiles() const { return columns() * rows() * load.z_size; }
  uint8_t Byte(int64_t tile, int64_t offset) const {
    const int64_t x = tile % columns() - load.x_pad_0;
    const int64_t y = tile / columns() % rows() - load.y_pad_0;
    const int64_t z = tile / columns() / rows();
    const bool padded = x < 0 || x >= load.x_size || y < 0 || y >= load.y_size;
    if (padded || offset >= load.x_bytes) {
      // An accumulator's pad is sign-extended to its four bytes.
      const bool wide = load.memory == static_cast<int64_t>(Memory::kAcc) && offset % 4 != 0;
      return static_cast<uint8_t>(wide ? (load.pad_value < 0 ? -1 : 0) : load.pad_value);
    }
    return memory[load.dram_base + z * load.z_step + y * load.y_step + x * load.x_step + offset];
  }
};

// The scratchpads. LOAD fills all of them.
std::vector<Memory> Scratchpads() {
  std::vector<Memory> all;
  for (const MemoryRow& row : kMemoryRows) {
    if (!row.lies_in) all.push_back(row.memory);
  }
  return all;
}

// The value of byte |offset| of a record in PRM after LOAD writes |value| over |old|.
uint8_t Kept(const Config& config, int64_t offset, uint8_t value, uint8_t old) {
  const int64_t n = config.block_out;
  if (offset >= 9 * n) return old;
  if (offset >= 8 * n) return (value & 0x20) ? value | 0xc0 : value & 0x3f;
  return offset >= 4 * n && offset % 4 == 3 ? value & 0x7f : value;
}

TEST(Load, EqualsAModelFromTheDestination) {
  for (const char* name : {"default", "tiny", "batch4", "wide"}) {
    const Config config = Named(name);
    for (uint64_t seed = 1; seed <= 250; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(config, rng, 1 << 16);
      const std::vector<Memory> scratchpads = Scratchpads();
      const Memory memory = scratchpads[seed % scratchpads.size()];
      const MemoryRow& row = RowOf(memory);
      const int64_t tile_bytes = config.TileBytes(memory);
      Load load{.memory = static_cast<int64_t>(memory),
                .segment = rng.Range(0, 7),
                .pad_value = rng.Range(-128, 127)};
      load.x_bytes = row.whole || rng.OneIn(2) ? tile_bytes : rng.Range(1, tile_bytes);
      load.x_size = rng.Range(0, 5), load.y_size = rng.Range(0, 4), load.z_size = rng.Range(0, 3);
      if (row.pads) {
        load.x_pad_0 = rng.Range(0, 2), load.x_pad_1 = rng.Range(0, 2);
        load.y_pad_0 = rng.Range(0, 2), load.y_pad_1 = rng.Range(0, 2);
      }
      // A step below x_bytes makes windows overlap in memory.
      load.x_step = rng.Range(0, 2 * tile_bytes), load.y_step = rng.Range(0, 600),
      load.z_step = rng.Range(0, 900);
      load.dram_base = rng.Range(0, 3000);
      BoxModel box{load, m.memory};
      if (box.tiles() > config.Depth(memory)) continue;
      load.sram_base = rng.Range(0, config.Depth(memory) - box.tiles());

      Machine want = m;
      const std::span<uint8_t> bytes = want.state.BytesOf(memory);
      for (int64_t i = 0; i < config.Depth(memory) * tile_bytes; ++i) {
        const int64_t tile = i / tile_bytes - load.sram_base;
        if (tile < 0 || tile >= box.tiles()) continue;
        const uint8_t value = box.Byte(tile, i % tile_bytes);
        bytes[i] = memory == Memory::kPrm ? Kept(config, i % tile_bytes, value, bytes[i]) : value;
      }
      ASSERT_FALSE(m.Run(load));
      ExpectSame(m, want);
    }
  }
}

TEST(Store, EqualsAModelFromTheDestination) {
  for (const char* name : {"default", "tiny", "batch4", "wide"}) {
    const Config config = Named(name);
    for (uint64_t seed = 1; seed <= 100; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(config, rng, 1 << 14);
      Store store{.segment = rng.Range(0, 7)};
      store.x_bytes = rng.Range(1, config.out_tile_bytes());
      store.x_size = rng.Range(0, 5), store.y_size = rng.Range(0, 4),
      store.z_size = rng.Range(0, 3);
      store.x_step = rng.Range(0, 100), store.y_step = rng.Range(0, 600),
      store.z_step = rng.Range(0, 900);
      store.dram_base = rng.Range(0, 3000), store.sram_base = rng.Range(0, 100);

      Machine want = m;
      for (int64_t address = 0; address < static_cast<int64_t>(m.memory.size()); ++address) {
        // The byte keeps the value of the last tile in loop order that covers it.
        for (int64_t t = store.x_size * store.y_size * store.z_size - 1; t >= 0; --t) {
          const int64_t x = t % store.x_size, y = t / store.x_size % store.y_size,
                        z = t / store.x_size / store.y_size;
          const int64_t first =
              store.dram_base + x * store.x_step + y * store.y_step + z * store.z_step;
          if (address < first || address >= first + store.x_bytes) continue;
          want.memory[address] = static_cast<uint8_t>(
              m.state.out[(store.sram_base + t) * config.out_tile_bytes() + address - first]);
          break;
        }
      }
      ASSERT_FALSE(m.Run(store));
      ExpectSame(m, want);
    }
  }
}

TEST(Transfer, StopsAtTheFirstTileAndByteOutside) {
  Rng rng(3);
  const Config config = Named("tiny");
  Machine m(config, rng);
  const int64_t depth = config.Depth(Memory::kInp);
  Load load{.memory = 2,
            .segment = 3,
            .x_bytes = 4,
            .sram_base = depth - 6,
            .x_size = 2,
            .y_size = 3,
            .x_step = 4,
            .z_size = 1,
            .y_step = 8};
  EXPECT_FALSE(m.Run(load));
  load.sram_base += 1;
  EXPECT_EQ(m.Run(load).error, MachineError::kSramRange);
  EXPECT_EQ(m.Run(load).detail,
            fmt::format("inp tile {}, the scratchpad holds {} tiles", depth, depth));
  load.sram_base = 0;
  m.state.segments[3] = {64, 124};  // the box has 24 bytes
  load.dram_base = 100;
  EXPECT_FALSE(m.Run(load));
  load.dram_base = 101;
  EXPECT_EQ(m.Run(load).error, MachineError::kDramRange);
  EXPECT_EQ(m.Run(load).detail, "bytes 101 to 125 of segment 3, which has 124 bytes");
  load.x_size = 0;  // nothing is read, so nothing is out of range
  EXPECT_FALSE(m.Run(load));
  load.x_size = 2;
  m.state.segments[3] = {4096 - 64, 4096};
  load.dram_base = 40;
  EXPECT_FALSE(m.Run(load));
  load.dram_base = 41;
  EXPECT_EQ(m.Run(load).error, MachineError::kBus);

  Store store{.segment = 4,
              .x_bytes = 4,
              .sram_base = config.Depth(Memory::kOut) - 4,
              .dram_base = 4080,
              .x_size = 4,
              .y_size = 1,
              .x_step = 4,
              .z_size = 1};
  EXPECT_FALSE(m.Run(store));
  store.sram_base += 1;
  EXPECT_EQ(m.Run(store).error, MachineError::kSramRange);
  store.sram_base = 0;
  store.dram_base += 1;
  EXPECT_EQ(m.Run(store).error, MachineError::kDramRange);
}

TEST(VtaTransfer, EqualsAModelFromTheDestination) {
  for (const char* name : {"default", "tiny", "batch4"}) {
    const Config config = Named(name);
    for (uint64_t seed = 1; seed <= 120; ++seed) {
      SCOPED_TRACE(::testing::Message() << name << " seed " << seed);
      Rng rng(seed);
      Machine m(config, rng, 1 << 18);
      m.state.profile = Profile::kVta;
      constexpr Memory kIds[] = {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc,
                                 Memory::kAcc8};
      const Memory memory = kIds[seed % 5];
      const int64_t tile_bytes = config.TileBytes(memory, Profile::kVta);
      // The segment with the memory's id starts at |base| and has no limit.
      const int64_t base = 64 * rng.Range(0, 10);
      m.state.segments[static_cast<int>(memory)] = {static_cast<uint64_t>(base), 0};
      VtaLoad v{.memory_type = static_cast<int64_t>(memory),
                .dram_base = rng.Range(0, 10),
                .y_size = rng.Range(0, 4),
                .x_size = rng.Range(0, 5),
                .x_stride = rng.Range(0, 9),
                .y_pad_0 = rng.Range(0, 3),
                .y_pad_1 = rng.Range(0, 3),
                .x_pad_0 = rng.Range(0, 3),
                .x_pad_1 = rng.Range(0, 3)};
      // The box of profile tessera with the same meaning; its steps are in bytes.
      Load load{.memory = v.memory_type,
                .x_bytes = tile_bytes,
                .dram_base = base + v.dram_base * tile_bytes,
                .x_size = v.x_size,
                .y_size = v.y_size,
                .x_step = tile_bytes,
                .z_size = v.x_size == 0 ? 0 : 1,
                .x_pad_0 = v.x_pad_0,
                .x_pad_1 = v.x_pad_1,
                .y_pad_0 = v.y_pad_0,
                .y_step = v.x_stride * tile_bytes,
                .y_pad_1 = v.y_pad_1};
      BoxModel box{load, m.memory};
      const int64_t depth = config.Depth(memory, Profile::kVta);
      ASSERT_LE(box.tiles(), depth);
      v.sram_base = rng.Range(0, depth - box.tiles());

      Machine want = m;
      for (int64_t tile = 0; tile < box.tiles(); ++tile) {
        for (int64_t i = 0; i < tile_bytes; ++i) {
          const uint8_t value = box.Byte(tile, i);
          if (memory == Memory::kAcc8) {
            want.state.acc[(v.sram_base + tile) * tile_bytes + i] = static_cast<int8_t>(value);
          } else {
            want.state.BytesOf(memory)[(v.sram_base + tile) * tile_bytes + i] = value;
          }
        }
      }
      ASSERT_FALSE(m.Run(v));
      ExpectSame(m, want);
    }
  }
}

TEST(VtaTransfer, StoresTheLowBytesOfAccumulators) {
  Rng rng(9);
  Machine m(Named("batch4"), rng, 1 << 14);
  m.state.profile = Profile::kVta;
  const int64_t bytes = m.state.config.out_tile_bytes();
  Machine want = m;
  for (int64_t y = 0; y < 3; ++y) {
    for (int64_t x = 0; x < 2; ++x) {
      for (int64_t i = 0; i < bytes; ++i) {
        want.memory[(5 + y * 7 + x) * bytes + i] =
            static_cast<uint8_t>(m.state.acc[(11 + y * 2 + x) * bytes + i] & 0xff);
      }
    }
  }
  ASSERT_FALSE(m.Run(VtaStore{
      .memory_type = 4, .sram_base = 11, .dram_base = 5, .y_size = 3, .x_size = 2, .x_stride = 7}));
  ExpectSame(m, want);
  ASSERT_FALSE(
      m.Run(VtaStore{.memory_type = 0, .sram_base = 0xffff, .dram_base = 0xffffffff, .y_size = 3}));
  ExpectSame(m, want);
}

}  // namespace
}  // namespace tessera::isa::transfer_test
