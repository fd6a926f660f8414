// SPDX-License-Identifier: Apache-2.0
//
// What is tested: how far the wires of a netlist go (spans.h), and the fit of their delays to
// routed designs. Space: netlists made by hand, with sides that are whole numbers; routed clocks
// that this file computes from delays of its own, which the fit must find; refusals and the printed
// errors. Not tested here: how well the delays describe routed designs (hw/scripts/estimate.sh).
#include "hw/netlist/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hw/netlist/spans.h"
#include "tests/hw/netlist/netlist_text.h"

namespace tessera::netlist {
namespace {

using ::testing::HasSubstr;

constexpr CellDelays kPlain = {.family = "plain",
                               .wire = {.wires = 1},
                               .luts_per_ram = 16,
                               .luts_per_dsp = 25,
                               .lut = 10,
                               .ff_out = 100,
                               .ff_in = 200,
                               .ff_enable = 300,
                               .bram_in = 900};

std::string Flop(const std::string& name, int in, int out) {
  return CellText(name, "FDRE", fmt::format("D:{}", in), fmt::format("Q:{}", out));
}

TEST(Spans, AreTheSideOfTheInstanceAroundAWire) {
  // u_a: four flip-flops, so 2 by 2. u_b: a LUT and a RAM block, which is worth 16 LUTs: 4 by 4.
  // u_box around both: also a multiplier, worth 25: 5 by 5. The top has 36 flip-flops: 6 by 6.
  std::vector<std::string> cells = {
      InstanceText("u_box", "box"),
      InstanceText("u_box.u_a", "a"),
      InstanceText("u_box.u_b", "b"),
      Flop("u_box.u_a.f0", 2, 10),
      Flop("u_box.u_a.f1", 10, 11),
      Flop("u_box.u_a.f2", 10, 12),
      Flop("u_box.u_a.f3", 11, 13),
      CellText("u_box.u_b.l", "LUT1", "I0:13", "O:14"),
      CellText("u_box.u_b.r", "RAMB18E1", "ADDRARDADDR:14", "DOADO:15"),
      CellText("u_box.d", "DSP48E1", "A:15", "P:16")};
  for (int i = 0; i < 32; ++i) cells.push_back(Flop(fmt::format("f{}", i), 16, 20 + i));
  const Netlist netlist = ReadText(ModuleText(cells, {}));
  const std::vector<WireTerms> terms = TermsOfWires(netlist, InstancesOfCells(netlist), kPlain);
  EXPECT_EQ(terms[10].span, 2) << "inside u_a";
  EXPECT_EQ(terms[10].doublings, 1) << "two readers";
  EXPECT_EQ(terms[10].columns, 0);
  EXPECT_EQ(terms[13].span, 5) << "from u_a to u_b";
  EXPECT_EQ(terms[14].span, 4) << "inside u_b";
  EXPECT_EQ(terms[14].columns, 4) << "to a RAM block";
  EXPECT_EQ(terms[15].span, 5) << "from u_b to the multiplier";
  EXPECT_EQ(terms[15].columns, 5);
  EXPECT_EQ(terms[16].span, 6) << "into the top";
  EXPECT_EQ(terms[16].doublings, 5) << "32 readers";
  EXPECT_EQ(terms[2].span, 6) << "a port belongs to the top";
  EXPECT_EQ(terms[11].wires, 1);
}

TEST(Spans, LengthenPaths) {
  // 4 flip-flops: all wires span 2. The path has a wire with two readers and one to a RAM block.
  const Netlist netlist = ReadText(ModuleText(
      {Flop("a", 2, 10), Flop("b", 10, 11), Flop("c", 11, 12), Flop("d", 12, 13),
       CellText("l", "LUT1", "I0:10", "O:14"), CellText("r", "RAMB18E1", "ADDRARDADDR:14", "")},
      {}));
  CellDelays delays = kPlain;
  delays.luts_per_ram = 4;
  delays.wire = {.wires = 1, .doublings = 3, .span = 7, .columns = 50};
  const auto paths = WorstPaths(netlist, delays, {});
  ASSERT_TRUE(paths) << paths.error().message;
  EXPECT_EQ(paths->front().ns, 100 + (1 + 3 + 2 * 7) + 10 + (1 + 2 * 7 + 2 * 50) + 900);
  EXPECT_EQ(paths->front().terms.wires, 2);
  const auto longest = LongestPath::Of(netlist, delays);
  ASSERT_TRUE(longest) << longest.error().message;
  EXPECT_EQ(longest->Find(delays.wire).cells, 100 + 10 + 900);
  EXPECT_EQ(longest->Find({.wires = 1}).terms.columns, 2);
}

// A chain of |luts| LUTs from a flip-flop, with |readers| readers, to an enable or a RAM block,
// beside flip-flops that make the top |side| by |side|.
RoutedDesign Chain(int luts, int readers, int side, bool ram, const WireDelays& true_delays) {
  std::vector<std::string> cells;
  int flops = 0;
  const auto flop = [&](const std::string& inputs) {
    cells.push_back(
        CellText(fmt::format("f{}", flops), "FDRE", inputs, fmt::format("Q:{}", 1000 + flops)));
    ++flops;
  };
  flop("D:2");  // drives net 1000
  for (int i = 1; i < readers; ++i) flop("D:1000");
  for (int i = 0; i < luts; ++i) {
    cells.push_back(CellText(fmt::format("l{}", i), "LUT1",
                             fmt::format("I0:{}", i == 0 ? 1000 : 99 + i),
                             fmt::format("O:{}", 100 + i)));
  }
  const int last = luts == 0 ? 1000 : 99 + luts;
  if (ram) {
    cells.push_back(CellText("r", "RAMB18E1", fmt::format("ADDRARDADDR:{}", last), ""));
  } else {
    flop(fmt::format("CE:{}", last));
  }
  while (flops < side * side) flop("D:2");
  const auto estimate = LongestPath::Of(ReadText(ModuleText(cells, {})), kPlain);
  EXPECT_TRUE(estimate) << estimate.error().message;
  const int wires = luts + 1;
  const double ns = 100 + 10 * luts + (ram ? 900 : 300) + wires * true_delays.wires +
                    std::log2(readers) * true_delays.doublings + wires * side * true_delays.span +
                    (ram ? side * true_delays.columns : 0);
  return {fmt::format("chain{}", luts), ns, *estimate};
}

TEST(Fit, FindsTheDelaysOfRoutedDesigns) {
  const WireDelays delays = {.wires = 40, .doublings = 25, .span = 6, .columns = 9};
  std::vector<RoutedDesign> designs;
  for (const auto& [luts, readers, side, ram] :
       std::vector<std::tuple<int, int, int, bool>>{{8, 2, 4, false},
                                                    {5, 8, 9, false},
                                                    {2, 16, 5, true},
                                                    {9, 1, 12, true},
                                                    {12, 4, 6, false},
                                                    {7, 32, 7, true},
                                                    {10, 2, 15, false}}) {
    designs.push_back(Chain(luts, readers, side, ram, delays));
  }
  const auto fit = FitWires(designs, {.wires = 1});
  ASSERT_TRUE(fit) << fit.error().message;
  EXPECT_NEAR(fit->wire.wires, delays.wires, 1e-3);
  EXPECT_NEAR(fit->wire.doublings, delays.doublings, 1e-3);
  EXPECT_NEAR(fit->wire.span, delays.span, 1e-3);
  EXPECT_NEAR(fit->wire.columns, delays.columns, 1e-3);
  for (size_t d = 0; d < designs.size(); ++d) {
    EXPECT_NEAR(fit->seen[d], designs[d].ns, 0.01);
    EXPECT_NEAR(fit->unseen[d], designs[d].ns, 0.01) << "the others know its delays too";
  }
}

TEST(Fit, LeavesOutTheDesignItJudges) {
  // Six designs agree, the last one takes twice as long. Left out, it has no part in its estimate.
  const WireDelays delays = {.wires = 40, .doublings = 0, .span = 6, .columns = 0};
  std::vector<RoutedDesign> designs;
  for (const auto& [luts, side] : std::vector<std::pair<int, int>>{
           {8, 4}, {5, 9}, {3, 5}, {9, 12}, {12, 6}, {7, 7}, {10, 10}}) {
    designs.push_back(Chain(luts, 1, side, false, delays));
  }
  const double honest = designs.back().ns;
  designs.back().ns *= 2;
  const auto fit = FitWires(designs, {.wires = 1});
  ASSERT_TRUE(fit) << fit.error().message;
  EXPECT_NEAR(fit->unseen.back(), honest, 0.01 * honest);
  EXPECT_GT(fit->seen.back(), 1.05 * honest);
}

TEST(Fit, NeverBelowZero) {
  // Designs that are faster the larger they are: span is 0, not less.
  std::vector<RoutedDesign> designs;
  for (const int side : {4, 5, 6, 7, 8, 9}) {
    designs.push_back(Chain(5, 1, side, false, {.wires = 100}));
    designs.back().ns -= 10 * side;
  }
  const auto fit = FitWires(designs, {.wires = 1});
  ASSERT_TRUE(fit) << fit.error().message;
  EXPECT_EQ(fit->wire.span, 0);
  EXPECT_GT(fit->wire.wires, 0);
}

TEST(Fit, RefusesTooFewDesigns) {
  const std::vector<RoutedDesign> designs(4, Chain(5, 1, 4, false, {.wires = 10}));
  const auto fit = FitWires(designs, {.wires = 1});
  ASSERT_FALSE(fit);
  EXPECT_THAT(fit.error().message, HasSubstr("4 routed designs are too few for 4 delays"));
}

TEST(Fit, PrintsErrors) {
  // Clocks of the estimates against those of the routed designs: +25 %, -20 %, 0; left out +100 %,
  // -50 %, +1 %.
  const std::vector<RoutedDesign> designs = {{"a", 10, {}}, {"b", 8, {}}, {"c", 5, {}}};
  const WireFit fit = {.wire = {}, .seen = {8, 10, 5}, .unseen = {5, 16, 5 / 1.01}};
  const std::string text = PrintFit(designs, fit);
  EXPECT_THAT(text, HasSubstr("error 3 20 25 50 100\n"));
  EXPECT_THAT(text, HasSubstr("100.0     125.0  +25 %    200.0 +100 %\n"));
}

}  // namespace
}  // namespace tessera::netlist
