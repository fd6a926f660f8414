// SPDX-License-Identifier: Apache-2.0
//
// What is tested: device-tree overlays. `dtc` compiles each board's overlay, and reads back the
// addresses, interrupt, clock, memory and port widths of the description. Space: the boards of the
// tree, every port and width. Not tested here: a kernel that applies one.
#include "runtime/board/overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tessera::test::overlay_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Slurp(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// |source| through dtc to a blob and back to text; "" when dtc refuses it.
std::string ThereAndBack(const std::string& source) {
  const std::string stem = ::testing::TempDir() + "/overlay_test";
  std::ofstream(stem + ".dts") << source;
  const std::string command = "dtc -q -@ -I dts -O dtb -o " + stem + ".dtbo " + stem +
                              ".dts && dtc -q -I dtb -O dts -o " + stem + ".back " + stem + ".dtbo";
  if (std::system(command.c_str()) != 0) return "";
  return Slurp(stem + ".back");
}

TEST(Overlay, IsCompiledByDtc) {
  ASSERT_EQ(std::system("dtc --version > /dev/null"), 0)
      << "dtc is not there: install device-tree-compiler (scripts/setup.sh does)";
  const auto boards = ReadBoards("boards");
  ASSERT_TRUE(boards);
  for (const BoardDescription& board : *boards) {
    if (!board.HasProcessor()) continue;
    const std::string back = ThereAndBack(OverlaySource(board));
    const bool mp = board.family == BoardFamily::kZynqMp;
    ASSERT_NE(back, "") << board.name;
    const std::string words =
        mp ? "reg = <0x00 0xa0000000 0x00 0x1000>" : "reg = <0x43c00000 0x1000>";
    EXPECT_THAT(back, HasSubstr(words));
    EXPECT_THAT(back, HasSubstr(mp ? "tessera@a0000000 {" : "tessera@43c00000 {"));
    EXPECT_THAT(back,
                HasSubstr(mp ? "interrupts = <0x00 0x59 0x04>" : "interrupts = <0x00 0x1d 0x04>"));
    EXPECT_THAT(back, HasSubstr(mp ? "assigned-clock-rates = <0xee6b280>"
                                   : "assigned-clock-rates = <0x883d3b7>"));
    EXPECT_THAT(back, HasSubstr(mp ? "size = <0x10000000>" : "size = <0x4000000>"));
    EXPECT_THAT(back, HasSubstr("device-name = \"udmabuf-tessera\""));
    // The references that the kernel has to resolve.
    EXPECT_THAT(back, HasSubstr("__fixups__"));
    EXPECT_THAT(back, HasSubstr(mp ? "gic = " : "intc = "));
    EXPECT_THAT(back, HasSubstr(mp ? "zynqmp_clk = " : "clkc = "));
    if (mp) {
      EXPECT_THAT(back, HasSubstr("config-afi = <0x04 0x00 0x05 0x00 0x0e 0x00>"));
    } else {
      EXPECT_THAT(back, Not(HasSubstr("config-afi")));
    }
  }
}

TEST(Overlay, TakesPortWidthAndAchievedClock) {
  auto board = ReadBoard("boards/ultra96");
  ASSERT_TRUE(board);
  board->port = "S_AXI_HP3";
  board->port_bits = 64;
  board->image = BoardImage{};
  board->image->clock_hz = 249997498;
  const std::string back = ThereAndBack(OverlaySource(*board));
  EXPECT_THAT(back, HasSubstr("config-afi = <0x0a 0x01 0x0b 0x01 0x0e 0x00>"));
  EXPECT_THAT(back, HasSubstr("assigned-clock-rates = <0xee6a8ba>"));  // 249,997,498
}

}  // namespace
}  // namespace tessera::test::overlay_test
