// SPDX-License-Identifier: Apache-2.0
//
// AxiMemory: device memory behind the m_axi_* ports of a Verilated module, with the timing of
// sim/dram; an AxiChecker watches both sides. Used by: tests/hw.
//
// A cycle of a bench:  memory.Drive(top); <other inputs>; bench.Settle(); memory.Sample(top);
// bench.Edge();
#ifndef TESSERA_TESTS_HW_COMMON_AXI_MEMORY_H_
#define TESSERA_TESTS_HW_COMMON_AXI_MEMORY_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "sim/dram/dram.h"
#include "tests/hw/common/axi_checker.h"

namespace tessera::hw {

class AxiMemory {
 public:
  // |stall_seed|: not 0: every channel stalls at random.
  AxiMemory(isa::DramModel model, uint32_t bus_bytes, uint64_t bytes, uint64_t stall_seed = 0)
      : data(bytes),
        bus_bytes_(bus_bytes),
        dram_(model, bus_bytes, stall_seed),
        checker_(bus_bytes) {}

  std::vector<uint8_t> data;
  uint64_t error_begin = 0, error_end = 0;  // bytes whose reads and writes are answered with SLVERR
  bool frozen = false;  // takes no request and gives no answer, except one that it has offered

  uint64_t read_beats = 0, write_beats = 0;
  uint64_t first_request = 0,
           last_beat = 0;  // cycles of the first read request and the last read beat
  bool idle() const { return dram_.idle(); }

  template <typename Top>
  void DriveReads(Top& top) {
    top.m_axi_arready_i = dram_.read_ready() && !frozen;
    top.m_axi_rvalid_i = dram_.beat_valid() && (!frozen || beat_stands_);
    if (dram_.beat_valid()) {
      const sim::DramBeat& beat = dram_.read_beat();
      top.m_axi_rlast_i = beat.last;
      top.m_axi_rid_i = beat.id;
      top.m_axi_rresp_i = Bad(beat.address) ? 2 : 0;
      // An offered beat keeps its data, though a write may change the bytes meanwhile.
      if (!beat_stands_ && beat.address + bus_bytes_ <= data.size()) {
        std::memcpy(&top.m_axi_rdata_i, &data[beat.address], bus_bytes_);
      }
    }
  }
  template <typename Top>
  void DriveWrites(Top& top) {
    top.m_axi_awready_i = dram_.write_ready() && !frozen;
    top.m_axi_wready_i = dram_.beat_ready() && !frozen;
    top.m_axi_bvalid_i = dram_.response_valid() && (!frozen || response_stands_);
    top.m_axi_bresp_i = !answers_bad_.empty() && answers_bad_.front() ? 2 : 0;
  }

  template <typename Top>
  void SampleReads(Top& top) {
    checker_.SampleReads(top);
    if (top.m_axi_arvalid_o && top.m_axi_arready_i) {
      if (requests_++ == 0) first_request = dram_.cycle();
      dram_.AcceptRead(
          {.address = top.m_axi_araddr_o, .beats = top.m_axi_arlen_o + 1u, .id = top.m_axi_arid_o});
    }
    beat_stands_ = top.m_axi_rvalid_i && !top.m_axi_rready_o;
    if (top.m_axi_rvalid_i && top.m_axi_rready_o) {
      dram_.TakeReadBeat();
      ++read_beats;
      last_beat = dram_.cycle();
    }
  }
  template <typename Top>
  void SampleWrites(Top& top) {
    checker_.SampleWrites(top);
    if (top.m_axi_awvalid_o && top.m_axi_awready_i) {
      dram_.AcceptWrite({.address = top.m_axi_awaddr_o, .beats = top.m_axi_awlen_o + 1u, .id = 0});
    }
    if (top.m_axi_wvalid_o && top.m_axi_wready_i) {
      const sim::DramBeat beat = dram_.write_beat();
      std::vector<uint8_t> bytes(bus_bytes_);
      std::memcpy(bytes.data(), &top.m_axi_wdata_o, bus_bytes_);
      for (uint32_t i = 0; i < bus_bytes_; ++i) {
        if ((static_cast<uint64_t>(top.m_axi_wstrb_o) >> i & 1) != 0) {
          ASSERT_LT(beat.address + i, data.size());
          data[beat.address + i] = bytes[i];
        }
      }
      burst_bad_ |= Bad(beat.address);
      if (beat.last) {
        answers_bad_.push_back(burst_bad_);
        burst_bad_ = false;
      }
      dram_.PutWriteBeat();
      ++write_beats;
    }
    response_stands_ = top.m_axi_bvalid_i && !top.m_axi_bready_o;
    if (top.m_axi_bvalid_i && top.m_axi_bready_o) {
      dram_.TakeResponse();
      answers_bad_.pop_front();
    }
  }

  // A reset of memory and interconnect: drops open transactions, keeps the bytes.
  template <typename Top>
  void Forget(Top& top) {
    dram_.Reset();
    checker_ = AxiChecker(bus_bytes_);
    beat_stands_ = response_stands_ = burst_bad_ = false;
    answers_bad_.clear();
    top.m_axi_rvalid_i = top.m_axi_bvalid_i = 0;
    top.m_axi_arready_i = top.m_axi_awready_i = top.m_axi_wready_i = 0;
  }

  // Call once a cycle, before the other functions.
  void Begin(bool write_offered) { dram_.BeginCycle(write_offered); }
  void End() { dram_.EndCycle(); }

 private:
  bool Bad(uint64_t address) const {
    return (address >= error_begin && address < error_end) || address + bus_bytes_ > data.size();
  }

  uint32_t bus_bytes_;
  sim::Dram dram_;
  AxiChecker checker_;
  uint64_t requests_ = 0;
  bool beat_stands_ = false, response_stands_ = false;  // offered in the cycle before, not taken
  bool burst_bad_ = false;        // a beat of the burst under way was in error
  std::deque<bool> answers_bad_;  // of each complete unanswered burst: in error; oldest first
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_COMMON_AXI_MEMORY_H_
