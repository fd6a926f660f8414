// SPDX-License-Identifier: Apache-2.0
//
// What is tested: hardware hand-off files. A board's file is written, read back equal, and read by
// Python's own XML parser (an outside reader) with the fields that PYNQ reads; an error names what
// a board needs and a file lacks; every truncation and random mutant is refused in one line or
// read. Space: the boards of the tree. Not tested here: a file of the vendor's tool; PYNQ itself.
#include "runtime/bitstream/hwh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "base/rng.h"
#include "runtime/bitstream/xml_reader.h"
#include "runtime/board/handoff.h"
#include "tests/base/one_line.h"

namespace tessera::test::hwh_test {
namespace {

using ::testing::HasSubstr;

BoardDescription Board(const char* name) {
  const auto board = ReadBoard(std::string("boards/") + name);
  EXPECT_TRUE(board);
  return *board;
}

std::string Output(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char chunk[4096];
  while (const size_t n = fread(chunk, 1, sizeof chunk, pipe)) output.append(chunk, n);
  pclose(pipe);
  return output;
}

TEST(Hwh, IsReadAsWritten) {
  for (const char* name : {"pynq-z1", "pynq-z2", "ultra96"}) {
    const HwhDesign design = HandoffOf(Board(name));
    const auto again = ParseHwh(HwhText(design));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(HwhText(*again), HwhText(design));
    EXPECT_TRUE(CheckHandoff(*again, Board(name)));
  }
}

// The loops of PYNQ's reader over an ElementTree, rewritten; it prints what it finds.
constexpr const char* kReader = R"(
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.find('./EXTERNALPORTS') is not None
modules = {m.get('INSTANCE'): m for m in root.iter('MODULE')}
for name, m in modules.items():
    print(m.get('FULLNAME').lstrip('/'), m.get('VLNV'), m.get('MODTYPE'))
    for p in m.findall('./PARAMETERS/*[@NAME][@VALUE]'):
        print(' ', p.get('NAME'), p.get('VALUE'))
    for p in m.iter('PORT'):
        print(' ', p.get('NAME'), p.get('SIGNAME'))
    for r in m.iter('MEMRANGE'):
        low, high = int(r.get('BASEVALUE'), 16), int(r.get('HIGHVALUE'), 16)
        print(' ', modules[r.get('INSTANCE')].get('FULLNAME'), hex(low), high - low + 1)
)";

TEST(Hwh, HasWhatPynqReads) {
  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/hwh_reader.py") << kReader;
  std::ofstream(folder + "/z1.hwh") << HwhText(HandoffOf(Board("pynq-z1")));
  EXPECT_EQ(Output("python3 " + folder + "/hwh_reader.py " + folder + "/z1.hwh"),
            "ps xilinx.com:ip:processing_system7:5.5 processing_system7\n"
            "  PCW_FPGA_FCLK0_ENABLE 1\n"
            "  PCW_FCLK0_PERIPHERAL_DIVISOR0 7\n"
            "  PCW_FCLK0_PERIPHERAL_DIVISOR1 1\n"
            "  IRQ_F2P machine_interrupt\n"
            "  /machine 0x43c00000 4096\n"
            "machine tessera:hw:tessera:1.0 tessera\n"
            "  C_M_AXI_GMEM_DATA_WIDTH 64\n"
            "  interrupt machine_interrupt\n");
  std::ofstream(folder + "/u96.hwh") << HwhText(HandoffOf(Board("ultra96")));
  const std::string said = Output("python3 " + folder + "/hwh_reader.py " + folder + "/u96.hwh");
  EXPECT_THAT(said, HasSubstr("PSU__CRL_APB__PL0_REF_CTRL__DIVISOR0 6\n"));
  EXPECT_THAT(said, HasSubstr("/machine 0xa0000000 4096\n"));
}

TEST(Hwh, OfAnotherDesignIsRefused) {
  const BoardDescription board = Board("pynq-z1");
  const auto says = [&](const HwhDesign& design) {
    const Status status = CheckHandoff(design, board);
    return status ? std::string("it was taken") : status.error().message;
  };
  HwhDesign design = HandoffOf(board);
  design.modules[1].type = "adder";
  EXPECT_THAT(says(design), HasSubstr("has 0 modules of type tessera"));
  design = HandoffOf(board);
  design.modules[0].ranges[0].base = 0x40000000;
  EXPECT_THAT(says(design), HasSubstr("has the registers at 0x40000000 to 0x43c00fff, pynq-z1 at"));
  design.modules[0].ranges.clear();
  EXPECT_THAT(says(design), HasSubstr("does not say where the machine's registers are"));
  EXPECT_THAT(says(HandoffOf(Board("ultra96"))),
              HasSubstr("a bus of \"128\" bits, pynq-z1 has 64"));
}

TEST(Hwh, WrongOnesAreNamed) {
  const auto says = [](const std::string& text) {
    const auto design = ParseHwh(text);
    return design ? std::string("it was read") : design.error().message;
  };
  EXPECT_THAT(says(""), HasSubstr("it has no XML element"));
  EXPECT_THAT(says("<a/>"), HasSubstr("its root is a, not EDKSYSTEM"));
  EXPECT_THAT(says("<EDKSYSTEM><MODULE INSTANCE='x'/></EDKSYSTEM>"),
              HasSubstr("an element MODULE has no FULLNAME"));
  const std::string module = "<MODULE INSTANCE='x' FULLNAME='/x' VLNV='v' MODTYPE='t'>";
  EXPECT_THAT(
      says("<EDKSYSTEM>" + module + "<MEMRANGE INSTANCE='y' BASEVALUE='0xg' HIGHVALUE='1'/>"),
      HasSubstr("\"0xg\", no address"));
  EXPECT_THAT(says("<EDKSYSTEM>" + module + "<MEMRANGE INSTANCE='y' BASEVALUE='2' HIGHVALUE='1'/>"),
              HasSubstr("ends at 0x1, before it begins, 0x2"));
  EXPECT_THAT(says("<EDKSYSTEM>" + module), HasSubstr("it ends inside element MODULE"));
  EXPECT_THAT(says("<EDKSYSTEM>\n<a></b></EDKSYSTEM>"), HasSubstr("line 2: </b> ends a"));
  EXPECT_THAT(says("<EDKSYSTEM a='1' a='2'/>"), HasSubstr("element EDKSYSTEM has a twice"));
  EXPECT_THAT(says("<EDKSYSTEM a='&bomb;'/>"), HasSubstr("an entity that is not read: &bomb;"));
  EXPECT_THAT(says("<!DOCTYPE x><EDKSYSTEM/>"), HasSubstr("document types and CDATA are not read"));
  EXPECT_THAT(says("<EDKSYSTEM/><a/>"), HasSubstr("a second root element, a"));
  std::string deep = "<EDKSYSTEM>";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_THAT(says(deep), HasSubstr("nested deeper than 64"));
}

TEST(Hwh, EntitiesGoThereAndBack) {
  HwhDesign design;
  design.modules.push_back({"a\"<&'>", "/a", "v", "t", {{"p", "<\"&"}}, {}, {}});
  const auto again = ParseHwh(HwhText(design));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->modules[0].instance, "a\"<&'>");
  EXPECT_EQ(again->modules[0].Parameter("p"), "<\"&");
}

TEST(Hwh, EveryPrefixIsRefusedAndMutantsInOneLine) {
  const std::string text = HwhText(HandoffOf(Board("ultra96")));
  for (size_t size = 0; size + 2 < text.size(); ++size) {
    const auto design = ParseHwh(text.substr(0, size));
    ASSERT_FALSE(design) << size;
    ASSERT_TRUE(IsOneLine(design.error().message));
  }
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng(seed);
    std::string mutant = text;
    for (int64_t n = rng.Range(1, 6); n > 0; --n)
      mutant[static_cast<size_t>(rng.Range(0, std::ssize(mutant) - 1))] =
          static_cast<char>(rng.Range(0, 255));
    const auto design = ParseHwh(mutant);
    if (!design) {
      ASSERT_TRUE(IsOneLine(design.error().message)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tessera::test::hwh_test
