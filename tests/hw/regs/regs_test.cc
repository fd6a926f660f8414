// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the register block alone under random stalls on all five AXI4-Lite channels:
// every write and read has one answer, registers keep written values byte by byte, writes while
// locked are ignored, CONTROL acts once. Space: 300 seeds of 150 writes beside 150 reads; a read
// may see any value between the last write that was answered before it and the last one taken.
// Also: both halves of a running counter are of one cycle; the interrupt follows its three
// registers in every cycle, whatever happens in the cycle of a clearing write; the segments and
// their copies are zero after a reset. Not tested here: the machine behind it (tests/hw/top).
#include "isa/regs.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "Vtsr_regs.h"
#include "tests/hw/common/axil_host.h"
#include "tests/hw/common/bench.h"

namespace tessera::hw {
namespace {

namespace reg = isa::reg;

// Every register that keeps all its bits.
std::vector<uint32_t> PlainRegisters() {
  std::vector<uint32_t> offsets = {reg::kInsnAddrLo, reg::kInsnAddrHi, reg::kInsnCount};
  for (uint32_t s = 0; s < 8; ++s) {
    for (const isa::RegArray& a :
         {reg::kSegmentBaseLo, reg::kSegmentBaseHi, reg::kSegmentSizeLo, reg::kSegmentSizeHi}) {
      offsets.push_back(a[s]);
    }
  }
  return offsets;
}

uint32_t Merge(uint32_t old, const AxilWrite& write) {
  for (int byte = 0; byte < 4; ++byte) {
    if (!(write.strobe >> byte & 1)) continue;
    const uint32_t mask = 0xffu << 8 * byte;
    old = (old & ~mask) | (write.data & mask);
  }
  return old;
}

class RegsUnderStalls {
 public:
  explicit RegsUnderStalls(uint64_t seed)
      : rng_(seed),
        host_({bench_->s_awvalid_i, bench_->s_awready_o, bench_->s_awaddr_i, bench_->s_wvalid_i,
               bench_->s_wready_o, bench_->s_wdata_i, bench_->s_wstrb_i, bench_->s_bvalid_o,
               bench_->s_bready_i, bench_->s_bresp_o, bench_->s_arvalid_i, bench_->s_arready_o,
               bench_->s_araddr_i, bench_->s_rvalid_o, bench_->s_rready_i, bench_->s_rdata_o,
               bench_->s_rresp_o},
              seed * 2 + 1) {
    bench_->locked_i = bench_->busy_i = bench_->irq_set_i = 0;
    bench_.Reset();
    host_.took_write = [this](size_t i) { Took(host_.write(i)); };
    host_.answered_write = [this](size_t i) { Answered(host_.write(i).address); };
    host_.took_read = [this](size_t i) {
      const auto at = values_.find(host_.read(i));
      oldest_.push_back(at == values_.end() ? 0 : at->second.answered);
    };
    host_.answered_read = [this](size_t i, uint32_t data) {
      Compare(host_.read(i), oldest_[i], data);
    };
  }

  void Run(int accesses) {
    const std::vector<uint32_t> plain = PlainRegisters();
    const auto any = [&] {
      return plain[static_cast<size_t>(rng_.Range(0, std::ssize(plain) - 1))];
    };
    for (int i = 0; i < accesses; ++i) {
      if (rng_.OneIn(8)) {
        host_.Write({reg::kControl, static_cast<uint32_t>(rng_.Range(0, 3))});
      } else {
        host_.Write({any(), static_cast<uint32_t>(rng_.Next()),
                     static_cast<uint8_t>(rng_.OneIn(2) ? 15 : rng_.Range(0, 15))});
      }
      host_.Read(rng_.OneIn(8) ? reg::kId : any());
    }
    int budget = accesses * 200;
    while (!host_.Idle() && budget-- > 0) Cycle();
    ASSERT_TRUE(host_.Idle()) << "an access has no answer";
    host_.Listen();
    for (int i = 0; i < 50; ++i) Cycle();  // an answer now is a surplus one
    EXPECT_EQ(starts_, want_starts_);
    EXPECT_EQ(resets_, want_resets_);
    // At rest, every register has the last value written.
    for (const uint32_t offset : plain) host_.Read(offset);
    for (int i = 0; i < 500 && !host_.Idle(); ++i) Cycle();
    EXPECT_TRUE(host_.Idle());
  }

 private:
  struct Values {
    std::vector<uint32_t> history = {0};  // values before the first write, and after each one taken
    size_t answered = 0;                  // number of writes answered
  };

  void Cycle() {
    if (rng_.OneIn(40)) bench_->locked_i = !bench_->locked_i;
    host_.Drive();
    bench_.Settle();
    starts_ += bench_->start_o;
    resets_ += bench_->soft_reset_o;
    host_.Sample();
    bench_.Edge();
    host_.Release();
  }

  void Took(const AxilWrite& write) {
    if (write.address == reg::kControl) {
      want_starts_ += write.data & 1;
      want_resets_ += write.data >> 1 & 1;
      return;
    }
    Values& values = values_[write.address];
    const uint32_t old = values.history.back();
    values.history.push_back(bench_->locked_i ? old : Merge(old, write));
  }

  void Answered(uint32_t address) {
    if (address != reg::kControl) ++values_[address].answered;
  }

  void Compare(uint32_t address, size_t oldest, uint32_t data) {
    if (address == reg::kId) {
      EXPECT_EQ(data, reg::kIdValue);
      return;
    }
    const std::vector<uint32_t>& history = values_[address].history;
    EXPECT_NE(std::find(history.begin() + static_cast<ptrdiff_t>(oldest), history.end(), data),
              history.end())
        << std::hex << "register " << address << " reads " << data
        << ", written last: " << history.back();
  }

  Bench<Vtsr_regs> bench_;
  Rng rng_;
  AxilHost host_;
  std::map<uint32_t, Values> values_;
  std::vector<size_t> oldest_;  // of each read: writes of its register answered before it was taken
  uint64_t starts_ = 0, resets_ = 0, want_starts_ = 0, want_resets_ = 0;
};

TEST(Regs, EveryAccessHasOneAnswerUnderStalls) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RegsUnderStalls regs(seed);
    regs.Run(150);
    if (::testing::Test::HasFailure()) return;
  }
}

// Makes one access at a time, without stalls.
constexpr int kZeroCycles = 32;  // after a reset, in which the segments are zeroed
class PlainRegs {
 public:
  PlainRegs() {
    bench->s_awvalid_i = bench->s_wvalid_i = bench->s_arvalid_i = 0;
    bench->s_wstrb_i = 15;
    bench->s_bready_i = bench->s_rready_i = 1;
    bench->locked_i = bench->busy_i = bench->irq_set_i = 0;
    bench->cycles_i = 0;
    bench.Reset();
    for (int i = 0; i < kZeroCycles; ++i) Cycle();
  }
  uint32_t Read(uint32_t address) {
    bench->s_araddr_i = static_cast<uint16_t>(address);
    bench->s_arvalid_i = 1;
    Cycle();
    bench->s_arvalid_i = 0;
    Cycle();  // of the blocks
    Cycle();  // of the value
    bench.Settle();
    EXPECT_TRUE(bench->s_rvalid_o);
    const uint32_t data = bench->s_rdata_o;
    Cycle();
    return data;
  }
  void Write(uint32_t address, uint32_t data) {
    bench->s_awaddr_i = static_cast<uint16_t>(address);
    bench->s_wdata_i = data;
    bench->s_awvalid_i = bench->s_wvalid_i = 1;
    Cycle();
    bench->s_awvalid_i = bench->s_wvalid_i = 0;
    Cycle();
  }
  void Cycle() {
    bench.Settle();
    bench.Edge();
    ++bench->cycles_i;
    bench.Settle();
    const uint64_t word = bench->seg_write_o;  // tsr_dma_pkg::seg_write_t
    if (word >> 37 & 1) segments[word >> 32 & 31] = static_cast<uint32_t>(word);
  }

  Bench<Vtsr_regs> bench;
  std::array<uint32_t, 32> segments{};  // as a unit's copy would have them
};

TEST(Regs, SegmentsAreZeroAfterAResetAndNothingIsAnsweredBefore) {
  PlainRegs regs;
  Rng rng(5);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed 5, round " << round);
    regs.segments.fill(0xdeadbeef);
    std::array<uint32_t, 32> want{};
    for (uint32_t w = 0; w < 32; ++w) {
      want[w] = static_cast<uint32_t>(rng.Next());
      regs.Write(reg::kSegmentBaseLo[0] + 4 * w, want[w]);
    }
    EXPECT_EQ(regs.segments, want);
    // A reset of any length, then a read that waits until the block has zeroed the 32 words.
    regs.bench->rst_ni = 0;
    for (int64_t n = rng.Range(1, 40); n > 0; --n) regs.Cycle();
    regs.bench->rst_ni = 1;
    regs.bench->s_arvalid_i = 1;
    regs.bench->s_araddr_i = reg::kId;
    for (int n = 0; n < kZeroCycles; ++n) {
      regs.bench.Settle();
      EXPECT_FALSE(regs.bench->s_arready_o || regs.bench->s_awready_o) << "cycle " << n;
      regs.Cycle();
    }
    regs.bench.Settle();
    EXPECT_TRUE(regs.bench->s_arready_o);
    regs.Cycle();
    regs.bench->s_arvalid_i = 0;
    for (int n = 0; n < 3; ++n) regs.Cycle();  // the answer to the read
    EXPECT_EQ(regs.segments, (std::array<uint32_t, 32>{}));
    for (uint32_t w = 0; w < 32; ++w) EXPECT_EQ(regs.Read(reg::kSegmentBaseLo[0] + 4 * w), 0u);
  }
}

TEST(Regs, TheHalvesOfARunningCounterAreOfOneCycle) {
  PlainRegs regs;
  Rng rng(3);
  for (int i = 0; i < 4000; ++i) {
    // Just below the overflow of the lower half.
    regs.bench->cycles_i =
        (static_cast<uint64_t>(rng.Range(1, 9)) << 32) - static_cast<uint64_t>(rng.Range(0, 12));
    const uint64_t before =
        regs.bench->cycles_i + 1;  // the counter in the cycle after the one that takes the address
    const uint64_t low = regs.Read(reg::kCyclesLo);
    for (int64_t wait = rng.Range(0, 20); wait > 0; --wait) regs.Cycle();
    if (rng.OneIn(2)) regs.Read(reg::kStatus);
    EXPECT_EQ(uint64_t{regs.Read(reg::kCyclesHi)} << 32 | low, before) << "seed 3, round " << i;
  }
}

TEST(Regs, TheInterruptFollowsItsRegisters) {
  PlainRegs regs;
  Rng rng(4);
  uint32_t global = 0, enable = 0, status = 0;  // as the table says
  for (int i = 0; i < 20'000; ++i) {
    SCOPED_TRACE(::testing::Message() << "seed 4, cycle " << i);
    const uint32_t set = rng.OneIn(4) ? static_cast<uint32_t>(rng.Range(0, 7)) : 0;
    regs.bench->irq_set_i = static_cast<uint8_t>(set);
    regs.bench->locked_i = rng.OneIn(2);  // must not matter here
    const uint32_t address = rng.OneIn(2)   ? reg::kIrqStatus
                             : rng.OneIn(2) ? reg::kIrqEnable
                                            : reg::kIrqGlobal;
    const uint32_t data = static_cast<uint32_t>(rng.Next());
    const bool strobe = !rng.OneIn(4);
    regs.bench->s_awaddr_i = static_cast<uint16_t>(address);
    regs.bench->s_wdata_i = data;
    regs.bench->s_wstrb_i = strobe ? 15 : 14;
    regs.bench->s_awvalid_i = regs.bench->s_wvalid_i = rng.OneIn(3);
    regs.bench.Settle();
    const bool writes = regs.bench->s_awready_o && strobe;
    // The line lags the registers by one cycle, except for bits that this cycle clears.
    const uint32_t cleared = writes && address == reg::kIrqStatus ? status & ~data : status;
    const bool line = global && (cleared & enable) != 0;
    regs.Cycle();
    status = cleared | set;
    if (writes && address == reg::kIrqEnable) enable = data & 7;
    if (writes && address == reg::kIrqGlobal) global = data & 1;
    regs.bench.Settle();
    EXPECT_EQ(regs.bench->irq_o, line);
    if (rng.OneIn(10)) {
      regs.bench->irq_set_i = 0;
      regs.bench->s_awvalid_i = regs.bench->s_wvalid_i = 0;
      EXPECT_EQ(regs.Read(reg::kIrqStatus), status);
      EXPECT_EQ(regs.Read(reg::kIrqEnable), enable);
      EXPECT_EQ(regs.Read(reg::kIrqGlobal), global);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tessera::hw
