// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the key of a design, on netlists made by hand: what it does not depend on, each
// thing that it depends on, and every refusal. Not tested here: what yosys writes
// (tests/hw/area/key_test.sh).
#include "hw/netlist/design_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/netlist/netlist_text.h"

namespace tessera::netlist {
namespace {

using ::testing::HasSubstr;

uint64_t KeyOf(const std::vector<std::string>& cells, const std::vector<std::string>& names = {}) {
  const Result<uint64_t> key = DesignKey(ModuleText(cells, names));
  EXPECT_TRUE(key) << key.error().message;
  return key ? *key : 0;
}

// A counter: q = q + a, where the adder has a name of yosys.
std::vector<std::string> Counter(const std::string& adder, int sum, const std::string& more = "") {
  return {CellText(adder, "$add", "A:9 B:2", fmt::format("Y:{}", sum), more),
          CellText("$ff", "$dff", fmt::format("D:{} CLK:2", sum), "Q:9")};
}

TEST(DesignKey, DoesNotDependOnNamesNumbersAndOrder) {
  const uint64_t key = KeyOf(Counter("$add$a.sv:3$4", 5));
  EXPECT_EQ(KeyOf(Counter("$add$b.sv:7$1", 77)), key) << "positions and numbers of nets";
  EXPECT_EQ(KeyOf({Counter("$0", 5)[1], Counter("$0", 5)[0]}), key) << "order";
  EXPECT_EQ(KeyOf(Counter("$1", 5), {NameText("sum", "5"), NameText("other", "5")}), key);
  EXPECT_EQ(KeyOf(Counter("$1", 5, R"("MEMID": "\\mem_q")")),
            KeyOf(Counter("$1", 5, R"("MEMID": "\\store_q")")))
      << "the name of a memory";
}

TEST(DesignKey, DependsOnTheDesign) {
  std::vector<uint64_t> keys = {
      KeyOf(Counter("$1", 5)),
      KeyOf(Counter("$flatten\\\\u_a.$add$a.sv:3$4", 5)),
      KeyOf(Counter("$flatten\\\\u_a.\\\\u_b.$add$a.sv:3$4", 5)),
      KeyOf(Counter("$1", 5, R"("WIDTH": "0001")")),
      KeyOf(Counter("$1", 5, R"("WIDTH": "0010")")),
      KeyOf({CellText("$1", "$sub", "A:9 B:2", "Y:5"), Counter("$1", 5)[1]}),
      KeyOf({CellText("$1", "$add", "A:2 B:9", "Y:5"), Counter("$1", 5)[1]}),
      KeyOf({CellText("$1", "$add", R"(A:9 B:"1")", "Y:5"), Counter("$1", 5)[1]}),
      KeyOf({CellText("$1", "$add", R"(A:9 B:"0")", "Y:5"), Counter("$1", 5)[1]}),
      KeyOf({CellText("$1", "$add", "A:9 B:2,2", "Y:5"), Counter("$1", 5)[1]}),
      KeyOf({CellText("$1", "$add", "A:2 B:2", "Y:5"), Counter("$1", 5)[1]}),
      KeyOf({Counter("$1", 5)[0], Counter("$1", 5)[1], CellText("$2", "$not", "A:9", "Y:6")}),
      KeyOf(Counter("$1", 5),
            {R"("q": {"hide_name": 0, "bits": [9], "attributes": {"init": "0"}})"}),
      KeyOf(Counter("$1", 5),
            {R"("q": {"hide_name": 0, "bits": [9], "attributes": {"init": "1"}})"}),
      KeyOf(Counter("$1", 5), {R"("q": {"hide_name": 0, "bits": [9], "attributes": {"keep": 1}})"}),
      KeyOf({CellText("$1", "DSP48E1", "A:2", "P:9")}),
      KeyOf({CellText("$1", "DSP48E1", "B:2", "P:9")})};
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

// A difference many registers away from every port and constant is seen.
TEST(DesignKey, SeesTheWholeDepth) {
  const auto chain = [](const std::string& far) {
    std::vector<std::string> cells = {CellText("$0", far, "A:2", "Y:10")};
    for (int i = 10; i < 200; ++i) {
      cells.push_back(CellText(fmt::format("${}", i), "$dff", fmt::format("D:{}", i),
                               fmt::format("Q:{}", i == 199 ? 9 : i + 1)));
    }
    return KeyOf(cells);
  };
  EXPECT_NE(chain("$not"), chain("$pos"));
}

TEST(DesignKey, Refuses) {
  const auto message = [](const std::string& text) {
    const Result<uint64_t> key = DesignKey(text);
    return key ? "read" : key.error().message;
  };
  EXPECT_THAT(message("{\"modules\": {"), HasSubstr("not JSON"));
  EXPECT_THAT(message("[]"), HasSubstr("not what write_json of yosys makes"));
  EXPECT_THAT(message("{\"modules\": {}}"), HasSubstr("no module is marked as top"));
  EXPECT_THAT(message(R"({"modules": {"m": {"attributes": {"top": 1}}}})"),
              HasSubstr("not what write_json of yosys makes"));
}

}  // namespace
}  // namespace tessera::netlist
