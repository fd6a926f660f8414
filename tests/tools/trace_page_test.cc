// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the page of `tessera trace --html` in a browser without a window: its text and
// rows, the effect of a click on a table head, a row and an instruction, and the pixels of a
// screenshot: the share of each colour in a unit's row is that of its cycles. Expected values: the
// machine's counters in the trace of the same run. Space: the Fashion-MNIST model on rtl, windows
// of a desk and of a phone. Not tested here: contents of the trace (trace_test.cc), touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/file.h"
#include "tests/tools/command.h"
#include "tests/tools/fashion_cycles.h"
#include "tests/tools/png.h"

namespace tessera::test::trace_page_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kCycles = 40'260;  // tests/models/cycles.json
constexpr uint32_t kBusy = 0x2e7d32, kToken = 0xf9a825, kIdle = 0xe0e0e0;

struct Made {
  std::string html;  // the page
  json units;        // the machine's counters
};

const Made& Page() {
  static const Made made = [] {
    const std::string trace = TempPath("page.json"), page = TempPath("page.html");
    const CommandResult r = Tessera(fmt::format("trace {} -o {} --html {}", kModel, trace, page));
    EXPECT_EQ(r.code, 0) << r.output;
    const auto html = ReadFile(page), text = ReadFile(trace);
    if (!html || !text) return Made{};
    const json read = json::parse(text->begin(), text->end(), nullptr, false);
    return Made{{html->begin(), html->end()}, read["otherData"]["programs"][0]["units"]};
  }();
  return made;
}

// Opens the page, runs |script| at its end, and returns what |option| makes the browser print.
std::string Browse(const std::string& script, int width, const std::string& option) {
  std::string html = Page().html;
  html.insert(html.rfind("</body>"), "<script>" + script + "</script>");
  const std::string path = TempPath("shown.html");
  EXPECT_TRUE(WriteFile(path, std::string_view(html)));
  const std::string command =
      fmt::format(CHROMIUM
                  " --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir={} "
                  "--virtual-time-budget=2000 --window-size={},1700 {} file://{} 2>/dev/null",
                  TempPath("browser"), width, option, path);
  std::string output;
  FILE* pipe = popen(("timeout 120 " + command).c_str(), "r");
  if (pipe == nullptr) return output;
  char chunk[4096];
  while (const size_t n = fread(chunk, 1, sizeof chunk, pipe)) output.append(chunk, n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}
// The page after |script|, without its data and code.
std::string Dom(const std::string& script, int width = 1100) {
  const std::string dom = Browse(script, width, "--dump-dom");
  return dom.substr(0, dom.find("<script"));
}

// The numbers in attribute |name|.
std::vector<double> Numbers(const std::string& dom, const std::string& name) {
  std::smatch found;
  std::vector<double> numbers;
  if (!std::regex_search(dom, found, std::regex(name + "=\"([^\"]*)\""))) return numbers;
  std::istringstream text(found[1]);
  for (double number; text >> number;) numbers.push_back(number);
  return numbers;
}
// The text of the element |id|.
std::string TextOf(const std::string& dom, const std::string& id) {
  std::smatch found;
  return std::regex_search(dom, found, std::regex("id=\"" + id + "\"[^>]*>([^<]*)<"))
             ? found[1].str()
             : "";
}
// The cells in column |column| of the table of layers, from the top.
std::vector<std::string> Column(const std::string& dom, int column) {
  std::vector<std::string> cells;
  const std::regex row("<tr data-layer=\"[0-9]+\">(.*?)</tr>"), cell("<td[^>]*>(.*?)</td>");
  for (std::sregex_iterator r(dom.begin(), dom.end(), row), end; r != end; ++r) {
    const std::string text = (*r)[1];
    std::sregex_iterator c(text.begin(), text.end(), cell);
    std::advance(c, column);
    cells.push_back((*c)[1]);
  }
  return cells;
}

class TracePageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(CHROMIUM).ends_with("NOTFOUND"))
      GTEST_SKIP() << "chromium is not installed; scripts/setup.sh does";
    ASSERT_FALSE(Page().html.empty());
  }
};

TEST_F(TracePageTest, NeedsNoNetworkAndShowsTheRun) {
  EXPECT_THAT(Page().html, Not(HasSubstr(" src=")));
  EXPECT_THAT(Page().html, Not(HasSubstr(" href=")));
  EXPECT_THAT(Page().html, Not(HasSubstr("http")));
  const std::string dom = Dom("");
  EXPECT_THAT(TextOf(dom, "summary"),
              HasSubstr("rtl, configuration default: " + FashionCyclesText() + " cycles"));
  EXPECT_EQ(TextOf(dom, "range"), "cycles 0 to " + FashionCyclesText());
  const std::vector<std::string> layers = Column(dom, 0), cycles = Column(dom, 3);
  ASSERT_EQ(layers.size(), 11u);
  EXPECT_EQ(layers[1], "stage1_conv1_conv/Conv");
  EXPECT_EQ(cycles[1], "7,099");
  EXPECT_EQ(Numbers(dom, "data-overflow"), std::vector<double>{0});
}

TEST_F(TracePageTest, ATableThatSortsAndLeadsToTheTimeline) {
  const std::string sorted = Dom("document.querySelectorAll('#layers th')[3].click();");
  const std::vector<std::string> cycles = Column(sorted, 3);
  ASSERT_EQ(cycles.size(), 11u);
  EXPECT_EQ(cycles.front(), "7,122");
  EXPECT_EQ(cycles[1], "7,120");
  EXPECT_EQ(cycles.back(), "60");
  EXPECT_EQ(
      Column(Dom("for (const n of [3, 3]) document.querySelectorAll('#layers th')[n].click();"), 3)
          .front(),
      "60");
  // stem_conv ends in cycle 2,283, stage1_conv1 7,099 later; the view adds 3 % on each side.
  const std::string zoomed =
      Dom("document.querySelectorAll('#layers tbody tr')[1].click(); draw();");
  EXPECT_EQ(TextOf(zoomed, "range"), "cycles 2,070 to 9,595");
  const std::string in = Dom("document.getElementById('in').click(); draw();");
  EXPECT_EQ(TextOf(in, "range"), "cycles 9,721 to 29,162");
}

TEST_F(TracePageTest, AnInstructionThatIsClickedTellsOfItself) {
  const std::string dom =
      Dom("const g = rows.find((r) => r.name === 'GEMM'); const i = ofUnit[1][0];"
          "choose(toX((i.begin + i.end) / 2), g.y + 3); draw();");
  const std::string text = TextOf(dom, "insn");
  EXPECT_THAT(text, HasSubstr("GEMM instruction"));
  EXPECT_THAT(text, HasSubstr("gemm pop=load push=vector"));
  EXPECT_THAT(text, HasSubstr("stem_conv/Conv"));
}

// The share of |color| in a unit's row.
double Share(const Picture& picture, const std::vector<double>& place,
             const std::vector<double>& row, uint32_t color) {
  int64_t of_color = 0, all = 0;
  for (double y = place[1] + row[0] + 1; y < place[1] + row[0] + row[1] - 1; ++y) {
    for (double x = place[0] + 1; x < place[0] + place[2] - 1; ++x, ++all)
      of_color += picture.At(static_cast<int>(x), static_cast<int>(y)) == color;
  }
  return static_cast<double>(of_color) / static_cast<double>(all);
}

TEST_F(TracePageTest, RowsHaveTheColoursOfWhatTheCyclesWentTo) {
  for (const int width : {1100, 390}) {
    SCOPED_TRACE(width);
    const std::string dom = Dom("", width), png = TempPath("page.png");
    EXPECT_EQ(Numbers(dom, "data-overflow"), std::vector<double>{0}) << "wider than the window";
    Browse("", width, "--screenshot=" + png);
    const Result<Picture> picture = ReadPng(png);
    ASSERT_TRUE(picture) << picture.error().message;
    ASSERT_EQ(picture->width, width);
    const std::vector<double> place = Numbers(dom, "data-place");
    ASSERT_EQ(place.size(), 3u);
    for (const char* unit : {"load", "gemm", "vector", "store"}) {
      SCOPED_TRACE(unit);
      const std::vector<double> row = Numbers(dom, std::string("data-") + unit);
      ASSERT_EQ(row.size(), 2u);
      const json& counters = Page().units[unit];
      // A pixel at the border of two colours has neither.
      const double edges = width > 1000 ? 0.06 : 0.15;
      const std::pair<uint32_t, const char*> expected[] = {
          {kBusy, "busy"}, {kToken, "token"}, {kIdle, "idle"}};
      for (const auto& [color, what] : expected) {
        EXPECT_NEAR(Share(*picture, place, row, color), counters[what].get<double>() / kCycles,
                    edges)
            << what;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test::trace_page_test
