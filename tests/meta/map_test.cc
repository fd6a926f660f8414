// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the tables of docs/map.md are true. Every folder they name exists; every folder
// of the root that holds sources is in them, and so is every sub-folder of a folder whose
// sub-folders they list; each include follows them; the allowed includes have no cycle. Space:
// every #include "..." of C++ sources. Not tested here: what CMake links.
//
// How this test reads the map: a row is a path in backticks, words, and the names that it may
// include ("a, b"). A row may also include what those rows may include. A name is a row below, a
// row beside, or a path from the root. "nothing" and "everything" mean that; a row with an empty
// third cell holds no C++ that this test checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <regex>

#include "tests/meta/sources.h"

namespace tessera::test::map_test {
namespace {

constexpr const char* kMap = "docs/map.md";

struct MapLine {
  std::string path;                               // without '/' at the end
  std::optional<std::vector<std::string>> arrow;  // the names that it may include, as written
};

// The rows of the map, in order.
const std::vector<MapLine>& Map() {
  static const std::vector<MapLine> map = [] {
    std::vector<MapLine> lines;
    std::ifstream page(kMap);
    const std::regex form(R"(^\| `([^`]+)` \| [^|]+ \| ([^|]*)\|$)");
    for (std::string line; std::getline(page, line);) {
      std::smatch m;
      if (!std::regex_match(line, m, form)) continue;
      std::string names = m[2];
      while (names.ends_with(" ")) names.pop_back();
      MapLine entry{m[1], std::nullopt};
      if (!names.empty()) entry.arrow = SplitList(names, ',');
      lines.push_back(std::move(entry));
    }
    return lines;
  }();
  return map;
}

const MapLine* Find(const std::string& path) {
  const auto line = std::ranges::find(Map(), path, &MapLine::path);
  return line == Map().end() ? nullptr : &*line;
}

// The row of |path|: its own or that of the nearest folder above it.
const MapLine* Owner(const std::string& path) {
  const MapLine* best = nullptr;
  for (const MapLine& line : Map()) {
    if (path != line.path && !Under(path, line.path)) continue;
    if (best == nullptr || line.path.size() > best->path.size()) best = &line;
  }
  return best;
}

// The row that |name| in the arrow of |line| means: a row below |line|, beside it, beside a folder
// above it, or of the root; null if no row of the map has this name.
const MapLine* Target(const MapLine& line, const std::string& name) {
  for (std::string above = line.path + "/"; above.find('/') != std::string::npos;) {
    above.resize(above.rfind('/'));
    if (const MapLine* beside = Find(above + "/" + name)) return beside;
  }
  return Find(name);
}

// The rows that |line| reaches, itself included. |why|: a cycle that was found, or "".
std::set<const MapLine*> Reach(const MapLine& line, std::string* why) {
  std::set<const MapLine*> done, open;
  std::function<void(const MapLine&)> visit = [&](const MapLine& at) {
    open.insert(&at);
    for (const std::string& name : at.arrow.value_or(std::vector<std::string>{})) {
      const MapLine* next = Target(at, name);
      if (next == nullptr || done.contains(next)) continue;
      if (open.contains(next)) {
        *why = at.path + " -> " + next->path;
      } else {
        visit(*next);
      }
    }
    open.erase(&at);
    done.insert(&at);
  };
  visit(line);
  return done;
}

bool Everything(const MapLine& line) {
  return line.arrow && *line.arrow == std::vector<std::string>{"everything"};
}

TEST(FolderMap, NamesWhatExists) {
  ASSERT_GT(Map().size(), 50u) << kMap << " has no rows that can be read";
  for (const MapLine& line : Map()) {
    EXPECT_TRUE(Paths().contains(line.path)) << line.path << " is in " << kMap << " only";
    for (const std::string& name : line.arrow.value_or(std::vector<std::string>{})) {
      EXPECT_TRUE(name == "nothing" || name == "everything" || Target(line, name) != nullptr)
          << line.path << " -> " << name << ": no row of " << kMap;
    }
  }
}

TEST(FolderMap, NamesEveryFolder) {
  std::set<std::string> listed_below;  // folders whose sub-folders the map lists
  for (const MapLine& line : Map()) {
    for (std::string above = line.path; above.find('/') != std::string::npos;) {
      above.resize(above.rfind('/'));
      if (Find(above)) listed_below.insert(above);
    }
  }
  EXPECT_TRUE(listed_below.contains("compiler"));
  EXPECT_TRUE(listed_below.contains("runtime"));
  std::set<std::string> missing;
  for (const TextFile& file : Sources()) {
    if (file.path.find('/') == std::string::npos || file.path.starts_with(".")) continue;
    if (file.path.ends_with("CMakeLists.txt")) continue;
    const std::string folder = file.path.substr(0, file.path.rfind('/'));
    const MapLine* owner = Owner(folder);
    if (owner == nullptr || (owner->path != folder && listed_below.contains(owner->path)))
      missing.insert(folder);
  }
  for (const std::string& folder : missing)
    ADD_FAILURE() << folder << "/ is not in " << kMap << ": give it a row";
}

TEST(FolderMap, ArrowsHaveNoCycle) {
  for (const MapLine& line : Map()) {
    std::string cycle;
    Reach(line, &cycle);
    EXPECT_EQ(cycle, "") << "from " << line.path;
  }
}

TEST(FolderMap, IncludesFollowTheArrows) {
  const std::string start = "#include \"";
  size_t checked = 0;
  for (const TextFile& file : Sources()) {
    if (!EndsWithAny(file.path, {".cc", ".h", ".def"})) continue;
    const MapLine* from = Owner(file.path);
    ASSERT_NE(from, nullptr) << file.path;
    ASSERT_TRUE(from->arrow) << from->path << " holds C++ and may include nothing by " << kMap;
    if (Everything(*from)) continue;
    std::string cycle;
    const std::set<const MapLine*> reach = Reach(*from, &cycle);
    for (const std::string& line : file.lines) {
      if (!line.starts_with(start)) continue;
      const std::string target =
          line.substr(start.size(), line.find('"', start.size()) - start.size());
      const MapLine* to = Owner(target);
      if (to == nullptr) continue;  // a system header in quotes, or a generated header
      ++checked;
      EXPECT_TRUE(reach.contains(to)) << file.path << " includes " << target << "; " << kMap
                                      << " has no way from " << from->path << " to " << to->path;
    }
  }
  EXPECT_GT(checked, 500u) << "the includes were not found";
}

}  // namespace
}  // namespace tessera::test::map_test
