// SPDX-License-Identifier: Apache-2.0
//
// The VECTOR unit alone, between memories made of arrays. They answer in the next cycle, and show
// random data when the unit did not read; TAB answers in the same one. ACC and INP refuse as many
// requests as the test wants.
#ifndef TESSERA_TESTS_HW_VECTOR_VECTOR_BENCH_H_
#define TESSERA_TESTS_HW_VECTOR_VECTOR_BENCH_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "Vtsr_vector.h"
#include "base/rng.h"
#include "isa/config.h"
#include "isa/encoding.h"
#include "isa/vta_encoding.h"
#include "tests/hw/gemm/command.h"
#include "tests/hw/gemm/port_bytes.h"
#include "tests/hw/vector/vector_state.h"

namespace tessera::hw {

class VectorBench {
 public:
  // |refuse_one_in|: 0 never, n: one request in n is refused.
  VectorBench(const isa::Config& config, bool vta, int refuse_one_in = 0, uint64_t seed = 1)
      : config_(config), state(config), refuse_(refuse_one_in), rng_(seed) {
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
  VectorState state;
  int64_t cycle = 0;
  std::vector<int64_t> taken;     // cycle in which each command was taken
  std::vector<int64_t> retired;   // cycle in which each showed as retired
  std::vector<uint64_t> digests;  // digest of each command's changes
  int64_t busy = 0, hazard = 0;
  bool error = false;
  int error_code = 0;
  uint32_t error_num = 0;

 private:
  void Cycle() {
    dut_.acc_rd_ready_i = refuse_ == 0 || !rng_.OneIn(refuse_);
    dut_.acc_wr_ready_i = refuse_ == 0 || !rng_.OneIn(refuse_);
    dut_.inp_rd_ready_i = refuse_ == 0 || !rng_.OneIn(refuse_);
    dut_.clk_i = 0;
    dut_.eval();
    const std::vector<int8_t>& table = state.tab.empty() ? no_table_ : state.tab;
    if (LookUp(table, dut_.tab_index_o, dut_.tab_byte_i)) dut_.eval();
    took_ = dut_.cmd_valid_i && dut_.cmd_ready_o;
    if (dut_.rst_ni) {
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
      hazard += dut_.hazard_o;
    }
    // Reads see the memories as they are before this cycle's writes.
    const bool uop = dut_.uop_rd_en_o, prm = dut_.prm_rd_en_o,
               acc = dut_.acc_rd_valid_o && dut_.acc_rd_ready_i, out = dut_.out_rd_en_o,
               inp = dut_.inp_rd_valid_o && dut_.inp_rd_ready_i;
    const uint64_t uop_word = uop ? state.uop[dut_.uop_rd_addr_o] : 0;
    const auto prm_record = Tile(state.prm, prm ? dut_.prm_rd_addr_o : 0, 9 * config_.block_out);
    const auto acc_tile = Tile(state.acc, acc ? dut_.acc_rd_addr_o : 0, config_.lanes());
    const auto out_tile = Tile(state.out, out ? dut_.out_rd_addr_o : 0, config_.lanes());
    const auto inp_tile = Tile(state.inp, inp ? dut_.inp_rd_addr_o : 0, config_.lanes());
    uint64_t acc_digest = 0, out_digest = 0, inp_digest = 0;
    if (dut_.rst_ni) {
      if (dut_.acc_wr_valid_o && dut_.acc_wr_ready_i)
        acc_digest = Write(0, state.acc, dut_.acc_wr_addr_o, dut_.acc_wr_data_o);
      if (dut_.out_wr_en_o)
        out_digest = Write(1, state.out, dut_.out_wr_addr_o, dut_.out_wr_data_o);
      if (dut_.inp_wr_en_o)
        inp_digest = Write(2, state.inp, dut_.inp_wr_addr_o, dut_.inp_wr_data_o);
    }
    dut_.clk_i = 1;
    dut_.eval();
    if (uop) dut_.uop_rd_data_i = uop_word;
    if (prm) SetPort(dut_.prm_rd_data_i, prm_record.data(), prm_record.size());
    FillPort(dut_.acc_rd_data_i, 0x3c, config_.acc_tile_bytes());
    FillPort(dut_.out_rd_data_i, 0x5a, config_.out_tile_bytes());
    FillPort(dut_.inp_rd_data_i, 0xa5, config_.inp_tile_bytes());
    if (acc) SetPort(dut_.acc_rd_data_i, acc_tile.data(), config_.acc_tile_bytes());
    if (out) SetPort(dut_.out_rd_data_i, out_tile.data(), out_tile.size());
    if (inp) SetPort(dut_.inp_rd_data_i, inp_tile.data(), inp_tile.size());
    dut_.acc_wr_digest_i = acc_digest;
    dut_.out_wr_digest_i = out_digest;
    dut_.inp_wr_digest_i = inp_digest;
    ++cycle;
  }

  template <typename T>
  static std::vector<T> Tile(const std::vector<T>& memory, int64_t index, int64_t size) {
    return std::vector<T>(memory.begin() + index * size, memory.begin() + (index + 1) * size);
  }
  template <typename T, typename Port>
  uint64_t Write(int space, std::vector<T>& memory, int64_t tile, const Port& port) {
    std::vector<T> data(config_.lanes());
    GetPort(port, data.data(), data.size() * sizeof(T));
    uint64_t digest = 0;
    for (int64_t l = 0; l < config_.lanes(); ++l) {
      const int64_t index = tile * config_.lanes() + l;
      digest += ChangeOfElement(space, index, memory[index], data[l]);
      memory[index] = data[l];
    }
    return digest;
  }

  Vtsr_vector dut_;
  const int refuse_;
  Rng rng_;
  bool took_ = false;
  // What shows at the port of TAB where the machine has none: the unit must not use it.
  const std::vector<int8_t> no_table_ = std::vector<int8_t>(256, 0x55);
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_VECTOR_VECTOR_BENCH_H_
