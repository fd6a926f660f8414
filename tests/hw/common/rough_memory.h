// SPDX-License-Identifier: Apache-2.0
//
// RoughMemory: device memory that uses every freedom of AXI, also those that no memory here needs:
// beats of different ids in any order and interleaved, AWREADY only after WLAST (or words only
// after AWREADY, or neither waits; on an AXI3 port also a response before the request is taken),
// answers from one to hundreds of cycles late, other values on every cycle on the pins that valid
// does not cover, and an error on any one beat or response. Used by: tests/hw/top in place of
// AxiMemory, whose functions it has.
#ifndef TESSERA_TESTS_HW_COMMON_ROUGH_MEMORY_H_
#define TESSERA_TESTS_HW_COMMON_ROUGH_MEMORY_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "isa/config.h"
#include "tests/hw/common/axi_checker.h"

namespace tessera::hw {

class RoughMemory {
 public:
  // |seed| determines its random choices. The first argument is unused: AxiMemory has it.
  RoughMemory(isa::DramModel, uint32_t bus_bytes, uint64_t bytes, uint64_t seed)
      : data(bytes), bus_bytes_(bus_bytes), rng_(seed), checker_(bus_bytes) {
    order_ = static_cast<Order>(rng_.Range(0, 2));
    latest_ = rng_.OneIn(2) ? 10 : 300;
    pace_ = rng_.Range(1, 4);
    kind_ = static_cast<uint8_t>(rng_.Range(2, 3));
  }

  std::vector<uint8_t> data;
  bool frozen = false;       // takes no request and gives no answer, except one that it has offered
  int64_t error_beat = -1;   // the read beat, counted from 0, that is in error
  int64_t error_write = -1;  // the write burst in error, whose words are dropped
  struct {
    uint64_t address = 0;
    uint32_t id = 0;
  } error;  // address and id of error_beat

  uint64_t read_beats = 0, write_bursts = 0;
  bool idle() const { return checker_.quiet(); }

  template <typename Top>
  void DriveReads(Top& top) {
    top.m_axi_arready_i = Moves() && reads_[0].size() + reads_[1].size() < kMost;
    // Any id whose oldest burst is due may give the next beat.
    if (!beat_stands_ && !frozen && rng_.OneIn(pace_)) {
      const uint32_t first = static_cast<uint32_t>(rng_.Range(0, kIds - 1));
      for (uint32_t i = 0; i < kIds && !beat_stands_; ++i) {
        id_ = (first + i) % kIds;
        beat_stands_ = !reads_[id_].empty() && reads_[id_].front().due <= cycle_;
      }
      if (beat_stands_) Fetch();
    }
    top.m_axi_rvalid_i = beat_stands_;
    Garbage(&top.m_axi_rdata_i, sizeof(top.m_axi_rdata_i));
    top.m_axi_rlast_i = rng_.OneIn(2);
    top.m_axi_rid_i = AnyId<Top>();
    top.m_axi_rresp_i = static_cast<uint8_t>(rng_.Range(0, 3));
    if (!beat_stands_) return;
    top.m_axi_rid_i = static_cast<uint8_t>(id_);
    top.m_axi_rlast_i = reads_[id_].front().beats == 1;
    top.m_axi_rresp_i = beat_bad_ ? kind_ : 0;
    std::memcpy(&top.m_axi_rdata_i, beat_.data(), bus_bytes_);
  }

  template <typename Top>
  void DriveWrites(Top& top) {
    const bool words_lead = bursts_.size() > asked_.size();
    top.m_axi_awready_i = Moves() && (order_ != Order::kWordsFirst || words_lead);
    top.m_axi_wready_i = Moves() && (order_ != Order::kRequestFirst || !asked_.empty());
    if (!response_stands_ && !frozen) {
      response_stands_ = !responses_.empty() && responses_.front().due <= cycle_;
    }
    top.m_axi_bvalid_i = response_stands_;
    top.m_axi_bid_i = AnyId<Top>();
    top.m_axi_bresp_i = static_cast<uint8_t>(rng_.Range(0, 3));
    if (!response_stands_) return;
    top.m_axi_bid_i = 0;
    top.m_axi_bresp_i = responses_.front().bad ? kind_ : 0;
  }

  template <typename Top>
  void SampleReads(Top& top) {
    checker_.SampleReads(top);
    if (top.m_axi_arvalid_o && top.m_axi_arready_i) {
      ASSERT_LT(top.m_axi_arid_o, kIds);
      reads_[top.m_axi_arid_o].push_back({top.m_axi_araddr_o, top.m_axi_arlen_o + 1u, Due()});
    }
    if (!top.m_axi_rvalid_i || !top.m_axi_rready_o) return;
    beat_stands_ = false;
    ++read_beats;
    Burst& burst = reads_[id_].front();
    burst.address += bus_bytes_;
    if (--burst.beats == 0) reads_[id_].pop_front();
  }

  template <typename Top>
  void SampleWrites(Top& top) {
    checker_.SampleWrites(top);
    if (top.m_axi_bvalid_i && top.m_axi_bready_o) {
      responses_.pop_front();
      response_stands_ = false;
    }
    if (top.m_axi_awvalid_o && top.m_axi_awready_i) asked_.push_back(top.m_axi_awaddr_o);
    if (top.m_axi_wvalid_o && top.m_axi_wready_i) {
      Word word{std::vector<uint8_t>(bus_bytes_), static_cast<uint64_t>(top.m_axi_wstrb_o)};
      std::memcpy(word.bytes.data(), &top.m_axi_wdata_o, bus_bytes_);
      words_.push_back(std::move(word));
      if (top.m_axi_wlast_o) {
        bad_.push_back(static_cast<int64_t>(write_bursts++) == error_write);
        bursts_.push_back({std::exchange(words_, {}), bad_.back()});
        if (kAxi3<Top>) Answer();
      }
    }
    while (!asked_.empty() && !bursts_.empty()) {
      Finish();
      if (!kAxi3<Top>) Answer();
    }
  }

  // A reset of memory and interconnect: drops open transactions, keeps the bytes.
  template <typename Top>
  void Forget(Top& top) {
    checker_ = AxiChecker(bus_bytes_);
    for (std::deque<Burst>& open : reads_) open.clear();
    beat_stands_ = response_stands_ = false;
    asked_.clear();
    bursts_.clear();
    words_.clear();
    bad_.clear();
    responses_.clear();
    top.m_axi_rvalid_i = top.m_axi_bvalid_i = 0;
    top.m_axi_arready_i = top.m_axi_awready_i = top.m_axi_wready_i = 0;
  }

  void Begin(bool) {}
  void End() { ++cycle_; }

 private:
  enum class Order { kAny, kWordsFirst, kRequestFirst };
  static constexpr uint32_t kIds = 2;
  static constexpr size_t kMost = 8;  // most open reads of both ids
  struct Burst {
    uint64_t address;
    uint32_t beats;
    uint64_t due;
  };
  struct Word {
    std::vector<uint8_t> bytes;
    uint64_t strobes;
  };
  struct Words {
    std::vector<Word> words;
    bool bad;
  };
  struct Response {
    uint64_t due;
    bool bad;
  };

  template <typename Top>
  uint8_t AnyId() {
    return static_cast<uint8_t>(rng_.Range(0, kAxi3<Top> ? 63 : 1));
  }
  bool Moves() { return !frozen && rng_.OneIn(pace_); }
  uint64_t Due() { return cycle_ + static_cast<uint64_t>(rng_.Range(1, latest_)); }
  void Garbage(void* at, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      static_cast<uint8_t*>(at)[i] = static_cast<uint8_t>(rng_.Next());
  }

  // Prepares the data of the next beat to offer; random data for a beat in error.
  void Fetch() {
    const uint64_t address = reads_[id_].front().address;
    beat_bad_ = static_cast<int64_t>(read_beats) == error_beat;
    if (beat_bad_) error = {address, id_};
    beat_.resize(bus_bytes_);
    Garbage(beat_.data(), bus_bytes_);
    if (!beat_bad_) std::memcpy(beat_.data(), &data.at(address), bus_bytes_);
  }

  // Writes the words of the oldest write whose request and words are both here.
  void Finish() {
    uint64_t address = asked_.front();
    for (const Word& word : bursts_.front().words) {
      for (uint32_t i = 0; i < bus_bytes_; ++i) {
        if (word.strobes >> i & 1 && !bursts_.front().bad) data.at(address + i) = word.bytes[i];
      }
      address += bus_bytes_;
    }
    asked_.pop_front();
    bursts_.pop_front();
  }
  // Schedules the response to the oldest unanswered write. Responses of one id stay in order.
  void Answer() {
    const uint64_t due = responses_.empty() ? Due() : std::max(Due(), responses_.back().due);
    responses_.push_back({due, bad_.front()});
    bad_.pop_front();
  }

  uint32_t bus_bytes_;
  Rng rng_;
  AxiChecker checker_;
  Order order_;
  int64_t latest_ = 0, pace_ = 0;
  uint8_t kind_ = 0;  // response of an error: SLVERR or DECERR
  uint64_t cycle_ = 0;
  std::deque<Burst> reads_[kIds];
  uint32_t id_ = 0;  // id of the offered beat
  std::vector<uint8_t> beat_;
  bool beat_bad_ = false;
  bool beat_stands_ = false, response_stands_ = false;
  std::deque<uint64_t> asked_;  // addresses of write bursts whose words are missing
  std::deque<Words> bursts_;    // whole bursts whose request is missing
  std::vector<Word> words_;     // words of the burst under way
  std::deque<bool> bad_;        // for each whole burst without a response: in error
  std::deque<Response> responses_;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_COMMON_ROUGH_MEMORY_H_
