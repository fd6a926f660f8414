// SPDX-License-Identifier: Apache-2.0
//
// What is tested: isa::Accesses against address sets, enumerated loop by loop from the meaning of
// each instruction in isa/insns.def. Space: random small field values of every opcode, seeded. Not
// tested here: that execution touches these addresses (tests/sim), huge counts.
#include "isa/access.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/rng.h"

namespace tessera::isa::access_test {
namespace {

using Key = std::pair<int, bool>;  // space index, write
using Sets = std::map<Key, std::set<int64_t>>;

Sets ToSets(const std::vector<Access>& accesses) {
  Sets sets;
  for (const Access& a : accesses) {
    EXPECT_FALSE(sets.contains({a.space.index, a.write})) << "two entries of one kind";
    int64_t last = -2;
    for (const AddressRange& r : a.intervals) {
      EXPECT_GT(r.begin, last) << "not normalised";
      EXPECT_LT(r.begin, r.end);
      last = r.end;
      for (int64_t x = r.begin; x < r.end; ++x) sets[{a.space.index, a.write}].insert(x);
    }
  }
  return sets;
}

constexpr int kSeg = kMemories;
int MemoryIndex(int64_t vector_memory) {
  return static_cast<int>(vector_memory == 0   ? Memory::kAcc
                          : vector_memory == 1 ? Memory::kOut
                                               : Memory::kInp);
}
constexpr int kAccIndex = static_cast<int>(Memory::kAcc);
constexpr int kInpIndex = static_cast<int>(Memory::kInp);
constexpr int kWgtIndex = static_cast<int>(Memory::kWgt);
constexpr int kOutIndex = static_cast<int>(Memory::kOut);
constexpr int kPrmIndex = static_cast<int>(Memory::kPrm);
constexpr int kUopIndex = static_cast<int>(Memory::kUop);

class AccessProperty : public ::testing::TestWithParam<uint64_t> {
 protected:
  AccessProperty() : rng(GetParam()) {}
  int64_t R(int64_t lo, int64_t hi) { return rng.Range(lo, hi); }
  Rng rng;
  Config config;
};

TEST_P(AccessProperty, Load) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Load v;
  v.memory = static_cast<int64_t>(R(0, 1) ? Memory::kInp : Memory::kOut);
  v.segment = R(0, 7);
  v.x_bytes = R(1, 16);
  v.sram_base = R(0, 9), v.dram_base = R(0, 99);
  v.x_size = R(0, 4), v.y_size = R(0, 4), v.z_size = R(0, 3);
  v.x_step = R(0, 20), v.y_step = R(0, 80), v.z_step = R(0, 200);
  v.x_pad_0 = R(0, 2), v.x_pad_1 = R(0, 2), v.y_pad_0 = R(0, 2), v.y_pad_1 = R(0, 2);
  Sets want;
  int64_t tile = v.sram_base;
  for (int64_t z = 0; z < v.z_size; ++z) {
    for (int64_t y = 0; y < v.y_pad_0 + v.y_size + v.y_pad_1; ++y) {
      for (int64_t x = 0; x < v.x_pad_0 + v.x_size + v.x_pad_1; ++x) {
        want[{static_cast<int>(v.memory), true}].insert(tile++);
        const int64_t sy = y - v.y_pad_0, sx = x - v.x_pad_0;
        if (sy < 0 || sx < 0 || sy >= v.y_size || sx >= v.x_size) continue;
        for (int64_t b = 0; b < v.x_bytes; ++b) {
          want[{kSeg + static_cast<int>(v.segment), false}].insert(
              v.dram_base + z * v.z_step + sy * v.y_step + sx * v.x_step + b);
        }
      }
    }
  }
  EXPECT_EQ(ToSets(Accesses(v, config)), want);
}

TEST_P(AccessProperty, Store) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Store v;
  v.segment = R(0, 7);
  v.x_bytes = R(1, 16);
  v.sram_base = R(0, 9), v.dram_base = R(0, 99);
  v.x_size = R(0, 4), v.y_size = R(0, 4), v.z_size = R(0, 3);
  v.x_step = R(0, 20), v.y_step = R(0, 80), v.z_step = R(0, 200);
  Sets want;
  int64_t tile = v.sram_base;
  for (int64_t z = 0; z < v.z_size; ++z) {
    for (int64_t y = 0; y < v.y_size; ++y) {
      for (int64_t x = 0; x < v.x_size; ++x) {
        want[{kOutIndex, false}].insert(tile++);
        for (int64_t b = 0; b < v.x_bytes; ++b) {
          want[{kSeg + static_cast<int>(v.segment), true}].insert(v.dram_base + z * v.z_step +
                                                                  y * v.y_step + x * v.x_step + b);
        }
      }
    }
  }
  EXPECT_EQ(ToSets(Accesses(v, config)), want);
}

TEST_P(AccessProperty, Gemm) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Gemm v;
  std::vector<Uop> uops(static_cast<size_t>(R(1, 5)));
  bool reads = false;
  for (Uop& u : uops) {
    u = {R(0, 9), R(0, 9), R(0, 9), R(0, 1)};
    reads |= u.init == 0;
  }
  v.uop_begin = R(0, 9), v.uop_count = static_cast<int64_t>(uops.size());
  v.iter_out = R(0, 4), v.iter_in = R(0, 4);
  v.dst_out = R(0, 9), v.dst_in = R(0, 9), v.src_out = R(0, 9), v.src_in = R(0, 9);
  v.wgt_out = R(0, 9), v.wgt_in = R(0, 9);
  v.dst_base = R(0, 9), v.src_base = R(0, 9), v.wgt_base = R(0, 9);
  Sets want;
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      for (size_t k = 0; k < uops.size(); ++k) {
        want[{kUopIndex, false}].insert(v.uop_begin + static_cast<int64_t>(k));
        want[{kInpIndex, false}].insert(v.src_base + uops[k].src + o * v.src_out + i * v.src_in);
        want[{kWgtIndex, false}].insert(v.wgt_base + uops[k].wgt + o * v.wgt_out + i * v.wgt_in);
        const int64_t d = v.dst_base + uops[k].dst + o * v.dst_out + i * v.dst_in;
        want[{kAccIndex, true}].insert(d);
        if (reads) want[{kAccIndex, false}].insert(d);
      }
    }
  }
  EXPECT_EQ(ToSets(Accesses(v, config, uops)), want);
}

TEST_P(AccessProperty, Depthwise) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  config.block_in = config.block_out = 4;  // so that 9 taps take 3 weight tiles
  Depthwise v;
  v.kh = R(1, 3), v.kw = R(1, 3), v.init = R(0, 1);
  v.iter_z = R(0, 3), v.iter_out = R(0, 3), v.iter_in = R(0, 3);
  v.dst_base = R(0, 9), v.src_base = R(0, 9), v.wgt_base = R(0, 9), v.wgt_z = R(0, 3);
  v.dst_out = R(0, 9), v.dst_in = R(0, 9), v.src_out = R(0, 9), v.src_in = R(0, 9);
  v.win_y = R(0, 9), v.win_x = R(0, 9), v.dst_z = R(0, 20), v.src_z = R(0, 20);
  Sets want;
  for (int64_t z = 0; z < v.iter_z; ++z) {
    for (int64_t o = 0; o < v.iter_out; ++o) {
      for (int64_t i = 0; i < v.iter_in; ++i) {
        const int64_t d = v.dst_base + z * v.dst_z + o * v.dst_out + i * v.dst_in;
        want[{kAccIndex, true}].insert(d);
        if (v.init == 0) want[{kAccIndex, false}].insert(d);
        for (int64_t t = 0; t < v.kh * v.kw; ++t) {
          want[{kInpIndex, false}].insert(v.src_base + z * v.src_z + o * v.src_out + i * v.src_in +
                                          t / v.kw * v.win_y + t % v.kw * v.win_x);
          want[{kWgtIndex, false}].insert(v.wgt_base + z * v.wgt_z + t / 4);
        }
      }
    }
  }
  EXPECT_EQ(ToSets(Accesses(v, config)), want);
}

TEST_P(AccessProperty, Requant) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Requant v;
  v.src_mem = R(0, 2), v.dst_mem = R(0, 2), v.clear = R(0, 1), v.per_tensor = R(0, 1);
  v.iter_out = R(0, 4), v.iter_in = R(0, 4);
  v.src_base = R(0, 9), v.dst_base = R(0, 9), v.prm_base = R(0, 9);
  v.dst_out = R(0, 9), v.dst_in = R(0, 9), v.src_out = R(0, 9), v.src_in = R(0, 9);
  v.prm_out = R(0, 9), v.prm_in = R(0, 9);
  Sets want;
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      const int64_t s = v.src_base + o * v.src_out + i * v.src_in;
      want[{MemoryIndex(v.src_mem), false}].insert(s);
      want[{MemoryIndex(v.dst_mem), true}].insert(v.dst_base + o * v.dst_out + i * v.dst_in);
      if (!v.per_tensor) want[{kPrmIndex, false}].insert(v.prm_base + o * v.prm_out + i * v.prm_in);
      if (v.clear && v.src_mem == 0) want[{kAccIndex, true}].insert(s);
    }
  }
  EXPECT_EQ(ToSets(Accesses(v, config)), want);
}

TEST_P(AccessProperty, Add) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Add v;
  v.src_mem = R(1, 2), v.dst_mem = R(0, 2), v.clear = R(0, 1);
  v.iter_out = R(0, 4), v.iter_in = R(0, 4);
  v.src_base = R(0, 9), v.dst_base = R(0, 9), v.acc_base = R(0, 9);
  v.dst_out = R(0, 9), v.dst_in = R(0, 9), v.src_out = R(0, 9), v.src_in = R(0, 9);
  Sets want;
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      want[{MemoryIndex(v.src_mem), false}].insert(v.src_base + o * v.src_out + i * v.src_in);
      want[{MemoryIndex(v.dst_mem), true}].insert(v.dst_base + o * v.dst_out + i * v.dst_in);
      want[{kAccIndex, false}].insert(v.acc_base + o * v.dst_out + i * v.dst_in);
      if (v.clear) want[{kAccIndex, true}].insert(v.acc_base + o * v.dst_out + i * v.dst_in);
    }
  }
  EXPECT_EQ(ToSets(Accesses(v, config)), want);
}

TEST_P(AccessProperty, Alu) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  Alu v;
  v.alu_op = R(0, 5), v.src_mem = R(0, 3), v.init = R(0, 1);
  v.iter_out = R(0, 3), v.iter_in = R(0, 3), v.red_out = R(1, 3), v.red_in = R(1, 3);
  v.dst_base = R(0, 9), v.src_base = R(0, 9);
  v.dst_out = R(0, 9), v.dst_in = R(0, 9), v.src_out = R(0, 9), v.src_in = R(0, 9);
  v.red_out_step = R(0, 9), v.red_in_step = R(0, 9);
  Sets want;
  for (int64_t o = 0; o < v.iter_out; ++o) {
    for (int64_t i = 0; i < v.iter_in; ++i) {
      const int64_t d = v.dst_base + o * v.dst_out + i * v.dst_in;
      want[{kAccIndex, true}].insert(d);
      for (int64_t ro = 0; ro < v.red_out; ++ro) {
        for (int64_t ri = 0; ri < v.red_in; ++ri) {
          const bool first = v.init && ro == 0 && ri == 0;
          if (!first && v.alu_op != static_cast<int64_t>(AluOp::kMov))
            want[{kAccIndex, false}].insert(d);
          if (v.src_mem == static_cast<int64_t>(VectorMemory::kImm)) continue;
          want[{MemoryIndex(v.src_mem), false}].insert(v.src_base + o * v.src_out + i * v.src_in +
                                                       ro * v.red_out_step + ri * v.red_in_step);
        }
      }
    }
  }
  EXPECT_EQ(ToSets(Accesses(v, config)), want);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AccessProperty, ::testing::Range(uint64_t{0}, uint64_t{60}));

TEST(Access, SyncAndFinishTouchNothing) {
  EXPECT_TRUE(Accesses(Sync{}, Config{}).empty());
  EXPECT_TRUE(Accesses(Finish{}, Config{}).empty());
}

TEST(Access, SpacesHaveNames) {
  EXPECT_EQ(Text(Space::Of(Memory::kAcc)), "acc");
  EXPECT_EQ(Text(Space::OfSegment(2)), "segment 2");
}

}  // namespace
}  // namespace tessera::isa::access_test
