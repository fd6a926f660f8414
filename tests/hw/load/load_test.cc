// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the LOAD unit with the bus's read channels against a LOAD derived from the
// reference page: random boxes of both profiles, every memory, any alignment, steps, pads, short
// tiles, under random stalls of memory, commands and scratchpads; every error; the rate on the tsim
// memory. Not tested here: tokens and queues (tests/hw/top), the scratchpads behind the port.
#include <gtest/gtest.h>

#include "Vload_bench.h"
#include "tests/hw/load/load_bench.h"

namespace tessera::hw {
namespace {

using isa::Memory;
using LoadUnit = LoadBench<Vload_bench>;

isa::Config TheConfig() { return *isa::LoadConfig(CONFIG_NAME); }
bool HasVta() { return isa::ValidateVtaProfile(TheConfig()).has_value(); }

struct Segments {
  std::array<uint64_t, 8> base{};
  std::array<uint64_t, 8> size{};
};

isa::InsnWord Word(const isa::Load& load) { return *isa::Encode(isa::Insn(load)); }
isa::InsnWord Word(const isa::VtaLoad& load) {
  const isa::VtaInsnWord w = *isa::VtaCodec::Make(TheConfig())->Encode(isa::VtaInsn(load));
  return {w[0], w[1], 0xdeadbeef, 0};  // the upper half is not part of a VTA instruction
}

// The effect of |load| on |pads|, a byte at a time.
void Golden(const isa::Load& load, const isa::Config& c, const Segments& s,
            const std::vector<uint8_t>& dram, Pads* pads) {
  const auto memory = static_cast<Memory>(load.memory);
  const int64_t tile_bytes = c.TileBytes(memory);
  int64_t tile = load.sram_base;
  for (int64_t z = 0; z < load.z_size; ++z) {
    for (int64_t y = -load.y_pad_0; y < load.y_size + load.y_pad_1; ++y) {
      for (int64_t x = -load.x_pad_0; x < load.x_size + load.x_pad_1; ++x, ++tile) {
        const bool real = x >= 0 && x < load.x_size && y >= 0 && y < load.y_size;
        for (int64_t i = 0; i < tile_bytes; ++i) {
          uint8_t value = static_cast<uint8_t>(load.pad_value);
          if (memory == Memory::kAcc && i % 4 != 0) value = load.pad_value < 0 ? 0xff : 0;
          if (real && i < load.x_bytes) {
            value = dram.at(s.base[load.segment] + load.dram_base + z * load.z_step +
                            y * load.y_step + x * load.x_step + i);
          }
          (*pads)[load.memory].at(tile * tile_bytes + i) = value;
        }
      }
    }
  }
}

void Golden(const isa::VtaLoad& load, const isa::Config& c, const Segments& s,
            const std::vector<uint8_t>& dram, Pads* pads) {
  if (load.x_size == 0) return;
  const auto memory = static_cast<Memory>(load.memory_type);
  const int64_t from_bytes = c.TileBytes(memory, isa::Profile::kVta);
  int64_t tile = load.sram_base;
  for (int64_t y = -load.y_pad_0; y < load.y_size + load.y_pad_1; ++y) {
    for (int64_t x = -load.x_pad_0; x < load.x_size + load.x_pad_1; ++x, ++tile) {
      const bool real = x >= 0 && x < load.x_size && y >= 0 && y < load.y_size;
      const uint64_t from =
          s.base[load.memory_type] + (load.dram_base + y * load.x_stride + x) * from_bytes;
      for (int64_t i = 0; i < from_bytes; ++i) {
        const uint8_t value = real ? dram.at(from + i) : 0;
        if (memory == Memory::kAcc8) {
          const int32_t wide = static_cast<int8_t>(value);
          std::memcpy(&(*pads)[static_cast<int>(Memory::kAcc)].at(4 * (tile * from_bytes + i)),
                      &wide, 4);
        } else {
          (*pads)[load.memory_type].at(tile * from_bytes + i) = value;
        }
      }
    }
  }
}

Segments RandomSegments(Rng& rng) {
  Segments s;
  for (int i = 0; i < 8; ++i) {
    s.base[i] = static_cast<uint64_t>(rng.Range(0, 1000)) * 64;
    s.size[i] = 400'000;
  }
  return s;
}

isa::Load RandomLoad(Rng& rng, const isa::Config& c) {
  isa::Load v;
  Memory memory;
  do {
    memory = static_cast<Memory>(rng.Range(0, isa::kMemories - 1));
  } while (isa::RowOf(memory).lies_in);
  v.memory = static_cast<int64_t>(memory);
  const int64_t tile_bytes = c.TileBytes(memory);
  const int64_t depth = c.Depth(memory);
  v.segment = rng.Range(0, 7);
  v.x_bytes = !isa::RowOf(memory).whole && rng.OneIn(2) ? rng.Range(1, tile_bytes) : tile_bytes;
  v.pad_value = rng.Range(-128, 127);
  if (isa::RowOf(memory).pads && rng.OneIn(2)) {
    v.x_pad_0 = rng.Range(0, 2);
    v.x_pad_1 = rng.Range(0, 2);
    v.y_pad_0 = rng.Range(0, 2);
    v.y_pad_1 = rng.Range(0, 1);
  }
  do {
    v.x_size = rng.Range(0, 9);
    v.y_size = rng.Range(0, 4);
    v.z_size = rng.Range(0, 3);
    v.sram_base = rng.Range(0, depth - 1);
  } while (v.sram_base +
               v.z_size * (v.y_pad_0 + v.y_size + v.y_pad_1) * (v.x_pad_0 + v.x_size + v.x_pad_1) >
           depth);
  v.dram_base = rng.OneIn(2) ? rng.Range(0, 1000) * 64 : rng.Range(0, 60'000);
  // Dense, gapped or overlapping at each level.
  v.x_step = rng.OneIn(2) ? v.x_bytes : rng.Range(0, 2 * v.x_bytes + 20);
  v.y_step = rng.OneIn(2) ? v.x_size * v.x_step : rng.Range(0, 9000);
  v.z_step = rng.OneIn(2) ? v.y_size * v.y_step : rng.Range(0, 90000);
  return v;
}

isa::VtaLoad RandomVtaLoad(Rng& rng, const isa::Config& c) {
  static constexpr Memory kMemories[] = {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc,
                                         Memory::kAcc8};
  isa::VtaLoad v;
  const Memory memory = kMemories[rng.Range(0, 4)];
  v.memory_type = static_cast<int64_t>(memory);
  const int64_t depth = c.Depth(memory, isa::Profile::kVta);
  if (rng.OneIn(2)) {
    v.x_pad_0 = rng.Range(0, 2);
    v.x_pad_1 = rng.Range(0, 2);
    v.y_pad_0 = rng.Range(0, 2);
    v.y_pad_1 = rng.Range(0, 1);
  }
  do {
    v.x_size = rng.Range(0, 9);
    v.y_size = rng.Range(0, 4);
    v.sram_base = rng.Range(0, depth - 1);
  } while (v.sram_base + (v.y_pad_0 + v.y_size + v.y_pad_1) * (v.x_pad_0 + v.x_size + v.x_pad_1) >
           depth);
  v.dram_base = rng.Range(0, 300);
  v.x_stride = rng.OneIn(2) ? v.x_size : rng.Range(0, 100);
  return v;
}

class LoadSeeds : public ::testing::TestWithParam<uint64_t> {};

template <typename Insn, typename Make>
void RunRandom(uint64_t seed, bool vta, Make make) {
  const isa::Config config = TheConfig();
  Rng rng(seed + 1);
  const auto model = rng.OneIn(2) ? isa::DramModel::kTsim : isa::DramModel::kZynq;
  LoadUnit unit(config, model, rng.OneIn(4) ? 0 : seed + 1);
  for (uint8_t& byte : unit.memory.data) byte = static_cast<uint8_t>(rng.Next());
  const Segments segments = RandomSegments(rng);
  for (int s = 0; s < 8; ++s) unit.SetSegment(s, segments.base[s], segments.size[s]);
  unit.bench->vta_i = vta;
  Pads want = unit.pads;
  std::vector<isa::InsnWord> commands;
  for (int i = 0; i < 12; ++i) {
    const Insn load = make(rng, config);
    Golden(load, config, segments, unit.memory.data, &want);
    commands.push_back(Word(load));
  }
  ASSERT_TRUE(unit.Run(commands)) << "did not end";
  ASSERT_FALSE(unit.bench->err_valid_o)
      << "code " << static_cast<int>(unit.bench->err_code_o) << " at " << unit.bench->err_num_o;
  ASSERT_EQ(unit.retired, commands.size());
  EXPECT_TRUE(unit.memory.idle());
  for (int m = 0; m < isa::kMemories; ++m) {
    for (size_t i = 0; i < want[m].size(); ++i) {
      ASSERT_EQ(unit.pads[m][i], want[m][i]) << isa::Text(static_cast<Memory>(m)) << " byte " << i;
    }
  }
}

TEST_P(LoadSeeds, RandomBoxesMatchTheReference) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  RunRandom<isa::Load>(GetParam(), false, RandomLoad);
}

TEST_P(LoadSeeds, RandomVtaBoxesMatchTheReference) {
  if (!HasVta()) GTEST_SKIP() << "VTA has no encoding of this configuration";
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  RunRandom<isa::VtaLoad>(GetParam(), true, RandomVtaLoad);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LoadSeeds, ::testing::Range<uint64_t>(0, 60));

// A load whose fields are all legal; tests break one field.
isa::Load Good() {
  isa::Load v;
  v.memory = static_cast<int64_t>(Memory::kInp);
  v.x_bytes = v.x_step = TheConfig().inp_tile_bytes();
  v.x_size = 4;
  v.y_size = v.z_size = 1;
  return v;
}

void ExpectError(const isa::InsnWord& word, isa::MachineError code, bool vta = false,
                 uint64_t size = 4096) {
  LoadUnit unit(TheConfig(), isa::DramModel::kTsim, 0);
  unit.bench->vta_i = vta;
  for (int s = 0; s < 8; ++s) unit.SetSegment(s, 0, size);
  const Pads before = unit.pads;
  ASSERT_TRUE(unit.Run({word, word}));
  ASSERT_TRUE(unit.bench->err_valid_o);
  EXPECT_EQ(unit.bench->err_code_o, static_cast<int>(code));
  EXPECT_EQ(unit.bench->err_num_o, 100u);
  EXPECT_EQ(unit.retired, 0u);
  EXPECT_EQ(unit.memory.read_beats, 0u);
  EXPECT_EQ(unit.pads, before);
}

TEST(LoadErrors, FieldsWithoutMeaning) {
  isa::Load v = Good();
  v.memory = static_cast<int64_t>(Memory::kTab);  // whole tiles, without pads
  v.x_bytes = TheConfig().TileBytes(Memory::kTab) - 1;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v.x_bytes += 1;
  v.y_pad_1 = 1;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v = Good();
  v.memory = static_cast<int64_t>(Memory::kAcc8);
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v = Good();
  v.x_bytes = 0;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v.x_bytes = TheConfig().inp_tile_bytes() + 1;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v = Good();
  v.memory = static_cast<int64_t>(Memory::kPrm);
  v.x_bytes = TheConfig().prm_tile_bytes();
  v.x_pad_0 = 1;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v.x_pad_0 = 0;
  v.x_bytes -= 1;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v.memory = static_cast<int64_t>(Memory::kAcc);
  v.x_bytes = TheConfig().acc_tile_bytes() - 1;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
}

TEST(LoadErrors, LastTilePastTheScratchpad) {
  const int64_t depth = TheConfig().Depth(Memory::kInp);
  isa::Load v = Good();
  v.sram_base = depth - 3;
  ExpectError(Word(v), isa::MachineError::kSramRange);
  v = Good();  // pads count as tiles
  v.sram_base = depth - 9;
  v.x_pad_0 = v.x_pad_1 = 3;
  ExpectError(Word(v), isa::MachineError::kSramRange);
  v = Good();  // far more than a product of few bits could hold
  v.x_size = v.y_size = v.z_size = 65535;
  ExpectError(Word(v), isa::MachineError::kSramRange);
  v = Good();
  v.sram_base = (1 << 20) - 1;
  ExpectError(Word(v), isa::MachineError::kSramRange);
  v = Good();
  v.memory = static_cast<int64_t>(Memory::kTab);
  v.x_bytes = v.x_step = TheConfig().TileBytes(Memory::kTab);
  v.sram_base = TheConfig().Depth(Memory::kTab) - 3;
  ExpectError(Word(v), isa::MachineError::kSramRange);
}

TEST(LoadErrors, LastBytePastTheSegment) {
  const int64_t tile = TheConfig().inp_tile_bytes();
  isa::Load v = Good();
  v.dram_base = 4096 - 4 * tile + 1;
  ExpectError(Word(v), isa::MachineError::kDramRange);
  v = Good();
  v.y_size = 2;
  v.y_step = 4096 - 4 * tile + 1;
  ExpectError(Word(v), isa::MachineError::kDramRange);
  v = Good();
  v.z_size = 3;
  v.z_step = 0xffffffff;
  ExpectError(Word(v), isa::MachineError::kDramRange);
  v = Good();
  ExpectError(Word(v), isa::MachineError::kDramRange, false, 0);  // no segment
}

TEST(LoadErrors, ExactFitsAreLegal) {
  const isa::Config config = TheConfig();
  LoadUnit unit(config, isa::DramModel::kTsim, 0);
  unit.SetSegment(0, 0, 4096);
  isa::Load v = Good();
  v.sram_base = config.Depth(Memory::kInp) - 4;
  v.dram_base = 4096 - 4 * config.inp_tile_bytes();
  isa::Load pads_only = v;  // no memory is read: the address is ignored
  pads_only.x_size = 0;
  pads_only.x_pad_0 = 2;
  pads_only.dram_base = 0xffffffff;
  isa::Load nothing = v;  // no tile: nothing is checked
  nothing.z_size = 0;
  nothing.sram_base = (1 << 20) - 1;
  ASSERT_TRUE(unit.Run({Word(v), Word(pads_only), Word(nothing)}));
  EXPECT_FALSE(unit.bench->err_valid_o);
  EXPECT_EQ(unit.retired, 3u);
}

TEST(LoadErrors, BusErrorNamesTheInstruction) {
  LoadUnit unit(TheConfig(), isa::DramModel::kTsim, 0);
  unit.SetSegment(0, 0, 65536);
  unit.memory.error_begin = 8192;
  unit.memory.error_end = 8192 + 64;
  isa::Load bad = Good();
  bad.dram_base = 8192;
  ASSERT_TRUE(unit.Run({Word(Good()), Word(bad), Word(Good())}));
  ASSERT_TRUE(unit.bench->err_valid_o);
  EXPECT_EQ(unit.bench->err_code_o, static_cast<int>(isa::MachineError::kBus));
  EXPECT_EQ(unit.bench->err_num_o, 101u);
  EXPECT_EQ(unit.retired, 1u);
}

TEST(LoadErrors, VtaMemoriesAndLimits) {
  if (!HasVta()) GTEST_SKIP() << "VTA has no encoding of this configuration";
  isa::VtaLoad v;
  v.x_size = v.y_size = v.x_stride = 1;
  for (int64_t memory : {4, 6, 7}) {
    v.memory_type = memory;
    ExpectError(Word(v), isa::MachineError::kIllegalField, true);
  }
  v.memory_type = static_cast<int64_t>(Memory::kInp);
  v.dram_base = 4096;
  ExpectError(Word(v), isa::MachineError::kDramRange, true);
  v.sram_base = TheConfig().Depth(Memory::kInp);
  ExpectError(Word(v), isa::MachineError::kSramRange, true);
  // Size 0 is no limit.
  LoadUnit unit(TheConfig(), isa::DramModel::kTsim, 0);
  unit.bench->vta_i = 1;
  v.sram_base = 0;
  v.dram_base = 1000;
  for (int s = 0; s < 8; ++s) unit.SetSegment(s, 0, 0);
  ASSERT_TRUE(unit.Run({Word(v)}));
  EXPECT_FALSE(unit.bench->err_valid_o);
}

// Expects at least |at_least| beats a cycle from the first command to the last retirement.
void ExpectRate(const std::vector<isa::InsnWord>& commands, double at_least) {
  LoadUnit unit(TheConfig(), isa::DramModel::kTsim, 0);
  unit.SetSegment(0, 0, LoadUnit::kMemoryBytes);
  ASSERT_TRUE(unit.Run(commands));
  ASSERT_EQ(unit.retired, commands.size());
  const uint64_t cycles = unit.retire_cycles.back() - unit.first_command;
  const double rate = static_cast<double>(unit.memory.read_beats) / static_cast<double>(cycles);
  EXPECT_GE(rate, at_least) << unit.memory.read_beats << " beats in " << cycles << " cycles";
}

TEST(LoadRate, LongContiguousLoadsFillTheBus) {
  const isa::Config config = TheConfig();
  for (Memory memory : {Memory::kInp, Memory::kWgt}) {
    isa::Load v = Good();
    v.memory = static_cast<int64_t>(memory);
    v.x_bytes = v.x_step = config.TileBytes(memory);
    v.x_size = std::min<int64_t>(256, config.Depth(memory));
    if (v.x_bytes < config.bus_bytes()) continue;  // the tiles, not the bus, set the rate
    const bool is_default = std::string(CONFIG_NAME) == "default";
    ExpectRate({Word(v)}, is_default ? 0.9 : 0.85);
    // Unaligned: a burst has at most one beat more.
    v.dram_base = 3;
    ExpectRate({Word(v)}, is_default ? 0.9 : 0.8);
  }
}

TEST(LoadRate, TheNextLoadFollowsWithoutAGap) {
  const isa::Config config = TheConfig();
  if (config.inp_tile_bytes() < config.bus_bytes())
    GTEST_SKIP() << "a tile is less than a beat, so the bus does not set the rate";
  isa::Load v = Good();
  v.x_size = 8;
  ExpectRate(std::vector<isa::InsnWord>(64, Word(v)), 0.85);
  v.x_step *= 2;  // stride 2: short runs
  ExpectRate(std::vector<isa::InsnWord>(64, Word(v)), 0.85);
}

TEST(LoadRate, ARequestFollowsTheCommandAfterItsStartCycles) {
  LoadUnit unit(TheConfig(), isa::DramModel::kTsim, 0);
  unit.SetSegment(0, 0, 4096);
  ASSERT_TRUE(unit.Run({Word(Good())}));
  EXPECT_EQ(unit.first_request - unit.unit_took, uint64_t{isa::StartCycles(isa::Unit::kLoad)});
}

TEST(LoadRate, PadsOfATileTakeOneCycle) {
  isa::Load v = Good();
  v.memory = static_cast<int64_t>(Memory::kAcc);
  v.x_bytes = TheConfig().acc_tile_bytes();
  v.x_size = 0;
  v.x_pad_0 = 60;
  LoadUnit unit(TheConfig(), isa::DramModel::kTsim, 0);
  unit.SetSegment(0, 0, 4096);
  ASSERT_TRUE(unit.Run({Word(v)}));
  EXPECT_LE(unit.retire_cycles.back() - unit.first_command, 60u + 14u);
}

}  // namespace
}  // namespace tessera::hw
