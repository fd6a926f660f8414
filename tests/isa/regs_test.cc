// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the register table: offsets are words inside the window, no two registers
// overlap, bits fit and do not overlap, and the constants are those that drivers rely on. Not
// tested here: the registers' behaviour (tests of the register block and tests/cts).
#include "isa/regs.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace tessera::isa::regs_test {
namespace {

TEST(Regs, DoNotOverlap) {
  std::map<uint32_t, std::string> taken;
  for (const RegInfo& r : kRegs) {
    for (uint32_t i = 0; i < r.count; ++i) {
      const uint32_t offset = r.offset + i * r.stride;
      EXPECT_EQ(offset % 4, 0u) << r.name;
      EXPECT_LE(offset + 4, kRegWindowBytes) << r.name;
      const auto [other, fresh] = taken.emplace(offset, std::string(r.name));
      EXPECT_TRUE(fresh) << r.name << " and " << other->second << " are both at " << offset;
    }
  }
  EXPECT_EQ(taken.size(), 17u + 4 * 4 + 2 * 4 + 4 * 8);
}

TEST(Regs, BitsFitAndDoNotOverlap) {
  std::map<std::string, uint32_t> taken;
  for (const RegBitInfo& b : kRegBits) {
    EXPECT_GE(b.width, 1) << b.name;
    EXPECT_LE(b.lsb + b.width, 32) << b.name;
    const uint32_t mask = RegBits{b.lsb, b.width}.Mask();
    EXPECT_EQ(taken[std::string(b.reg)] & mask, 0u) << b.reg << "." << b.name;
    taken[std::string(b.reg)] |= mask;
    bool known = false;
    for (const RegInfo& r : kRegs) known = known || r.name == b.reg;
    EXPECT_TRUE(known) << b.reg;
  }
}

TEST(Regs, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const RegInfo& r : kRegs) EXPECT_TRUE(names.insert(r.name).second) << r.name;
}

TEST(Regs, ConstantsAreWhatDriversRelyOn) {
  EXPECT_EQ(reg::kId, 0x0c0u);
  // Kernels made by HLS have these bits in the same words.
  EXPECT_EQ(reg::kIrqGlobal, 0x004u);
  EXPECT_EQ(reg::kIrqEnable, 0x008u);
  EXPECT_EQ(reg::kIrqStatus, 0x00cu);
  EXPECT_EQ(reg::kIrqGlobalEnable.Mask(), 1u);
  EXPECT_EQ(reg::kIrqStatusDone.Mask(), 1u);
  EXPECT_EQ(reg::kIdValue, 0x31525354u);
  EXPECT_EQ(reg::kControl, 0x010u);
  EXPECT_EQ(reg::kControlStart.Mask(), 1u);
  EXPECT_EQ(reg::kControlSoftReset.Mask(), 2u);
  EXPECT_EQ(reg::kControlProfile.Put(1), 0x100u);
  EXPECT_EQ(reg::kStatusDone.Get(0b1010), 1u);
  EXPECT_EQ(reg::kErrorUnit.Get(0x00000403), 4u);
  EXPECT_EQ(reg::kErrorCode.Get(0x00000403), 3u);
  EXPECT_EQ(reg::kBusy[3], 0x070u);
  EXPECT_EQ(reg::kHazard[3], 0x07cu);
  EXPECT_EQ(reg::kUnitInsn[3], 0x09cu);
  EXPECT_EQ(reg::kSegmentSizeHi[7], 0x17cu);
}

TEST(RegBits, WholeWord) {
  constexpr RegBits all{0, 32};
  EXPECT_EQ(all.Mask(), 0xffffffffu);
  EXPECT_EQ(all.Get(0xdeadbeef), 0xdeadbeefu);
}

}  // namespace
}  // namespace tessera::isa::regs_test
