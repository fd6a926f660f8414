// SPDX-License-Identifier: Apache-2.0
//
// AxiChecker: the rules of AXI on one port of a Verilated module, for both sides: an offer stands
// unchanged until it is taken; bursts are whole, aligned, increasing, no longer than the version
// allows and inside 4 KiB; WLAST and RLAST come with the last word of a burst; each beat and
// response has a request; no access is locked, and AxCACHE has a defined value. A port with WID is
// AXI3: a burst has at most 16 beats, WID is the id of the words' burst (bursts are not
// interleaved), and a response waits for the words alone. In AXI4 a burst has at most 256 beats,
// and a response waits for the request too. Derived from the standard's words (IHI 0022, A3 and
// A4), not from the memories here. Used by: AxiMemory, RoughMemory, and so by every test with an
// AXI port.
#ifndef TESSERA_TESTS_HW_COMMON_AXI_CHECKER_H_
#define TESSERA_TESTS_HW_COMMON_AXI_CHECKER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace tessera::hw {

// Whether a port is AXI3.
template <typename Top>
constexpr bool kAxi3 = requires(Top top) {
  top.m_axi_wid_o;
};

class AxiChecker {
 public:
  explicit AxiChecker(uint32_t bus_bytes) : bus_bytes_(bus_bytes) {}

  // Call once a cycle with all pins settled, before the edge.
  template <typename Top>
  void SampleReads(const Top& top) {
    ar_.Sample("AR", top.m_axi_arvalid_o, top.m_axi_arready_i,
               {top.m_axi_araddr_o, top.m_axi_arlen_o, top.m_axi_arid_o});
    r_.Sample("R", top.m_axi_rvalid_i, top.m_axi_rready_o,
              Payload(top.m_axi_rdata_i,
                      {top.m_axi_rid_i, top.m_axi_rresp_i, uint64_t{top.m_axi_rlast_i}}));
    if (top.m_axi_rvalid_i) {
      std::deque<uint32_t>& open = reads_[top.m_axi_rid_i];
      ASSERT_FALSE(open.empty()) << "a beat with id " << int{top.m_axi_rid_i} << " for no request";
      EXPECT_EQ(top.m_axi_rlast_i != 0, open.front() == 1) << "RLAST";
      if (top.m_axi_rready_o && --open.front() == 0) open.pop_front();
    }
    if (top.m_axi_arvalid_o) {
      CheckBurst("read", top.m_axi_araddr_o, top.m_axi_arlen_o, kMost<Top>);
      if constexpr (requires { top.m_axi_arsize_o; }) {
        CheckShape(top.m_axi_arsize_o, top.m_axi_arburst_o, top.m_axi_arcache_o);
      }
      if constexpr (kAxi3<Top>) {
        EXPECT_EQ(top.m_axi_arlock_o, 0u);
        EXPECT_EQ(top.m_axi_arqos_o, 0u);
      }
      // Counted after the beats: a beat in the cycle of its request comes too early.
      if (top.m_axi_arready_i) reads_[top.m_axi_arid_o].push_back(top.m_axi_arlen_o + 1u);
    }
  }

  template <typename Top>
  void SampleWrites(const Top& top) {
    aw_.Sample("AW", top.m_axi_awvalid_o, top.m_axi_awready_i,
               {top.m_axi_awaddr_o, top.m_axi_awlen_o});
    w_.Sample(
        "W", top.m_axi_wvalid_o, top.m_axi_wready_i,
        Payload(top.m_axi_wdata_o, {uint64_t{top.m_axi_wstrb_o}, uint64_t{top.m_axi_wlast_o}}));
    b_.Sample("B", top.m_axi_bvalid_i, top.m_axi_bready_o, {top.m_axi_bresp_i});
    if (top.m_axi_bvalid_i) {
      EXPECT_LT(answered_, kAxi3<Top> ? bursts_ : std::min(requests_, bursts_))
          << "a response to no write";
      answered_ += top.m_axi_bready_o != 0;
    }
    if (top.m_axi_awvalid_o) {
      CheckBurst("write", top.m_axi_awaddr_o, top.m_axi_awlen_o, kMost<Top>);
      if constexpr (requires { top.m_axi_awsize_o; }) {
        CheckShape(top.m_axi_awsize_o, top.m_axi_awburst_o, top.m_axi_awcache_o);
      }
      Write write{.words = top.m_axi_awlen_o + 1u};
      if constexpr (kAxi3<Top>) {
        EXPECT_EQ(top.m_axi_awlock_o, 0u);
        EXPECT_EQ(top.m_axi_awqos_o, 0u);
        write.id = top.m_axi_awid_o;
      }
      if (top.m_axi_awready_i) {
        asked_.push_back(write);
        ++requests_;
      }
    }
    if (top.m_axi_wvalid_o && top.m_axi_wready_i) {
      uint32_t id = 0;
      if constexpr (kAxi3<Top>) id = top.m_axi_wid_o;
      EXPECT_TRUE(sends_.words == 0 || id == sends_.id) << "WID changes within a burst";
      sends_.id = id;
      ++sends_.words;
      EXPECT_LE(sends_.words, kMost<Top>) << "words without WLAST";
      if (top.m_axi_wlast_o) {
        sent_.push_back(std::exchange(sends_, {}));
        ++bursts_;
      }
    }
    // Words may come before their request: compare a burst when both are known.
    for (; !asked_.empty() && !sent_.empty(); asked_.pop_front(), sent_.pop_front()) {
      EXPECT_EQ(asked_.front().words, sent_.front().words) << "words of a write burst";
      EXPECT_EQ(asked_.front().id, sent_.front().id) << "WID";
    }
  }

  // Whether every request is answered and no burst is half sent.
  bool quiet() const {
    return std::ranges::all_of(reads_, [](const auto& id) { return id.second.empty(); }) &&
           sends_.words == 0 && answered_ == requests_ && requests_ == bursts_;
  }

 private:
  template <typename Top>
  static constexpr uint32_t kMost = kAxi3<Top> ? 16 : 256;  // most beats in a burst

  struct Write {
    uint32_t words = 0, id = 0;
  };
  // One channel: an offer stands until it is taken.
  struct Channel {
    bool stands = false;
    std::vector<uint64_t> payload;

    void Sample(const char* name, bool valid, bool ready, std::vector<uint64_t> now) {
      if (stands) {
        EXPECT_TRUE(valid) << name << ": valid fell before ready";
        EXPECT_TRUE(!valid || now == payload) << name << ": changed before ready";
      }
      stands = valid && !ready;
      if (stands) payload = std::move(now);
    }
  };

  template <typename Data>
  static std::vector<uint64_t> Payload(const Data& data, std::vector<uint64_t> rest) {
    const size_t at = rest.size();
    rest.resize(at + (sizeof(Data) + 7) / 8);
    std::memcpy(&rest[at], &data, sizeof(Data));
    return rest;
  }

  void CheckBurst(const char* what, uint64_t address, uint32_t len, uint32_t most) {
    const uint64_t bytes = (len + 1u) * static_cast<uint64_t>(bus_bytes_);
    EXPECT_EQ(address % bus_bytes_, 0u) << what;
    EXPECT_LE(len + 1, most) << what;
    EXPECT_EQ(address / 4096, (address + bytes - 1) / 4096)
        << what << " burst of " << len + 1 << " beats crosses 4 KiB";
  }
  void CheckShape(uint32_t size, uint32_t burst, uint32_t cache) {
    EXPECT_EQ(1u << size, bus_bytes_);
    EXPECT_EQ(burst, 1u) << "not INCR";
    EXPECT_TRUE((cache & 2) != 0 || (cache & 12) == 0) << "AxCACHE " << cache << " is reserved";
  }

  uint32_t bus_bytes_;
  Channel ar_, r_, aw_, w_, b_;
  std::map<uint32_t, std::deque<uint32_t>> reads_;  // by id: beats that each open burst lacks
  std::deque<Write> asked_, sent_;                  // write bursts without words; without request
  Write sends_;                                     // of the burst being sent
  uint64_t requests_ = 0, bursts_ = 0, answered_ = 0;
};

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_COMMON_AXI_CHECKER_H_
