// SPDX-License-Identifier: Apache-2.0
//
// TopBench: the whole machine with device memory and a driver of its registers; RoughTop: with
// memory that uses every freedom of AXI. Used by: tests/hw/top.
#ifndef TESSERA_TESTS_HW_TOP_TOP_BENCH_H_
#define TESSERA_TESTS_HW_TOP_TOP_BENCH_H_

#include <array>
#include <cstdint>
#include <vector>

#include "Vtsr_top.h"
#include "isa/config.h"
#include "isa/encoding.h"
#include "isa/regs.h"
#include "isa/semantics/fetch.h"
#include "isa/vta_encoding.h"
#include "tests/hw/common/axi_memory.h"
#include "tests/hw/common/bench.h"
#include "tests/hw/common/rough_memory.h"

namespace tessera::hw {

template <typename Memory>
class TopBenchOf {
 public:
  static constexpr uint64_t kMemoryBytes = 1 << 20;
  static constexpr uint64_t kCode = 0x80000;  // where Load puts the stream

  struct Retired {
    uint32_t num;
    int unit;
    bool operator==(const Retired&) const = default;
  };

  // |random_start|: not 0: flip-flops without a start value have a random one, of this seed.
  explicit TopBenchOf(isa::DramModel model = isa::DramModel::kTsim, uint64_t seed = 0,
                      uint64_t random_start = 0)
      : config(*isa::LoadConfig(CONFIG_NAME)),
        bench(random_start),
        memory(model, static_cast<uint32_t>(config.bus_bytes()), kMemoryBytes, seed) {
    bench->trace_en_i = 1;
    bench->s_axil_awvalid_i = bench->s_axil_wvalid_i = bench->s_axil_arvalid_i = 0;
    bench->s_axil_wstrb_i = 15;
    bench->s_axil_bready_i = bench->s_axil_rready_i = 1;
    bench->m_axi_arready_i = bench->m_axi_rvalid_i = 0;
    bench->m_axi_awready_i = bench->m_axi_wready_i = bench->m_axi_bvalid_i = 0;
    bench->m_axi_reset_i = 0;
    bench.Reset();
    Configure();
  }

  // Resets the machine alone: memory goes on, and answers the requests from before.
  void HardReset(int cycles) {
    bench->rst_ni = 0;
    for (int i = 0; i < cycles; ++i) Cycle();
    bench->rst_ni = 1;
  }

  // Resets machine, interconnect and memory.
  void HardResetWithBus(int cycles) {
    bench->rst_ni = 0;
    bench->m_axi_reset_i = 1;
    memory.Forget(bench.top());
    for (int i = 0; i < cycles; ++i) {
      bench.Settle();
      bench.Edge();
    }
    bench->rst_ni = 1;
    bench->m_axi_reset_i = 0;
  }

  // Sets the registers that a reset of the machine clears.
  void Configure() {
    for (uint32_t s = 0; s < 8; ++s) SetSegment(s, 0, kCode);
  }

  void Cycle() {
    memory.Begin(bench->m_axi_wvalid_o);
    memory.DriveReads(bench.top());
    memory.DriveWrites(bench.top());
    bench.Settle();
    memory.SampleReads(bench.top());
    memory.SampleWrites(bench.top());
    for (int u = 0; u < isa::kUnits; ++u) {
      if (bench->trace_valid_o >> u & 1) {
        uint32_t num;
        std::memcpy(&num, reinterpret_cast<const uint8_t*>(&bench->trace_num_o) + 4 * u, 4);
        retired.push_back({num, u});
      }
    }
    bench.Edge();
    memory.End();
  }

  void Write(uint32_t offset, uint32_t value) {
    bench->s_axil_awaddr_i = offset;
    bench->s_axil_wdata_i = value;
    bench->s_axil_awvalid_i = bench->s_axil_wvalid_i = 1;
    bool taken = false;
    do {
      bench.Settle();
      taken = bench->s_axil_awready_o && bench->s_axil_wready_o;
      Cycle();
    } while (!taken);
    bench->s_axil_awvalid_i = bench->s_axil_wvalid_i = 0;
    Cycle();
  }
  uint32_t Read(uint32_t offset) {
    bench->s_axil_araddr_i = offset;
    bench->s_axil_arvalid_i = 1;
    bool taken = false;
    do {
      bench.Settle();
      taken = bench->s_axil_arready_o;
      Cycle();
    } while (!taken);
    bench->s_axil_arvalid_i = 0;
    Cycle();  // of the blocks
    Cycle();  // of the value
    bench.Settle();
    EXPECT_TRUE(bench->s_axil_rvalid_o);
    const uint32_t value = bench->s_axil_rdata_o;
    Cycle();
    return value;
  }

  void SetSegment(uint32_t s, uint64_t base, uint64_t size) {
    Write(isa::reg::kSegmentBaseLo[s], static_cast<uint32_t>(base));
    Write(isa::reg::kSegmentBaseHi[s], static_cast<uint32_t>(base >> 32));
    Write(isa::reg::kSegmentSizeLo[s], static_cast<uint32_t>(size));
    Write(isa::reg::kSegmentSizeHi[s], static_cast<uint32_t>(size >> 32));
  }

  // Tells the machine of the stream, which is in memory.
  void Announce(size_t count) {
    Write(isa::reg::kInsnAddrLo, kCode);
    Write(isa::reg::kInsnAddrHi, 0);
    Write(isa::reg::kInsnCount, static_cast<uint32_t>(count));
  }
  void Load(const std::vector<isa::InsnWord>& program) {
    std::memcpy(&memory.data[kCode], program.data(), program.size() * 32);
    Announce(program.size());
  }
  void Load(const std::vector<isa::VtaInsnWord>& program) {
    std::memcpy(&memory.data[kCode], program.data(), program.size() * 16);
    Announce(program.size());
  }

  // Loads |program| with a FINISH behind it.
  void Load(isa::Profile profile, const std::vector<isa::AnyInsn>& program) {
    if (profile == isa::Profile::kTessera) {
      std::vector<isa::InsnWord> words;
      for (const isa::AnyInsn& insn : program)
        words.push_back(*isa::Encode(std::get<isa::Insn>(insn)));
      words.push_back(*isa::Encode(isa::Finish{}));
      return Load(words);
    }
    const auto codec = isa::VtaCodec::Make(config);
    std::vector<isa::VtaInsnWord> words;
    for (const isa::AnyInsn& insn : program)
      words.push_back(*codec->Encode(std::get<isa::VtaInsn>(insn)));
    words.push_back(*codec->Encode(isa::VtaFinish{}));
    Load(words);
  }

  void Start(isa::Profile profile = isa::Profile::kTessera) {
    retired.clear();
    Write(isa::reg::kControl, isa::reg::kControlStart.Put(1) |
                                  isa::reg::kControlProfile.Put(static_cast<uint32_t>(profile)));
  }

  // Steps until the machine is done; false: it was not within |budget| cycles.
  bool Wait(int budget = 200'000) {
    while (bench->busy_o && budget-- > 0) Cycle();
    return !bench->busy_o;
  }

  uint32_t Status() { return Read(isa::reg::kStatus); }
  bool Done() { return isa::reg::kStatusDone.Get(Status()) == 1; }
  bool Error() { return isa::reg::kStatusError.Get(Status()) == 1; }

  const isa::Config config;
  Bench<Vtsr_top> bench;
  Memory memory;
  std::vector<Retired> retired;
};

using TopBench = TopBenchOf<AxiMemory>;
using RoughTop = TopBenchOf<RoughMemory>;

inline isa::InsnWord Word(const isa::Insn& insn) { return *isa::Encode(insn); }

constexpr int64_t Mask(isa::Unit unit) { return int64_t{1} << static_cast<int>(unit); }

}  // namespace tessera::hw

#endif  // TESSERA_TESTS_HW_TOP_TOP_BENCH_H_
