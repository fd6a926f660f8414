// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the whole machine driven through AXI4-Lite under random stalls on all five
// channels: a program set up in any order of registers runs right; while it runs, ignored writes
// and reads of every counter each get one answer. Space: 40 seeds. Not tested here: what each
// register keeps (tests/hw/regs).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hw/common/axil_host.h"
#include "tests/hw/top/small_net.h"
#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

namespace reg = isa::reg;

class StalledTop {
 public:
  explicit StalledTop(uint64_t seed)
      : top(isa::DramModel::kTsim, seed),
        host({top.bench->s_axil_awvalid_i, top.bench->s_axil_awready_o, top.bench->s_axil_awaddr_i,
              top.bench->s_axil_wvalid_i, top.bench->s_axil_wready_o, top.bench->s_axil_wdata_i,
              top.bench->s_axil_wstrb_i, top.bench->s_axil_bvalid_o, top.bench->s_axil_bready_i,
              top.bench->s_axil_bresp_o, top.bench->s_axil_arvalid_i, top.bench->s_axil_arready_o,
              top.bench->s_axil_araddr_i, top.bench->s_axil_rvalid_o, top.bench->s_axil_rready_i,
              top.bench->s_axil_rdata_o, top.bench->s_axil_rresp_o},
             seed) {
    host.answered_read = [this](size_t, uint32_t data) { answers.push_back(data); };
  }

  // Runs until every access has its answer; false: one has none within |budget| cycles.
  bool Finish(int budget = 50'000) {
    while (!host.Idle() && budget-- > 0) Cycle();
    return host.Idle();
  }

  uint32_t Read(uint32_t offset) {
    host.Read(offset);
    EXPECT_TRUE(Finish());
    return answers.back();
  }

  void Cycle() {
    host.Drive();
    top.bench.Settle();
    host.Sample();
    top.Cycle();
    host.Release();
  }

  TopBench top;
  AxilHost host;
  std::vector<uint32_t> answers;  // answers to reads
};

TEST(TopAxil, RunsAProgramUnderStallsOfTheHost) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    StalledTop stalled(seed);
    TopBench& top = stalled.top;
    AxilHost& host = stalled.host;
    const SmallNet net(top.config, rng.Range(1, 12), rng.Range(1, 6), rng, &top.memory.data);
    const auto program = net.Program(top.config);
    std::memcpy(&top.memory.data[TopBench::kCode], program.data(), program.size() * 32);
    std::vector<AxilWrite> setup = {{reg::kInsnAddrLo, static_cast<uint32_t>(TopBench::kCode)},
                                    {reg::kInsnAddrHi, 0},
                                    {reg::kInsnCount, static_cast<uint32_t>(program.size())}};
    for (uint32_t s = 0; s < 8; ++s) {
      setup.push_back({reg::kSegmentBaseLo[s], 0});
      setup.push_back({reg::kSegmentSizeLo[s], static_cast<uint32_t>(TopBench::kCode)});
    }
    for (size_t i = setup.size(); i > 1; --i) {
      std::swap(setup[i - 1],
                setup[static_cast<size_t>(rng.Range(0, static_cast<int64_t>(i) - 1))]);
    }
    for (const AxilWrite& write : setup) host.Write(write);
    host.Write({reg::kControl, reg::kControlStart.Put(1) | reg::kControlProfile.Put(1)});
    ASSERT_TRUE(stalled.Finish());
    // The machine runs. It answers and ignores a write of any register but CONTROL; reads never
    // harm.
    const size_t before = stalled.answers.size();
    for (int i = 0; i < 40 && top.bench->busy_o; ++i) {
      host.Write({reg::kSegmentBaseLo[static_cast<uint32_t>(rng.Range(0, 7))], 0x40});
      host.Read(reg::kBusy[static_cast<uint32_t>(rng.Range(0, 3))]);
      host.Read(reg::kStatus);
      // No write may come after the end: each is answered while the machine is busy, or not queued.
      for (int wait = 0; wait < 400 && !host.Idle(); ++wait) stalled.Cycle();
      ASSERT_TRUE(host.Idle());
      if (!top.bench->busy_o) break;
    }
    EXPECT_GT(stalled.answers.size(), before);
    for (int wait = 0; wait < 200'000 && top.bench->busy_o; ++wait) stalled.Cycle();
    const uint32_t status = stalled.Read(reg::kStatus);
    EXPECT_EQ(reg::kStatusBusy.Get(status), 0u);
    EXPECT_EQ(reg::kStatusDone.Get(status), 1u);
    EXPECT_EQ(reg::kStatusError.Get(status), 0u);
    EXPECT_EQ(stalled.Read(reg::kRetired), program.size());
    EXPECT_TRUE(net.Matches(top.memory.data));
    host.Listen();
    for (int i = 0; i < 50; ++i) stalled.Cycle();  // an answer now is a surplus one
  }
}

}  // namespace
}  // namespace tessera::hw
