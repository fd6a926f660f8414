// SPDX-License-Identifier: Apache-2.0
//
// What is tested: hw/netlist's static timing: every kind of cell as begin, middle and end of a
// path, the levels, fan-out and names that it reports, units, and a combinational loop. Space:
// small netlists, each with its path added up here by hand from a table of round delays, chosen so
// that no two sums are equal. Not tested here: whether silicon has such delays (delays.h names
// their sources).
#include "hw/netlist/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/netlist/netlist_text.h"

namespace tessera::netlist {
namespace {

using ::testing::HasSubstr;

// A wire takes 1, and one more for each doubling of its readers.
constexpr CellDelays kRound = {.family = "round",
                               .source = "",
                               .wire = {.wires = 1, .doublings = 1},
                               .wire_spread = 1000,
                               .lut = 10,
                               .mux = 20,
                               .carry = 30,
                               .carry_from_s = 40,
                               .carry_to_sum = 50,
                               .s_to_sum = 60,
                               .ff_out = 100,
                               .ff_in = 200,
                               .ff_enable = 300,
                               .ff_reset = 400,
                               .ram_out = 500,
                               .shift_out = 600,
                               .ram_in = 700,
                               .bram_out = 2000,
                               .bram_out_register = 800,
                               .bram_in = 900,
                               .dsp_p = 3000,
                               .dsp_m = 4000,
                               .dsp_ab = 5000,
                               .dsp_in = 6000,
                               .dsp_through = 7000,
                               .dsp_to_m = 8000,
                               .dsp_c = 9000,
                               .dsp_cascade = 11000};

std::vector<TimedPath> Paths(const std::vector<std::string>& cells,
                             const std::vector<std::string>& names = {},
                             const std::set<std::string>& open = {}) {
  const Netlist netlist = ReadText(ModuleText(cells, names));
  Result<std::vector<TimedPath>> paths = WorstPaths(netlist, kRound, open);
  EXPECT_TRUE(paths) << paths.error().message;
  return paths ? *paths : std::vector<TimedPath>{};
}

// The worst path of a module whose cells all lie in the top.
double Worst(const std::vector<std::string>& cells) {
  double worst = 0;
  for (const TimedPath& path : Paths(cells)) worst = std::max(worst, path.ns);
  return worst;
}

// Every path begins at this flip-flop, which drives wire 10, and ends at one that reads |net|.
std::string From() { return CellText("from", "FDRE", "C:3", "Q:10"); }
std::string To(int net, const char* pin = "D") {
  return CellText("to", "FDRE", fmt::format("C:3 {}:{}", pin, net), "Q:11");
}

TEST(Timing, RegisterToRegister) {
  EXPECT_EQ(Worst({From(), To(10)}), 100 + 1 + 200);
  EXPECT_EQ(Worst({From(), To(10, "CE")}), 100 + 1 + 300);
  EXPECT_EQ(Worst({From(), To(10, "R")}), 100 + 1 + 400);
}

TEST(Timing, Luts) {
  // Wire 10 has two readers. A LUT before a D lies in the flip-flop's slice, a LUT before an enable
  // does not.
  const std::string lut1 = CellText("a", "LUT2", "I0:10 I1:10", "O:12");
  const std::string lut2 = CellText("b", "LUT1", "I0:12", "O:13");
  EXPECT_EQ(Worst({From(), lut1, To(12)}), 100 + (1 + 1) + 10 + 200);
  EXPECT_EQ(Worst({From(), lut1, lut2, To(13, "CE")}), 100 + 2 + 10 + 1 + 10 + 1 + 300);
  // Pads and inverters cost nothing.
  EXPECT_EQ(Worst({From(), CellText("i", "INV", "I:10", "O:12"), To(12)}), 100 + 1 + 200);
}

TEST(Timing, FanOut) {
  std::vector<std::string> cells = {From()};
  for (int i = 0; i < 8; ++i) {
    cells.push_back(CellText(fmt::format("to{}", i), "FDRE", "D:10", fmt::format("Q:{}", 20 + i)));
  }
  EXPECT_EQ(Worst(cells), 100 + (1 + 3) + 200);
  for (int i = 8; i < 512; ++i) {
    cells.push_back(CellText(fmt::format("to{}", i), "FDRE", "D:10", fmt::format("Q:{}", 20 + i)));
  }
  EXPECT_EQ(Worst(cells), 100 + (1 + 9 + 1000) + 200) << "over 500 readers";
}

TEST(Timing, WideMultiplexers) {
  // The data comes from LUTs of the slice, the select from outside the slice.
  const std::string data = CellText("l", "LUT1", "I0:10", "O:12");
  EXPECT_EQ(
      Worst({From(), data, CellText("m", "MUXF7", R"(I0:12 I1:12 S:"0")", "O:13"), To(13, "CE")}),
      100 + 1 + 10 + 20 + 1 + 300);
  EXPECT_EQ(Worst({From(), CellText("m", "MUXF7", R"(I0:"0" I1:"1" S:10)", "O:13"), To(13, "CE")}),
            100 + 1 + 20 + 1 + 300);
}

TEST(Timing, CarryChains) {
  // Two blocks: the path enters through a LUT into S[1] of the first and leaves at the sum of bit 2
  // of the second.
  const std::string lut = CellText("l", "LUT1", "I0:10", "O:12");
  const std::string low = CellText("low", "CARRY4", R"(S:"0",12,"0","0" DI:"0","0","0","0" CI:"0")",
                                   "CO:20,21,22,23 O:24,25,26,27");
  const std::string high =
      CellText("high", "CARRY4", R"(S:"0","0","0","0" DI:"0","0","0","0" CI:23)",
               "CO:30,31,32,33 O:34,35,36,37");
  EXPECT_EQ(Worst({From(), lut, low, high, To(36, "CE")}), 100 + 1 + 10 + 40 + 50 + 1 + 300);
  EXPECT_EQ(Worst({From(), lut, low, high, To(33, "CE")}), 100 + 1 + 10 + 40 + 30 + 1 + 300);
  EXPECT_EQ(Worst({From(), lut, low, To(25, "CE")}), 100 + 1 + 10 + 60 + 1 + 300) << "its own sum";
  // A register into S passes through a LUT.
  const std::string routed =
      CellText("low", "CARRY4", R"(S:10,"0","0","0" DI:"0","0","0","0" CI:"0")",
               "CO:20,21,22,23 O:24,25,26,27");
  EXPECT_EQ(Worst({From(), routed, To(23, "CE")}), 100 + 1 + 10 + 40 + 1 + 300);
}

TEST(Timing, LutRam) {
  const std::string ram =
      CellText("r", "RAM64M", "ADDRA:10 ADDRB:5 ADDRD:6 DIA:7 WE:8 WCLK:3", "DOA:12 DOB:13");
  EXPECT_EQ(Worst({ram, To(12, "CE")}), 500 + 1 + 300) << "what was written";
  // The read goes through the address, which begins 550 later than the clock, so that its path is
  // the later one.
  std::vector<std::string> cells = {CellText("q", "RAMB18E1", "", "DOADO:10", R"("DOA_REG": 1)"),
                                    ram, To(12, "CE")};
  EXPECT_EQ(Worst(cells), 800 + 1 + 10 + 1 + 300);
  cells[2] = To(13, "CE");
  EXPECT_EQ(Worst(cells), 500 + 1 + 300) << "ADDRA does not address DOB";
  EXPECT_EQ(Worst({From(), CellText("r", "RAM64M", "DIA:10 WCLK:3", "DOA:12")}), 100 + 1 + 700);
  EXPECT_EQ(Worst({From(), CellText("s", "SRL16E", "D:10 CLK:3", "Q:12")}), 100 + 1 + 700);
  EXPECT_EQ(Worst({CellText("s", "SRL16E", "CLK:3", "Q:12"), To(12)}), 600 + 1 + 200);
}

TEST(Timing, BlockRam) {
  const char* registers = R"("DOA_REG": "0", "DOB_REG": "1")";
  EXPECT_EQ(Worst({CellText("b", "RAMB36E1", "CLKARDCLK:3", "DOADO:12", registers), To(12)}),
            2000 + 1 + 200);
  EXPECT_EQ(Worst({CellText("b", "RAMB36E1", "CLKBWRCLK:3", "DOBDO:12", registers), To(12)}),
            800 + 1 + 200);
  EXPECT_EQ(Worst({From(), CellText("b", "RAMB36E1", "ADDRARDADDR:10", "", registers)}),
            100 + 1 + 900);
}

TEST(Timing, Dsps) {
  const auto dsp = [](const char* inputs, const char* outputs, int a, int m, int p) {
    return CellText(
        "d", "DSP48E1", inputs, outputs,
        fmt::format(R"("AREG": {}, "BREG": {}, "MREG": {}, "PREG": {}, "CREG": 0, "ADREG": 0)", a,
                    a, m, p));
  };
  EXPECT_EQ(Worst({dsp("CLK:3", "P:12", 1, 1, 1), To(12)}), 3000 + 1 + 200);
  EXPECT_EQ(Worst({dsp("CLK:3", "P:12", 1, 1, 0), To(12)}), 4000 + 1 + 200);
  EXPECT_EQ(Worst({dsp("CLK:3", "P:12", 1, 0, 0), To(12)}), 5000 + 1 + 200);
  EXPECT_EQ(Worst({From(), dsp("A:10", "", 1, 1, 1)}), 100 + 1 + 6000);
  EXPECT_EQ(Worst({From(), dsp("B:10", "", 0, 1, 1)}), 100 + 1 + 8000);
  EXPECT_EQ(Worst({From(), dsp("B:10", "", 0, 0, 1)}), 100 + 1 + 7000 - 3000);
  EXPECT_EQ(Worst({From(), dsp("A:10", "P:12", 0, 0, 0), To(12)}), 100 + 1 + 7000 + 1 + 200);
  EXPECT_EQ(Worst({From(), dsp("C:10", "", 1, 1, 1)}), 100 + 1 + 9000);
  EXPECT_EQ(Worst({From(), dsp("CEA1:10", "", 1, 1, 1)}), 100 + 1 + 6000);
  // From a DSP to the next over the cascade wire, which has no delay.
  EXPECT_EQ(Worst({dsp("CLK:3", "PCOUT:12", 1, 1, 1),
                   CellText("e", "DSP48E1", "PCIN:12", "P:13", R"("PREG": 1)")}),
            3000 + 11000);
}

TEST(Timing, Ecp5FlopsAndMultiplexers) {
  const std::string to = CellText("to", "TRELLIS_FF", "CLK:3 DI:12", "Q:11");
  EXPECT_EQ(Worst({CellText("f", "TRELLIS_FF", "CLK:3", "Q:12"), to}), 100 + 1 + 200);
  EXPECT_EQ(Worst({From(), CellText("to", "TRELLIS_FF", "CLK:3 CE:10", "Q:11")}), 100 + 1 + 300);
  EXPECT_EQ(Worst({From(), CellText("to", "TRELLIS_FF", "CLK:3 LSR:10", "Q:11")}), 100 + 1 + 400);
  EXPECT_EQ(Worst({From(), CellText("l", "LUT4", "A:10 B:10", "Z:12"), to}), 100 + 2 + 10 + 200);
  // A LUT, the two multiplexers behind it without a wire, and their selects from outside.
  const std::string lut = CellText("l", "LUT4", "A:10", "Z:20");
  const std::string five = CellText("m", "PFUMX", R"(ALUT:20 BLUT:"0" C0:"0")", "Z:21");
  const std::string six = CellText("n", "L6MUX21", R"(D0:"0" D1:21 SD:"0")", "Z:22");
  EXPECT_EQ(Worst({From(), lut, five, six, To(22, "CE")}), 100 + 1 + 10 + 20 + 20 + 1 + 300);
  EXPECT_EQ(Worst({From(), CellText("m", "PFUMX", R"(ALUT:"0" BLUT:"0" C0:10)", "Z:21"),
                   CellText("n", "L6MUX21", R"(D0:"0" D1:"0" SD:21)", "Z:22"), To(22, "CE")}),
            100 + 1 + 20 + 1 + 20 + 1 + 300);
}

TEST(Timing, Ecp5CarryChains) {
  const std::string low =
      CellText("low", "CCU2C", R"(A0:10 A1:"0" CIN:"0")", "S0:20 S1:21 COUT:22");
  const std::string high =
      CellText("high", "CCU2C", R"(A0:"0" A1:"0" CIN:22)", "S0:30 S1:31 COUT:32");
  EXPECT_EQ(Worst({From(), low, To(20, "CE")}), 100 + 1 + 60 + 1 + 300) << "its own sum";
  EXPECT_EQ(Worst({From(), low, To(21, "CE")}), 100 + 1 + 40 + 1 + 300) << "the next sum";
  EXPECT_EQ(Worst({From(), low, high, To(31, "CE")}), 100 + 1 + 40 + 50 + 1 + 300);
  EXPECT_EQ(Worst({From(), low, high, To(32, "CE")}), 100 + 1 + 40 + 30 + 1 + 300);
  // The second bit does not reach the first sum: the path is that of the enable, from nothing.
  const std::string second =
      CellText("low", "CCU2C", R"(A0:"0" B1:10 CIN:"0")", "S0:20 S1:21 COUT:22");
  EXPECT_EQ(Worst({From(), second, To(20, "CE")}), 0);
  EXPECT_EQ(Worst({From(), second, To(21, "CE")}), 100 + 1 + 60 + 1 + 300);
}

TEST(Timing, Ecp5MemoriesAndMultipliers) {
  const std::string ram =
      CellText("r", "TRELLIS_DPR16X4", "DI:7 WAD:6 WRE:8 WCK:3 RAD:10", "DO:12");
  EXPECT_EQ(Worst({CellText("q", "DP16KD", "CLKA:3", "DOA0:10"), ram, To(12, "CE")}),
            2000 + 1 + 10 + 1 + 300);
  EXPECT_EQ(Worst({From(), CellText("r", "TRELLIS_DPR16X4", "WAD:10 WCK:3", "DO:12")}),
            100 + 1 + 700);
  EXPECT_EQ(Worst({From(), CellText("q", "DP16KD", "CLKA:3 ADA3:10", "DOA0:12")}), 100 + 1 + 900);
  EXPECT_EQ(Worst({From(), CellText("m", "MULT18X18D", "A0:10 CLK0:3", "P0:12"), To(12, "CE")}),
            100 + 1 + 7000 + 1 + 300);
  EXPECT_EQ(
      Worst({From(), CellText("m", "MULT18X18D", "CE0:10 SIGNEDA:10", "P0:12"), To(12, "CE")}), 0)
      << "of these pins none is used without registers";
}

TEST(Timing, UnitsNamesAndLevels) {
  // u_a's register -> a LUT in u_box, which is open -> two LUTs in u_box.u_b -> its register's
  // enable.
  const std::vector<std::string> cells = {InstanceText("u_a", "unit"),
                                          InstanceText("u_box", "box"),
                                          InstanceText("u_box.u_b", "unit"),
                                          CellText("$1", "FDRE", "C:3", "Q:10"),
                                          CellText("$2", "LUT1", "I0:10", "O:12"),
                                          CellText("$3", "LUT1", "I0:12", "O:13"),
                                          CellText("$4", "LUT1", "I0:13", "O:14"),
                                          CellText("$5", "FDRE", "C:3 CE:14", "Q:15"),
                                          CellText("$6", "FDRE", "C:3 D:15", "Q:16")};
  const std::vector<std::string> names = {NameText("u_a.begin_q", "10"), NameText("u_box.go", "12"),
                                          NameText("u_box.u_b.end_q", "15"),
                                          NameText("u_a.back_q", "16")};
  const std::vector<TimedPath> paths = Paths(cells, names, {"box"});
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0].unit, "u_box.u_b");
  EXPECT_EQ(paths[0].from, "u_a");
  EXPECT_EQ(paths[0].ns, 100 + 3 * (1 + 10) + 1 + 300);
  EXPECT_EQ(paths[0].levels, 3);
  EXPECT_EQ(paths[0].end, "u_box.u_b.end_q.CE");
  ASSERT_EQ(paths[0].steps.size(), 4u);
  EXPECT_EQ(paths[0].steps[1].name, "u_box.go");
  EXPECT_EQ(paths[0].steps[1].at, 100 + 1 + 10);
  EXPECT_EQ(paths[0].steps[3].name, "in u_box.u_b");
  EXPECT_EQ(paths[1].unit, "u_a");
  EXPECT_EQ(paths[1].from, "u_box.u_b");
  EXPECT_EQ(paths[1].ns, 100 + 1 + 200);
  const std::string text = PrintPaths(paths, 1);
  EXPECT_THAT(text, HasSubstr("434.00       3        1  u_a.begin_q -> u_box.u_b.end_q.CE"));
  EXPECT_THAT(text, HasSubstr("   111.00     1  u_box.go\n"));
  // With the box closed, all its cells are one unit.
  EXPECT_EQ(Paths(cells, names)[0].unit, "u_box");
}

TEST(Timing, Ports) {
  // From port 2 through a LUT to port 9, as if registers stood on both sides.
  EXPECT_EQ(Worst({CellText("l", "LUT1", "I0:2", "O:9")}), 100 + 1 + 10 + 1 + 200);
}

TEST(Timing, RefusesALoop) {
  const Netlist netlist = ReadText(ModuleText(
      {CellText("a", "LUT2", "I0:10 I1:2", "O:12"), CellText("b", "LUT1", "I0:12", "O:10")},
      {NameText("grant", "12")}));
  const auto paths = WorstPaths(netlist, kRound, {});
  ASSERT_FALSE(paths);
  EXPECT_THAT(paths.error().message, HasSubstr("a combinational loop through "));
}

TEST(Timing, FamiliesOfTheParts) {
  ASSERT_NE(FindFamily("xc7"), nullptr);
  ASSERT_NE(FindFamily("xcup"), nullptr);
  ASSERT_NE(FindFamily("ecp5"), nullptr);
  EXPECT_EQ(FindFamily("ice40"), nullptr);
}

}  // namespace
}  // namespace tessera::netlist
