// SPDX-License-Identifier: Apache-2.0
//
// What is tested: TAB: tiles that LOAD writes in any order, the lookups of every lane in the same
// cycle, digests. Space: random tables, every int8 value in every lane. Not tested here: who looks
// up (tests/hw/vector), LOADs that have no such tile (tests/hw/load).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "Vtsr_tab_mem.h"
#include "base/rng.h"
#include "isa/config.h"
#include "tests/hw/common/bench.h"
#include "tests/hw/gemm/change_digest.h"
#include "tests/hw/gemm/port_bytes.h"

namespace tessera::hw {
namespace {

constexpr int kTabSpace = 8;

TEST(TabMemory, EveryLaneReadsWhatLoadWrote) {
  const isa::Config config = *isa::LoadConfig(TESSERA_HW_CONFIG);
  Bench<Vtsr_tab_mem> bench;
  bench->trace_en_i = 1;
  bench->wr_valid_i = 0;
  bench.Reset();
  Rng rng(3);
  std::vector<uint8_t> table(256);
  for (int round = 0; round < 4; ++round) {
    std::vector<int> tiles(64);
    std::iota(tiles.begin(), tiles.end(), 0);
    if (round % 2 == 1) std::ranges::reverse(tiles);
    for (const int tile : tiles) {
      uint64_t digest = 0;
      std::vector<uint8_t> data(static_cast<size_t>(config.bus_bytes()));
      for (uint8_t& v : data) v = static_cast<uint8_t>(rng.Next());
      for (int i = 0; i < 4; ++i) {
        const int at = 4 * tile + i;
        digest += ChangeOfByte(kTabSpace, static_cast<uint64_t>(at), table[at], data[i]);
        table[at] = data[i];
      }
      bench->wr_valid_i = 1;
      bench->wr_tile_i = static_cast<uint8_t>(tile);
      SetPort(bench->wr_data_i, data.data(), data.size());
      bench.Settle();
      bench.Edge();
      bench->wr_valid_i = 0;
      bench.Settle();
      ASSERT_EQ(bench->digest_o, digest) << "tile " << tile;
    }
    bench.Edge();
    for (int value = -128; value < 128; ++value) {
      std::vector<int8_t> index(config.lanes());
      std::vector<uint8_t> bytes(config.lanes());
      for (size_t l = 0; l < index.size(); ++l) index[l] = static_cast<int8_t>(value + 37 * l);
      SetPort(bench->index_i, index.data(), index.size());
      bench.Settle();
      GetPort(bench->byte_o, bytes.data(), bytes.size());
      for (size_t l = 0; l < index.size(); ++l)
        ASSERT_EQ(bytes[l], table[static_cast<size_t>(index[l] + 128)]) << "lane " << l;
    }
  }
}

}  // namespace
}  // namespace tessera::hw
