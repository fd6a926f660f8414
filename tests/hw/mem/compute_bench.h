// SPDX-License-Identifier: Apache-2.0
//
// tsr_compute, GEMM and VECTOR with INP, ACC and OUT, driven from all sides at once: commands of
// both units, LOAD's chunks, STORE's reads. UOP, WGT, PRM and TAB are arrays.
#ifndef TESSERA_TESTS_HW_MEM_COMPUTE_BENCH_H_
#define TESSERA_TESTS_HW_MEM_COMPUTE_BENCH_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "Vtsr_compute.h"
#include "isa/config.h"
#include "tests/hw/gemm/command.h"
#include "tests/hw/gemm/port_bytes.h"

namespace tessera::hw {

// One chunk of a LOAD.
struct Chunk {
  int memory = 0;  // enum Memory
  int64_t tile = 0;
  int64_t offset = 0;
  std::vector<uint8_t> data;  // bus bytes
  uint32_t enables = 0;
  bool fill = false;
  uint32_t pad = 0;
};

// One tile read by STORE.
struct Read {
  bool acc = false;
  int64_t tile = 0;
};

class ComputeBench {
 public:
  explicit ComputeBench(const isa::Config& config)
      : uop(config.uop_bytes / 8),
        wgt(config.wgt_bytes),
        prm(config.prm_depth * 9 * config.block_out),
        tab(config.tab_bytes),
        config_(config) {
    dut_.vta_i = 0;
    dut_.trace_en_i = 1;
    dut_.gemm_retire_ready_i = dut_.vector_retire_ready_i = 1;
    dut_.rst_ni = 0;
    for (int i = 0; i < 3; ++i) Cycle();
    dut_.rst_ni = 1;
  }

  // Runs until everything queued is done, or |limit| cycles have passed; returns the cycles.
  int64_t Run(int64_t limit) {
    for (int64_t cycle = 0; cycle < limit; ++cycle) {
      if (gemm.empty() && vector.empty() && chunks.empty() && reads.empty() && open_ == 0)
        return cycle;
      Cycle();
    }
    return limit;
  }

  // Accesses that are still to be offered.
  std::deque<Command> gemm, vector;
  std::deque<Chunk> chunks;
  std::deque<Read> reads;
  // The memories beside tsr_compute.
  std::vector<uint64_t> uop;
  std::vector<int8_t> wgt;
  std::vector<uint8_t> prm;
  std::vector<int8_t> tab;
  // Its answers, in order.
  std::vector<uint64_t> gemm_digests, vector_digests;
  uint64_t load_digest = 0;
  std::vector<std::vector<int8_t>> stored;
  bool error = false;
  int64_t chunk_waits = 0, read_waits = 0, vector_waits = 0;

 private:
  void Cycle() {
    dut_.gemm_cmd_valid_i = dut_.rst_ni && !gemm.empty();
    if (!gemm.empty()) {
      SetPort(dut_.gemm_cmd_insn_i, gemm.front().insn.data(), 32);
      dut_.gemm_cmd_num_i = gemm.front().num;
    }
    dut_.vector_cmd_valid_i = dut_.rst_ni && !vector.empty();
    if (!vector.empty()) {
      SetPort(dut_.vector_cmd_insn_i, vector.front().insn.data(), 32);
      dut_.vector_cmd_num_i = vector.front().num;
    }
    dut_.ld_wr_valid_i = dut_.rst_ni && !chunks.empty();
    if (!chunks.empty()) {
      const Chunk& c = chunks.front();
      dut_.ld_wr_mem_i = c.memory;
      dut_.ld_wr_tile_i = c.tile;
      dut_.ld_wr_off_i = c.offset;
      SetPort(dut_.ld_wr_data_i, c.data.data(), c.data.size());
      dut_.ld_wr_be_i = c.enables;
      dut_.ld_wr_fill_i = c.fill;
      dut_.ld_wr_pad_i = c.pad;
    }
    dut_.st_rd_valid_i = dut_.rst_ni && !reads.empty();
    if (!reads.empty()) {
      dut_.st_rd_addr_i = reads.front().tile;
      dut_.st_rd_acc_i = reads.front().acc;
    }
    dut_.clk_i = 0;
    dut_.eval();
    if (LookUp(tab, dut_.tab_index_o, dut_.tab_byte_i)) dut_.eval();
    const bool take_gemm = dut_.gemm_cmd_valid_i && dut_.gemm_cmd_ready_o;
    const bool take_vector = dut_.vector_cmd_valid_i && dut_.vector_cmd_ready_o;
    const bool take_chunk = dut_.ld_wr_valid_i && dut_.ld_wr_ready_o;
    const bool take_read = dut_.st_rd_valid_i && dut_.st_rd_ready_o;
    const bool read_uop = dut_.uop_rd_en_o, read_wgt = dut_.wgt_rd_en_o,
               read_prm = dut_.prm_rd_en_o;
    const int64_t uop_at = dut_.uop_rd_addr_o, wgt_at = dut_.wgt_rd_addr_o,
                  prm_at = dut_.prm_rd_addr_o;
    if (dut_.rst_ni) {
      if (dut_.gemm_retire_valid_o) gemm_digests.push_back(dut_.gemm_retire_digest_o), --open_;
      if (dut_.vector_retire_valid_o)
        vector_digests.push_back(dut_.vector_retire_digest_o), --open_;
      error = error || dut_.gemm_err_valid_o || dut_.vector_err_valid_o;
      load_digest += dut_.ld_wr_digest_o;
      if (dut_.st_rd_data_valid_o) {
        std::vector<int8_t> tile(config_.lanes());
        GetPort(dut_.st_rd_data_o, tile.data(), tile.size());
        stored.push_back(tile);
        --open_;
      }
      chunk_waits += dut_.ld_wr_valid_i && !dut_.ld_wr_ready_o;
      read_waits += dut_.st_rd_valid_i && !dut_.st_rd_ready_o;
      vector_waits += dut_.vector_hazard_o;
    }
    if (chunk_digest_due_) --open_, chunk_digest_due_ = false;
    dut_.clk_i = 1;
    dut_.eval();
    if (read_uop) dut_.uop_rd_data_i = uop[uop_at];
    if (read_wgt)
      SetPort(dut_.wgt_rd_data_i, &wgt[wgt_at * config_.wgt_tile_bytes()],
              config_.wgt_tile_bytes());
    if (read_prm)
      SetPort(dut_.prm_rd_data_i, &prm[prm_at * 9 * config_.block_out], 9 * config_.block_out);
    if (take_gemm) gemm.pop_front(), ++open_;
    if (take_vector) vector.pop_front(), ++open_;
    if (take_chunk) chunks.pop_front(), ++open_, chunk_digest_due_ = true;
    if (take_read) reads.pop_front(), ++open_;
  }

  Vtsr_compute dut_;
  const isa::Config config_;
  int64_t open_ = 0;  // accesses taken and not answered
  bool chunk_digest_due_ = false;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_MEM_COMPUTE_BENCH_H_
