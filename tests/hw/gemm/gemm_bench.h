// SPDX-License-Identifier: Apache-2.0
//
// The GEMM unit alone, between memories made of arrays. They answer in the next cycle, and show
// random data when the unit did not read.
#ifndef TESSERA_TESTS_HW_GEMM_GEMM_BENCH_H_
#define TESSERA_TESTS_HW_GEMM_GEMM_BENCH_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "Vtsr_gemm.h"
#include "base/rng.h"
#include "isa/config.h"
#include "isa/encoding.h"
#include "isa/vta_encoding.h"
#include "tests/hw/gemm/change_digest.h"
#include "tests/hw/gemm/command.h"
#include "tests/hw/gemm/gemm_state.h"
#include "tests/hw/gemm/port_bytes.h"

namespace tessera::hw {

class GemmBench {
 public:
  GemmBench(const isa::Config& config, bool vta) : config_(config), state(config) {
    dut_.vta_i = vta;
    dut_.retire_ready_i = 1;
    dut_.rst_ni = 0;
    for (int i = 0; i < 3; ++i) Cycle();
    dut_.rst_ni = 1;
    cycle = 0;
  }

  // Runs until |commands| have retired, an error shows, or |limit| cycles have passed.
  void Run(const std::vector<Command>& commands, int64_t limit) {
    size_t next = 0;
    int64_t wait = commands.empty() ? 0 : commands[0].delay;
    const size_t want = retired.size() + commands.size();
    for (const int64_t end = cycle + limit; cycle < end && retired.size() < want && !error;) {
      dut_.cmd_valid_i = next < commands.size() && wait == 0;
      if (dut_.cmd_valid_i) {
        SetPort(dut_.cmd_insn_i, commands[next].insn.data(), 32);
        dut_.cmd_num_i = commands[next].num;
      } else if (wait > 0) {
        --wait;
      }
      Cycle();
      if (took_) {
        taken.push_back(cycle - 1);
        if (++next < commands.size()) wait = commands[next].delay;
      }
    }
    dut_.cmd_valid_i = 0;
  }
  void Idle(int cycles) {
    for (int i = 0; i < cycles; ++i) Cycle();
  }

  const isa::Config config_;
  GemmState state;
  int64_t cycle = 0;
  std::vector<int64_t> taken;     // cycle in which each command was taken
  std::vector<int64_t> retired;   // cycle in which each showed as retired
  std::vector<uint64_t> digests;  // digest of each command's changes
  int64_t busy = 0;
  bool error = false;
  int error_code = 0;
  uint32_t error_num = 0;
  int64_t bank_clashes = 0;
  int64_t acc_reads = 0, acc_writes = 0;

 private:
  void Cycle() {
    dut_.clk_i = 0;
    dut_.eval();
    took_ = dut_.cmd_valid_i && dut_.cmd_ready_o;
    if (dut_.rst_ni) Observe();
    const Asked asked = Ask();
    uint64_t digest = 0;
    if (dut_.acc_wr_en_o) digest = WriteAcc();
    dut_.clk_i = 1;
    dut_.eval();
    Answer(asked, digest);
    ++cycle;
  }

  void Observe() {
    if (dut_.retire_valid_o) {
      retired.push_back(cycle);
      digests.push_back(dut_.retire_digest_o);
    }
    if (dut_.err_valid_o) {
      error = true;
      error_code = dut_.err_code_o;
      error_num = dut_.err_num_o;
    }
    busy += dut_.busy_o;
    acc_reads += dut_.acc_rd_en_o;
    acc_writes += dut_.acc_wr_en_o;
    if (dut_.inp_rd_b_en_o && dut_.inp_rd_a_addr_o % 4 == dut_.inp_rd_b_addr_o % 4) ++bank_clashes;
  }

  // Reads see the memories as they are before this cycle's write.
  struct Asked {
    bool uop, wgt, a, b, acc;
    uint64_t uop_word;
    std::vector<int8_t> wgt_tile, a_tile, b_tile;
    std::vector<int32_t> acc_tile;
  };
  Asked Ask() {
    const auto tile = [](const auto& memory, int64_t index, int64_t size) {
      return std::vector(memory.begin() + index * size, memory.begin() + (index + 1) * size);
    };
    Asked r{static_cast<bool>(dut_.uop_rd_en_o),
            static_cast<bool>(dut_.wgt_rd_en_o),
            static_cast<bool>(dut_.inp_rd_a_en_o),
            static_cast<bool>(dut_.inp_rd_b_en_o),
            static_cast<bool>(dut_.acc_rd_en_o),
            0,
            {},
            {},
            {},
            {}};
    if (r.uop) r.uop_word = state.uop[dut_.uop_rd_addr_o];
    if (r.wgt) r.wgt_tile = tile(state.wgt, dut_.wgt_rd_addr_o, config_.wgt_tile_bytes());
    if (r.a) r.a_tile = tile(state.inp, dut_.inp_rd_a_addr_o, config_.inp_tile_bytes());
    if (r.b) r.b_tile = tile(state.inp, dut_.inp_rd_b_addr_o, config_.inp_tile_bytes());
    if (r.acc) r.acc_tile = tile(state.acc, dut_.acc_rd_addr_o, config_.lanes());
    return r;
  }
  void Answer(const Asked& r, uint64_t digest) {
    if (r.uop) dut_.uop_rd_data_i = r.uop_word;
    if (r.wgt) SetPort(dut_.wgt_rd_data_i, r.wgt_tile.data(), r.wgt_tile.size());
    FillPort(dut_.inp_rd_a_data_i, 0x5a, config_.inp_tile_bytes());
    FillPort(dut_.inp_rd_b_data_i, 0xa5, config_.inp_tile_bytes());
    FillPort(dut_.acc_rd_data_i, 0x3c, config_.acc_tile_bytes());
    if (r.a) SetPort(dut_.inp_rd_a_data_i, r.a_tile.data(), r.a_tile.size());
    if (r.b) SetPort(dut_.inp_rd_b_data_i, r.b_tile.data(), r.b_tile.size());
    if (r.acc) SetPort(dut_.acc_rd_data_i, r.acc_tile.data(), config_.acc_tile_bytes());
    dut_.acc_wr_digest_i = digest;
  }
  uint64_t WriteAcc() {
    std::vector<int32_t> tile(config_.lanes());
    GetPort(dut_.acc_wr_data_o, tile.data(), config_.acc_tile_bytes());
    uint64_t digest = 0;
    for (int64_t l = 0; l < config_.lanes(); ++l) {
      const int64_t index = dut_.acc_wr_addr_o * config_.lanes() + l;
      digest += ChangeOfWord(kAccSpace, index, state.acc[index], tile[l]);
      state.acc[index] = tile[l];
    }
    return digest;
  }

  Vtsr_gemm dut_;
  bool took_ = false;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_GEMM_GEMM_BENCH_H_
