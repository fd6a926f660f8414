// SPDX-License-Identifier: Apache-2.0
//
// LoadBench: the LOAD unit between device memory and byte-array scratchpads; LoadGolden: the effect
// of a LOAD on a map of bytes, derived from the reference page. Used by: tests/hw/load.
#ifndef TESSERA_TESTS_HW_LOAD_LOAD_BENCH_H_
#define TESSERA_TESTS_HW_LOAD_LOAD_BENCH_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "base/rng.h"
#include "isa/config.h"
#include "isa/costs.h"
#include "isa/encoding.h"
#include "isa/vta_encoding.h"
#include "tests/hw/common/axi_memory.h"
#include "tests/hw/common/bench.h"
#include "tests/hw/common/segments.h"

namespace tessera::hw {

// Scratchpads as bytes, by memory id.
using Pads = std::array<std::vector<uint8_t>, isa::kMemories>;

inline Pads MakePads(const isa::Config& config) {
  Pads pads;
  for (int m = 0; m < isa::kMemories; ++m) {
    const auto memory = static_cast<isa::Memory>(m);
    if (memory == isa::Memory::kAcc8) continue;
    pads[m].assign(static_cast<size_t>(config.Depth(memory) * config.TileBytes(memory)), 0xcd);
  }
  return pads;
}

template <typename Top>
class LoadBench {
 public:
  static constexpr uint64_t kMemoryBytes = 1 << 20;

  LoadBench(const isa::Config& config, isa::DramModel model, uint64_t seed)
      : config_(config),
        memory(model, static_cast<uint32_t>(config.bus_bytes()), kMemoryBytes, seed),
        pads(MakePads(config)),
        rng_(seed),
        stalls_(seed != 0) {
    bench->cmd_valid_i = 0;
    bench->vta_i = 0;
    bench->seg_write_i = 0;
    bench->trace_en_i = 0;
    bench->ld_wr_ready_i = 0;
    bench->ld_wr_digest_i = 0;
    bench->m_axi_arready_i = 0;
    bench->m_axi_rvalid_i = 0;
    bench.Reset();
  }

  void SetSegment(int s, uint64_t base, uint64_t size) { WriteSegment(bench, s, base, size); }

  // Runs |commands| (256-bit words) until all have retired or one is in error; false: neither
  // happened.
  bool Run(const std::vector<isa::InsnWord>& commands) {
    size_t next = 0;
    int after_error = 8;  // cycles in which finished commands may still retire
    retired = 0;
    retire_cycles.clear();
    first_command = last_write = unit_took = first_request = 0;
    for (int budget = 2'000'000; budget > 0; --budget) {
      memory.Begin(false);
      memory.DriveReads(bench.top());
      const bool offered = bench->cmd_valid_i;
      if (next < commands.size() && (offered || !stalls_ || rng_.OneIn(2))) {
        bench->cmd_valid_i = 1;
        PutBytes(bench->cmd_insn_i, {reinterpret_cast<const uint8_t*>(commands[next].data()), 32});
        bench->cmd_num_i = static_cast<uint32_t>(100 + next);
      } else {
        bench->cmd_valid_i = 0;
      }
      bench->ld_wr_ready_i = !stalls_ || rng_.OneIn(2);
      bench.Settle();
      memory.SampleReads(bench.top());
      if (bench->ld_wr_valid_o && bench->ld_wr_ready_i) TakeWrite();
      const bool taken = bench->cmd_valid_i && bench->cmd_ready_o;
      if (bench->retire_valid_o) {
        ++retired;
        retire_cycles.push_back(bench.cycle());
      }
      if (taken && next == 0) first_command = bench.cycle();
      if (bench->taken_o && unit_took == 0) unit_took = bench.cycle();
      if (bench->asks_o && first_request == 0) first_request = bench.cycle();
      const bool error = bench->err_valid_o;
      bench.Edge();
      memory.End();
      if (taken) {
        ++next;
        bench->cmd_valid_i = 0;
      }
      if (error && --after_error == 0) return true;
      if (retired == commands.size()) return true;
    }
    return false;
  }

  isa::Config config_;
  Bench<Top> bench;
  AxiMemory memory;
  Pads pads;
  size_t retired = 0;
  uint64_t first_command = 0, last_write = 0;
  uint64_t unit_took = 0, first_request = 0;  // cycles, of commands behind the check
  std::vector<uint64_t> retire_cycles;

 private:
  template <typename Port>
  static void PutBits(Port* port, int lsb, uint64_t value) {
    uint8_t* bytes = reinterpret_cast<uint8_t*>(port) + lsb / 8;
    std::memcpy(bytes, &value, 5);
  }

  // Applies one write as the write port's contract says, in bytes.
  void TakeWrite() {
    last_write = bench.cycle();
    const auto memory_id = static_cast<isa::Memory>(bench->ld_wr_mem_o);
    ASSERT_LT(bench->ld_wr_mem_o, isa::kMemories);
    std::vector<uint8_t>& pad = pads[bench->ld_wr_mem_o];
    const int64_t tile_bytes = config_.TileBytes(memory_id);
    const int64_t bus = config_.bus_bytes();
    std::vector<uint8_t> data(static_cast<size_t>(bus));
    GetBytes(bench->ld_wr_data_o, data);
    const int64_t base = bench->ld_wr_tile_o * tile_bytes;
    ASSERT_LE(base + tile_bytes, static_cast<int64_t>(pad.size()));
    ASSERT_EQ(bench->ld_wr_off_o % bus, 0);
    ASSERT_LT(bench->ld_wr_off_o, tile_bytes);
    for (int64_t i = 0; i < tile_bytes; ++i) {
      const int64_t in_chunk = i - bench->ld_wr_off_o;
      if (in_chunk >= 0 && in_chunk < bus) {
        if (static_cast<uint64_t>(bench->ld_wr_be_o) >> in_chunk & 1)
          pad[base + i] = data[in_chunk];
      } else if (bench->ld_wr_fill_o) {
        pad[base + i] = static_cast<uint8_t>(bench->ld_wr_pad_o >> (8 * (i % 4)));
      }
    }
  }

  Rng rng_;
  bool stalls_;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_LOAD_LOAD_BENCH_H_
