// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the STORE unit with the bus's write channels against a STORE derived from the
// reference page: random boxes of both profiles, any alignment, steps, short tiles, tiles that
// overlap in memory, under random stalls of memory, commands and scratchpad; a command retires only
// when its bytes are in memory; every error; the rate on the tsim memory; a flush in the middle.
// Not tested here: tokens and queues (tests/hw/top).
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "Vstore_bench.h"
#include "base/rng.h"
#include "isa/config.h"
#include "isa/costs.h"
#include "isa/encoding.h"
#include "isa/vta_encoding.h"
#include "tests/hw/common/axi_memory.h"
#include "tests/hw/common/bench.h"
#include "tests/hw/common/segments.h"

namespace tessera::hw {
namespace {

isa::Config TheConfig() { return *isa::LoadConfig(CONFIG_NAME); }
bool HasVta() { return isa::ValidateVtaProfile(TheConfig()).has_value(); }

isa::InsnWord Word(const isa::Store& store) { return *isa::Encode(isa::Insn(store)); }
isa::InsnWord Word(const isa::VtaStore& store) {
  const isa::VtaInsnWord w = *isa::VtaCodec::Make(TheConfig())->Encode(isa::VtaInsn(store));
  return {w[0], w[1], 0, 0};
}

class StoreBench {
 public:
  static constexpr uint64_t kMemoryBytes = 1 << 19;

  StoreBench(isa::DramModel model, uint64_t seed)
      : config(TheConfig()),
        memory(model, static_cast<uint32_t>(config.bus_bytes()), kMemoryBytes, seed),
        tiles(static_cast<size_t>(config.out_bytes)),
        rng_(seed),
        stalls_(seed != 0) {
    bench->cmd_valid_i = 0;
    bench->vta_i = 0;
    bench->seg_write_i = 0;
    bench->flush_i = 0;
    bench->st_rd_ready_i = 0;
    bench->st_rd_data_valid_i = 0;
    bench->m_axi_awready_i = 0;
    bench->m_axi_wready_i = 0;
    bench->m_axi_bvalid_i = 0;
    bench.Reset();
  }

  void SetSegment(int s, uint64_t base, uint64_t size) { WriteSegment(bench, s, base, size); }

  void Cycle() {
    memory.Begin(bench->m_axi_wvalid_o);
    memory.DriveWrites(bench.top());
    const bool offered = bench->cmd_valid_i;
    bench->cmd_valid_i = next < commands.size() && (offered || !stalls_ || rng_.OneIn(2));
    if (bench->cmd_valid_i) {
      PutBytes(bench->cmd_insn_i, {reinterpret_cast<const uint8_t*>(commands[next].data()), 32});
      bench->cmd_num_i = static_cast<uint32_t>(100 + next);
    }
    bench->st_rd_ready_i = !stalls_ || rng_.OneIn(2);
    // Tile reads are answered in order, after one to five cycles.
    const bool answer = !asked_.empty() && asked_.front().second <= bench.cycle();
    bench->st_rd_data_valid_i = answer;
    if (answer) {
      const size_t bytes = static_cast<size_t>(config.out_tile_bytes());
      PutBytes(bench->st_rd_data_i, {&tiles[asked_.front().first * bytes], bytes});
      asked_.pop_front();
    }
    bench.Settle();
    memory.SampleWrites(bench.top());
    if (bench->m_axi_wvalid_o && bench->m_axi_wready_i) word_numbers.push_back(bench->wnum_o);
    if (bench->st_rd_valid_o && bench->st_rd_ready_i) {
      EXPECT_EQ(bench->st_rd_acc_o, bench->vta_i);
      asked_.emplace_back(bench->st_rd_addr_o, bench.cycle() + (stalls_ ? rng_.Range(1, 5) : 1));
    }
    const bool taken = bench->cmd_valid_i && bench->cmd_ready_o;
    if (taken && next == 0) first_command = bench.cycle();
    if (bench->taken_o && unit_took == 0) unit_took = bench.cycle();
    if (bench->asks_o && first_request == 0) first_request = bench.cycle();
    if (bench->retire_valid_o) {
      ++retired;
      last_retire = bench.cycle();
      memory_at_retire = memory.write_beats;
    }
    bench.Edge();
    memory.End();
    if (taken) {
      ++next;
      bench->cmd_valid_i = 0;
    }
  }

  // Runs until all commands have retired or one is in error; false: neither.
  bool Run(std::vector<isa::InsnWord> words) {
    commands = std::move(words);
    for (int budget = 1'000'000; budget > 0; --budget) {
      Cycle();
      if (bench->err_valid_o) {
        for (int i = 0; i < 8; ++i) Cycle();
        return true;
      }
      if (retired == commands.size()) return true;
    }
    return false;
  }

  const isa::Config config;
  Bench<Vstore_bench> bench;
  AxiMemory memory;
  std::vector<uint8_t> tiles;
  std::vector<isa::InsnWord> commands;
  std::vector<uint32_t> word_numbers;
  size_t next = 0, retired = 0;
  uint64_t first_command = 0, last_retire = 0, memory_at_retire = 0;
  uint64_t unit_took = 0, first_request = 0;  // cycles, of commands behind the check

 private:
  std::deque<std::pair<uint32_t, uint64_t>> asked_;
  Rng rng_;
  bool stalls_;
};

void Golden(const isa::Store& v, const isa::Config& c, uint64_t base,
            const std::vector<uint8_t>& tiles, std::vector<uint8_t>* dram) {
  int64_t tile = v.sram_base;
  for (int64_t z = 0; z < v.z_size; ++z) {
    for (int64_t y = 0; y < v.y_size; ++y) {
      for (int64_t x = 0; x < v.x_size; ++x, ++tile) {
        for (int64_t i = 0; i < v.x_bytes; ++i) {
          dram->at(base + v.dram_base + z * v.z_step + y * v.y_step + x * v.x_step + i) =
              tiles.at(tile * c.out_tile_bytes() + i);
        }
      }
    }
  }
}

class StoreSeeds : public ::testing::TestWithParam<uint64_t> {};

TEST_P(StoreSeeds, RandomBoxesMatchTheReference) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Rng rng(GetParam() + 1);
  StoreBench unit(rng.OneIn(2) ? isa::DramModel::kTsim : isa::DramModel::kZynq,
                  rng.OneIn(4) ? 0 : GetParam() + 1);
  const bool vta = HasVta() && rng.OneIn(3);
  unit.bench->vta_i = vta;
  for (uint8_t& byte : unit.tiles) byte = static_cast<uint8_t>(rng.Next());
  for (uint8_t& byte : unit.memory.data) byte = static_cast<uint8_t>(rng.Next());
  std::vector<uint8_t> want = unit.memory.data;
  const int64_t tile_bytes = unit.config.out_tile_bytes();
  const int64_t depth = unit.config.Depth(isa::Memory::kOut);
  std::array<uint64_t, 8> base;
  for (int s = 0; s < 8; ++s)
    unit.SetSegment(s, base[s] = static_cast<uint64_t>(rng.Range(0, 500)) * 64, 300'000);
  std::vector<isa::InsnWord> words;
  for (int i = 0; i < 12; ++i) {
    isa::Store v;
    v.x_bytes = vta || rng.OneIn(2) ? tile_bytes : rng.Range(1, tile_bytes);
    do {
      v.x_size = rng.Range(0, 9);
      v.y_size = rng.Range(0, 4);
      v.z_size = vta ? 1 : rng.Range(0, 3);
      v.sram_base = rng.Range(0, depth - 1);
    } while (v.sram_base + v.x_size * v.y_size * v.z_size > depth);
    if (vta) {
      isa::VtaStore w;
      w.memory_type = static_cast<int64_t>(isa::Memory::kOut);
      w.sram_base = v.sram_base;
      w.x_size = v.x_size;
      w.y_size = v.y_size;
      w.x_stride = rng.OneIn(2) ? v.x_size : rng.Range(0, 100);
      w.dram_base = rng.Range(0, 300);
      w.x_pad_0 = rng.Range(0, 3);  // ignored
      words.push_back(Word(w));
      v.x_step = tile_bytes;
      v.y_step = w.x_stride * tile_bytes;
      v.dram_base = w.dram_base * tile_bytes;
      Golden(v, unit.config, base[4], unit.tiles, &want);
    } else {
      v.segment = rng.Range(0, 7);
      v.dram_base = rng.OneIn(2) ? rng.Range(0, 1000) * 64 : rng.Range(0, 60'000);
      v.x_step = rng.OneIn(2) ? v.x_bytes : rng.Range(0, 2 * v.x_bytes + 20);
      v.y_step = rng.OneIn(2) ? v.x_size * v.x_step : rng.Range(0, 9000);
      v.z_step = rng.OneIn(2) ? v.y_size * v.y_step : rng.Range(0, 90000);
      words.push_back(Word(v));
      Golden(v, unit.config, base[v.segment], unit.tiles, &want);
    }
  }
  ASSERT_TRUE(unit.Run(words)) << "did not end";
  ASSERT_FALSE(unit.bench->err_valid_o);
  ASSERT_EQ(unit.retired, words.size());
  EXPECT_TRUE(unit.memory.idle()) << "retired before the last response";
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(unit.memory.data[i], want[i]) << "address " << i;
  EXPECT_TRUE(std::is_sorted(unit.word_numbers.begin(), unit.word_numbers.end()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreSeeds, ::testing::Range<uint64_t>(0, 80));

isa::Store Good() {
  isa::Store v;
  v.x_bytes = v.x_step = TheConfig().out_tile_bytes();
  v.x_size = 4;
  v.y_size = v.z_size = 1;
  return v;
}

void ExpectError(const isa::InsnWord& word, isa::MachineError code, bool vta = false) {
  StoreBench unit(isa::DramModel::kTsim, 0);
  unit.bench->vta_i = vta;
  for (int s = 0; s < 8; ++s) unit.SetSegment(s, 0, 4096);
  ASSERT_TRUE(unit.Run({word, word}));
  ASSERT_TRUE(unit.bench->err_valid_o);
  EXPECT_EQ(unit.bench->err_code_o, static_cast<int>(code));
  EXPECT_EQ(unit.bench->err_num_o, 100u);
  EXPECT_EQ(unit.retired, 0u);
  EXPECT_EQ(unit.memory.write_beats, 0u);
}

TEST(StoreErrors, EachIsReportedBeforeAnythingIsWritten) {
  const isa::Config config = TheConfig();
  isa::Store v = Good();
  v.x_bytes = 0;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v.x_bytes = config.out_tile_bytes() + 1;
  ExpectError(Word(v), isa::MachineError::kIllegalField);
  v = Good();
  v.sram_base = config.Depth(isa::Memory::kOut) - 3;
  ExpectError(Word(v), isa::MachineError::kSramRange);
  v = Good();
  v.dram_base = 4096 - 4 * config.out_tile_bytes() + 1;
  ExpectError(Word(v), isa::MachineError::kDramRange);
}

TEST(StoreErrors, EachOfVtaIsReportedBeforeAnythingIsWritten) {
  if (!HasVta()) GTEST_SKIP() << "VTA has no encoding of this configuration";
  isa::VtaStore w;
  w.x_size = w.y_size = 1;
  w.memory_type = static_cast<int64_t>(isa::Memory::kInp);
  ExpectError(Word(w), isa::MachineError::kIllegalField, true);
  w.memory_type = static_cast<int64_t>(isa::Memory::kOut);
  w.dram_base = 4096;
  ExpectError(Word(w), isa::MachineError::kDramRange, true);
}

TEST(StoreErrors, BusErrorNamesTheInstruction) {
  StoreBench unit(isa::DramModel::kTsim, 0);
  unit.SetSegment(0, 0, 65536);
  unit.memory.error_begin = 8192;
  unit.memory.error_end = 8256;
  isa::Store bad = Good();
  bad.dram_base = 8192;
  ASSERT_TRUE(unit.Run({Word(Good()), Word(bad), Word(Good())}));
  ASSERT_TRUE(unit.bench->err_valid_o);
  EXPECT_EQ(unit.bench->err_code_o, static_cast<int>(isa::MachineError::kBus));
  EXPECT_EQ(unit.bench->err_num_o, 101u);
  EXPECT_EQ(unit.retired, 1u);
}

TEST(StoreRate, CommandsFollowWithoutAGap) {
  StoreBench unit(isa::DramModel::kTsim, 0);
  if (unit.config.out_tile_bytes() < unit.config.bus_bytes())
    GTEST_SKIP() << "a tile is less than a beat, so the bus does not set the rate";
  unit.SetSegment(0, 0, StoreBench::kMemoryBytes);
  isa::Store v = Good();
  v.x_size = 16;
  std::vector<isa::InsnWord> words(32, Word(v));
  ASSERT_TRUE(unit.Run(words));
  const uint64_t cycles = unit.last_retire - unit.first_command;
  EXPECT_LE(cycles, unit.memory.write_beats + 32) << unit.memory.write_beats << " beats";
}

TEST(StoreRate, ARequestFollowsTheCommandAfterItsStartCycles) {
  StoreBench unit(isa::DramModel::kTsim, 0);
  unit.SetSegment(0, 0, StoreBench::kMemoryBytes);
  ASSERT_TRUE(unit.Run({Word(Good())}));
  EXPECT_EQ(unit.first_request - unit.unit_took, uint64_t{isa::StartCycles(isa::Unit::kStore)});
}

// A flush clears the unit while requests are out: the channels still end every transaction.
TEST(StoreFlush, TransactionsEndCleanly) {
  for (int when = 5; when < 90; ++when) {
    SCOPED_TRACE(::testing::Message() << "flush at cycle " << when);
    StoreBench unit(isa::DramModel::kZynq, static_cast<uint64_t>(when));
    unit.SetSegment(0, 0, StoreBench::kMemoryBytes);
    isa::Store v = Good();
    v.x_size = 16;
    v.dram_base = 3;
    unit.commands.assign(6, Word(v));
    for (int i = 0; i < when; ++i) unit.Cycle();
    unit.commands.clear();
    unit.next = 0;
    unit.bench->cmd_valid_i = 0;
    unit.bench->flush_i = 1;
    int budget = 4000;
    do {
      unit.Cycle();
    } while (!unit.bench->quiet_o && --budget > 0);
    EXPECT_GT(budget, 0);
    EXPECT_TRUE(unit.memory.idle());
  }
}

}  // namespace
}  // namespace tessera::hw
