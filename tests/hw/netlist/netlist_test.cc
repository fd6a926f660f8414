// SPDX-License-Identifier: Apache-2.0
//
// What is tested: hw/netlist reads the JSON of yosys and counts it: cells by kind, route-throughs,
// the instance of every cell, arrays of instances; and every refusal. Space: netlists made by hand,
// with counts made by hand. Not tested here: yosys (hw_area_load), comparison with the table
// (tests/hw/area).
#include "hw/netlist/netlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/netlist/area.h"
#include "tests/hw/netlist/netlist_text.h"

namespace tessera::netlist {
namespace {

using ::testing::HasSubstr;

TEST(ReadNetlist, ReadsCellsPortsAndNames) {
  const Netlist netlist = ReadText(
      ModuleText({CellText("ff", "FDRE", R"(D:2 C:3 CE:"1")", "Q:9"),
                  CellText("ram", "RAMB36E1", "A:2", "DO:4,5",
                           R"("DOA_REG": "0001", "INIT_00": "0101", "DOB_REG": 0)")},
                 {NameText("q_o", "9"), NameText("u_a.q_q", "9"), NameText("u_a.u_b.d_i", "9"),
                  NameText("word", "4, 5"), NameText("$hidden", "3", 1)}));
  EXPECT_EQ(netlist.top, "top");
  ASSERT_EQ(netlist.ports.size(), 2u);
  EXPECT_EQ(netlist.ports[1].name, "q_o");
  EXPECT_TRUE(netlist.ports[1].output);
  ASSERT_EQ(netlist.cells.size(), 2u);
  EXPECT_EQ(netlist.cells[0].row->type, "FDRE");
  ASSERT_EQ(netlist.cells[0].ports.size(), 4u);
  EXPECT_EQ(netlist.cells[0].ports[2].nets, std::vector<int>{kConstantNet});
  EXPECT_TRUE(netlist.cells[0].ports[3].output);
  EXPECT_EQ(netlist.cells[1].registers,
            (std::map<std::string, int64_t>{{"DOA_REG", 1}, {"DOB_REG", 0}}));
  ASSERT_EQ(netlist.names.size(), 10u);
  EXPECT_EQ(netlist.names[9], "u_a.q_q") << "deepest, but no input";
  EXPECT_EQ(netlist.names[5], "word[1]");
  EXPECT_EQ(netlist.names[3], "");
}

TEST(ReadNetlist, Refuses) {
  const auto message = [](const std::string& text) {
    const Result<Netlist> netlist = ReadNetlist(text);
    return netlist ? "read" : netlist.error().message;
  };
  EXPECT_THAT(message("{\"modules\": {"), HasSubstr("not JSON at byte "));
  EXPECT_THAT(message("[]"), HasSubstr("no module is marked as top"));
  EXPECT_THAT(message("{\"modules\": {}}"), HasSubstr("no module is marked as top"));
  EXPECT_THAT(message(ModuleText({CellText("odd", "SB_LUT4", "I0:2", "O:3")}, {})),
              HasSubstr("cell odd has type SB_LUT4, which hw/netlist/cells.def does not list"));
  EXPECT_THAT(message(ModuleText({CellText("far", "LUT1", "I0:-7", "O:3")}, {})),
              HasSubstr("net -7 is not between"));
  EXPECT_THAT(message(ModuleText({CellText("far", "LUT1", "I0:99999999999", "O:3")}, {})),
              HasSubstr("net 99999999999 is not between"));
}

TEST(Area, CountsByInstance) {
  // u_a has a flip-flop and the unnamed LUT that feeds it. The two lanes have registers, block RAM
  // and a carry chain, whose S comes from a LUT, a register twice, and a constant. A LUT that
  // drives both lanes counts for the instance around them.
  const std::vector<std::string> cells = {
      InstanceText("u_a", "unit"),
      InstanceText("g_lane[0].u_lane", "lane"),
      InstanceText("g_lane[1].u_lane", "lane"),
      CellText("$1", "LUT2", "I0:2 I1:10", "O:8"),
      CellText("$2", "FDRE", "D:8 C:3", "Q:10"),
      CellText("$3", "LUT1", "I0:2", "O:20"),
      CellText("$4", "FDRE", "D:20 C:3", "Q:21"),
      CellText("$5", "FDSE", "D:20 C:3", "Q:22"),
      CellText("$6", "CARRY4", R"(S:8,21,21,"0" DI:2,2,2,2 CI:"0")",
               "CO:30,31,32,33 O:34,35,36,37"),
      CellText("g_lane[1].u_lane.mem_q.0.0", "RAMB18E1", "A:2", "DO:40"),
      CellText("$flatten\\\\g_lane[0].u_lane.$mul$x.sv:3$4", "DSP48E1", "A:2", "P:41"),
      CellText("$7", "SRL16E", "D:2", "Q:42"),
      CellText("$8", "RAM64M", "ADDRA:2", "DOA:9")};
  const std::vector<std::string> names = {
      NameText("u_a.q_q", "10"), NameText("g_lane[0].u_lane.x_q", "21"),
      NameText("g_lane[1].u_lane.x_q", "22"), NameText("g_lane[1].u_lane.sum", "34, 35, 36, 37"),
      NameText("q_o", "9")};
  const std::map<std::string, InstanceArea> areas =
      AreaByInstance(ReadText(ModuleText(cells, names)));
  const auto is = [&](const std::string& path, const std::string& module, int instances,
                      const CellArea& area) {
    SCOPED_TRACE(path);
    ASSERT_TRUE(areas.contains(path));
    const InstanceArea& at = areas.at(path);
    EXPECT_EQ(at.module, module);
    EXPECT_EQ(at.instances, instances);
    EXPECT_EQ(at.area.lut, area.lut);
    EXPECT_EQ(at.area.route, area.route);
    EXPECT_EQ(at.area.ff, area.ff);
    EXPECT_EQ(at.area.dsp, area.dsp);
    EXPECT_EQ(at.area.bram18, area.bram18);
  };
  // $1 drives u_a's register and the second lane's carry, so it counts for the instance around
  // both, as $3 does for that around the lanes.
  is("", "top", 1, {.lut = 1 + 1 + 1 + 4, .route = 2, .ff = 3, .dsp = 1, .bram18 = 1});
  is("u_a", "unit", 1, {.lut = 0, .route = 0, .ff = 1, .dsp = 0, .bram18 = 0});
  is("g_lane[*].u_lane", "lane", 2, {.lut = 0, .route = 2, .ff = 2, .dsp = 1, .bram18 = 1});
  EXPECT_EQ(areas.size(), 3u);
  const std::string table = PrintArea(areas, 1);
  EXPECT_THAT(table, HasSubstr("\ntop "));
  EXPECT_THAT(table, HasSubstr("\n  lane x 2 u_lane "));
  EXPECT_THAT(table, HasSubstr("     0.5\n"));
}

TEST(Area, OwnAreasAddUp) {
  const std::map<std::string, InstanceArea> areas = {
      {"", {"top", 1, {.lut = 100, .ff = 7}}},
      {"u_join", {"join", 1, {.lut = 90, .ff = 6}}},
      {"u_join.u_a", {"unit", 1, {.lut = 60, .ff = 5}}},
      {"u_join.u_a.g_b[*].u_b", {"part", 2, {.lut = 30, .ff = 3}}},
      {"u_join.u_a.g_b[*].u_b.u_c", {"piece", 2, {.lut = 10, .ff = 1}}}};
  const auto luts = [&](int depth) {
    std::vector<std::pair<std::string, int>> rows;
    int sum = 0, ffs = 0;
    for (const auto& [path, at] : OwnAreas(areas, depth, {"top", "join"})) {
      rows.emplace_back(path, at.area.lut);
      sum += at.area.lut;
      ffs += at.area.ff;
    }
    EXPECT_EQ(sum, 100);
    EXPECT_EQ(ffs, 7);
    return rows;
  };
  using ::testing::ElementsAre;
  using ::testing::Pair;
  // The instance of an open module is no unit.
  EXPECT_THAT(luts(0), ElementsAre(Pair("", 10), Pair("u_join", 90)));
  EXPECT_THAT(luts(1), ElementsAre(Pair("", 10), Pair("u_join", 30), Pair("u_join.u_a", 60)));
  EXPECT_THAT(luts(2), ElementsAre(Pair("", 10), Pair("u_join", 30), Pair("u_join.u_a", 30),
                                   Pair("u_join.u_a.g_b[*].u_b", 30)));
}

TEST(Area, AnUnnamedCellGoesWithItsReader) {
  // $1 -> $2 -> register of u_a; a loop of unnamed cells that drives no named cell counts for the
  // top.
  const std::vector<std::string> cells = {InstanceText("u_a", "unit"),
                                          CellText("$1", "LUT1", "I0:2", "O:5"),
                                          CellText("$2", "LUT1", "I0:5", "O:6"),
                                          CellText("$3", "FDRE", "D:6 C:3", "Q:7"),
                                          CellText("$4", "LUT1", "I0:12", "O:11"),
                                          CellText("$5", "FDRE", "D:11 C:3", "Q:12")};
  const auto areas = AreaByInstance(ReadText(ModuleText(cells, {NameText("u_a.x_q", "7")})));
  EXPECT_EQ(areas.at("u_a").area.lut, 2);
  EXPECT_EQ(areas.at("").area.lut, 3);
  EXPECT_EQ(areas.at("").area.ff, 2);
}

}  // namespace
}  // namespace tessera::netlist
