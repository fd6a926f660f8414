// SPDX-License-Identifier: Apache-2.0
//
// What is tested: errors of LOAD and STORE are precise. A program copies data by four LOADs and
// four STOREs with SYNCs between them; one of them is bad, or memory answers one beat or response
// with an error. In the unit at fault exactly the instructions before the error retire; no
// transaction stays open; the next program is right. Space: every instruction with every kind of
// bad field, every beat, every response, on memory that uses every freedom of AXI, by seed;
// COMPUTE's LOADs in profile vta. Not tested here: other effects of errors (top_bus_test.cc), the
// units alone (tests/hw/load, tests/hw/store).
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "tests/hw/top/top_bench.h"

namespace tessera::hw {
namespace {

namespace reg = isa::reg;
using isa::MachineError;
using isa::Unit;

// Copies kTiles tiles four times from kFrom + 4096 i over OUT to kTo + 4096 i.
struct Copies {
  static constexpr int64_t kTiles = 48, kBytes = 4096;
  static constexpr uint64_t kFrom = 0x10000, kTo = 0x20000;
  static constexpr size_t kLength = 17;

  explicit Copies(const isa::Config& config) : tile(config.out_tile_bytes()) {}

  static bool IsLoad(size_t insn) { return insn < 16 && insn % 4 == 0; }
  static bool IsStore(size_t insn) { return insn < 16 && insn % 4 == 2; }
  // Instructions 1 and 3 of each four are SYNCs of LOAD and of STORE.
  static int UnitOf(size_t insn) { return insn % 4 < 2 ? 0 : 3; }

  isa::Load LoadOf(int64_t i) const {
    isa::Load v;
    v.push = Mask(Unit::kStore);
    v.memory = static_cast<int64_t>(isa::Memory::kOut);
    v.x_bytes = v.x_step = tile;
    v.sram_base = kTiles * i;
    v.dram_base = static_cast<int64_t>(kFrom) + kBytes * i;
    v.x_size = kTiles;
    v.y_size = v.z_size = 1;
    return v;
  }
  isa::Store StoreOf(int64_t i) const {
    isa::Store v;
    v.pop = Mask(Unit::kLoad);
    v.x_bytes = v.x_step = tile;
    v.sram_base = kTiles * i;
    v.dram_base = static_cast<int64_t>(kTo) + kBytes * i;
    v.x_size = kTiles;
    v.y_size = v.z_size = 1;
    return v;
  }
  std::vector<isa::InsnWord> Program() const {
    std::vector<isa::InsnWord> words;
    for (int64_t i = 0; i < 4; ++i) {
      words.push_back(Word(LoadOf(i)));
      words.push_back(Word(isa::Sync{.unit = 0}));
      words.push_back(Word(StoreOf(i)));
      words.push_back(Word(isa::Sync{.unit = 3}));
    }
    words.push_back(Word(isa::Finish{}));
    return words;
  }

  int64_t tile;
};

class Precise {
 public:
  explicit Precise(uint64_t seed)
      : rng_(seed), top_(isa::DramModel::kTsim, seed), copies_(top_.config) {
    for (uint64_t i = 0; i < 4 * Copies::kBytes; ++i)
      top_.memory.data[Copies::kFrom + i] = static_cast<uint8_t>(rng_.Next());
  }

  void Good() {
    auto to = top_.memory.data.begin() + Copies::kTo;
    std::fill(to, to + 4 * Copies::kBytes, 0);
    top_.Load(copies_.Program());
    top_.Start();
    ASSERT_TRUE(top_.Wait());
    EXPECT_TRUE(top_.Done());
    EXPECT_FALSE(top_.Error()) << std::hex << top_.Read(reg::kError);
    EXPECT_EQ(top_.Read(reg::kRetired), Copies::kLength);
    for (int64_t i = 0; i < 4; ++i) {
      auto from = top_.memory.data.begin() + Copies::kFrom + Copies::kBytes * i;
      EXPECT_TRUE(std::equal(from, from + Copies::kTiles * copies_.tile,
                             top_.memory.data.begin() + Copies::kTo + Copies::kBytes * i));
    }
  }

  // A run that an error of instruction |insn| ends.
  void Bad(const std::vector<isa::InsnWord>& program, MachineError code, size_t insn) {
    top_.Load(program);
    top_.Start();
    ASSERT_TRUE(top_.Wait());
    ExpectAt(code, insn);
  }
  void ExpectAt(MachineError code, size_t insn) {
    const int unit = Copies::UnitOf(insn);
    EXPECT_EQ(top_.Read(reg::kError), static_cast<uint32_t>(code) | static_cast<uint32_t>(unit)
                                                                        << 8);
    EXPECT_EQ(top_.Read(reg::kErrorInsn), insn);
    EXPECT_EQ(top_.Read(reg::kRetired), top_.retired.size());
    EXPECT_TRUE(top_.memory.idle());
    std::vector<uint32_t> before, retired;
    for (uint32_t i = 0; i < insn; ++i) {
      if (Copies::UnitOf(i) == unit) before.push_back(i);
    }
    for (const auto& r : top_.retired) {
      if (r.unit == unit) retired.push_back(r.num);
    }
    EXPECT_EQ(retired, before);
  }

  RoughTop& top() { return top_; }
  const Copies& copies() const { return copies_; }

 private:
  Rng rng_;
  RoughTop top_;
  Copies copies_;
};

template <typename Insn>
std::vector<std::pair<Insn, MachineError>> BadOnes(const Insn& good) {
  Insn field = good, sram = good, dram = good;
  if constexpr (requires { field.memory; }) {
    field.memory = static_cast<int64_t>(isa::Memory::kAcc8);  // of profile vta
  } else {
    field.x_bytes = 0;
  }
  sram.sram_base = (1 << 16) - 1;
  dram.dram_base = TopBench::kCode - 64;  // the segment ends here
  return {{field, MachineError::kIllegalField},
          {sram, MachineError::kSramRange},
          {dram, MachineError::kDramRange}};
}

TEST(TopPrecise, ABadLoadOrStoreBehindGoodOnes) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Precise precise(seed);
    for (size_t insn = 0; insn < Copies::kLength; ++insn) {
      const int64_t i = static_cast<int64_t>(insn) / 4;
      auto run = [&](const auto& bad, MachineError code) {
        SCOPED_TRACE(::testing::Message()
                     << "seed " << seed << " instruction " << insn << " error " << isa::Text(code));
        std::vector<isa::InsnWord> program = precise.copies().Program();
        program[insn] = Word(bad);
        precise.Bad(program, code, insn);
      };
      if (Copies::IsLoad(insn)) {
        for (const auto& [bad, code] : BadOnes(precise.copies().LoadOf(i))) run(bad, code);
      } else if (Copies::IsStore(insn)) {
        for (const auto& [bad, code] : BadOnes(precise.copies().StoreOf(i))) run(bad, code);
      }
      if (::testing::Test::HasFailure()) return;
    }
    precise.Good();
  }
}

TEST(TopPrecise, AnErrorOnAnyBeatOfALoadOrResponseToAStore) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Precise precise(seed);
    precise.Good();
    RoughMemory& memory = precise.top().memory;
    const auto beats = static_cast<int64_t>(memory.read_beats);
    const auto bursts = static_cast<int64_t>(memory.write_bursts);
    EXPECT_GE(beats, 4 * Copies::kTiles * precise.copies().tile / precise.top().config.bus_bytes());
    EXPECT_GE(bursts, 8);
    const std::vector<isa::InsnWord> program = precise.copies().Program();
    for (int64_t beat = 0; beat < beats; ++beat) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " beat " << beat);
      memory.error_beat = static_cast<int64_t>(memory.read_beats) + beat;
      precise.top().Load(program);
      precise.top().Start();
      ASSERT_TRUE(precise.top().Wait());
      const uint64_t address = memory.error.address;
      if (address < TopBench::kCode) {  // otherwise it is an error of fetch
        precise.ExpectAt(MachineError::kBus, 4 * ((address - Copies::kFrom) / Copies::kBytes));
      }
      EXPECT_TRUE(precise.top().Error());
      memory.error_beat = -1;
      if (beat % 16 == 0) precise.Good();
      if (::testing::Test::HasFailure()) return;
    }
    for (int64_t burst = 0; burst < bursts; ++burst) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " response " << burst);
      memory.error_write = static_cast<int64_t>(memory.write_bursts) + burst;
      precise.Bad(program, MachineError::kBus, 2 + 4 * static_cast<size_t>(burst / (bursts / 4)));
      memory.error_write = -1;
      precise.Good();
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// A box in error is known early, while boxes before it still wait for memory. A bus error of one of
// those still comes first.
TEST(TopPrecise, TheFirstOfTwoErrorsCounts) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Precise precise(seed);
    precise.Good();
    std::vector<isa::InsnWord> program = precise.copies().Program();
    program[12] = Word(BadOnes(precise.copies().LoadOf(3))[0].first);
    program[14] = Word(BadOnes(precise.copies().StoreOf(3))[0].first);
    RoughMemory& memory = precise.top().memory;
    memory.error_write = static_cast<int64_t>(memory.write_bursts);  // of instruction 2
    precise.top().Load(program);
    precise.top().Start();
    ASSERT_TRUE(precise.top().Wait());
    // LOAD and STORE are not ordered: the first error in time stops the machine.
    const uint32_t unit = reg::kErrorUnit.Get(precise.top().Read(reg::kError));
    precise.ExpectAt(unit == 0 ? MachineError::kIllegalField : MachineError::kBus,
                     unit == 0 ? 12 : 2);
    if (::testing::Test::HasFailure()) return;
  }
}

// COMPUTE's LOAD of micro-ops is bad. It stands behind one of LOAD's own that waits for memory, and
// before an instruction of COMPUTE that waits for a token. The machine reports it as COMPUTE's
// error.
TEST(TopPrecise, ComputesLoadsAreComputesErrors) {
  const isa::Config config = *isa::LoadConfig(CONFIG_NAME);
  const auto codec = isa::VtaCodec::Make(config);
  if (!codec) GTEST_SKIP() << "VTA has no encoding of this configuration";
  auto word = [&](const isa::VtaInsn& insn) { return *codec->Encode(insn); };
  isa::VtaLoad inp, uop;
  inp.memory_type = static_cast<int64_t>(isa::Memory::kInp);
  uop.memory_type = static_cast<int64_t>(isa::Memory::kUop);
  inp.y_size = uop.y_size = 1;
  inp.x_size = inp.x_stride = 40;
  uop.x_size = uop.x_stride = 1;
  isa::VtaLoad bad = uop;
  bad.x_size = bad.x_stride = 60000;  // more tiles than any UOP holds
  isa::VtaLoad waits = uop;
  waits.pop_next = 1;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RoughTop top(isa::DramModel::kTsim, seed);
    top.Load({word(inp), word(uop), word(inp), word(bad), word(waits), word(isa::VtaFinish{})});
    top.Start(isa::Profile::kVta);
    ASSERT_TRUE(top.Wait());
    EXPECT_EQ(top.Read(reg::kError), static_cast<uint32_t>(MachineError::kSramRange) |
                                         static_cast<uint32_t>(Unit::kGemm) << 8);
    EXPECT_EQ(top.Read(reg::kErrorInsn), 3u);
    for (const auto& r : top.retired) EXPECT_TRUE(r.unit == 0 || r.num == 1) << r.num;
    EXPECT_EQ(std::ranges::count(top.retired, 1u, &RoughTop::Retired::num), 1);
    EXPECT_TRUE(top.memory.idle());
  }
}

}  // namespace
}  // namespace tessera::hw
