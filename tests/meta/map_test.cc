// SPDX-License-Identifier: Apache-2.0
//
// What is tested: README's map ("What is in it") is true. Every folder it names exists; every
// folder of the root that holds sources is in it, and so is every sub-folder of a folder whose
// sub-folders it lists; each include follows its arrows; the arrows have no cycle. Space: every
// #include "..." of C++ sources. Not tested here: what CMake links.
//
// How the map is read: a line is a path ("ir/" below "compiler/" is compiler/ir/), words, and "->
// a, b": what it may include, and with that what those may include. A name in an arrow is a line
// below it, beside it, or a path from the root. "nothing" and "everything" mean that; a line
// without an arrow holds no C++ that is checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <regex>

#include "tests/meta/sources.h"

namespace tessera::test {
namespace {

struct MapLine {
  std::string path;                               // without '/' at the end
  std::optional<std::vector<std::string>> arrow;  // as written
};

// The lines of README's map, in order.
const std::vector<MapLine>& Map() {
  static const std::vector<MapLine> map = [] {
    std::vector<MapLine> lines;
    std::vector<std::pair<size_t, std::string>> open;  // folders by indentation
    std::ifstream readme("README.md");
    const std::regex form(R"(^( {4,})(\S+)(  .*)?$)"), arrow(R"(.*-> *(.+)$)");
    bool inside = false;
    for (std::string line; std::getline(readme, line);) {
      if (line.starts_with("## ")) inside = line == "## What is in it";
      std::smatch m, a;
      if (!inside || !std::regex_match(line, m, form)) continue;
      const size_t indent = m[1].length();
      std::erase_if(open, [&](const auto& folder) { return folder.first >= indent; });
      std::string path = m[2];
      if (path.ends_with("/")) path.pop_back();
      if (!open.empty()) path = open.back().second + "/" + path;
      open.emplace_back(indent, path);
      MapLine entry{path, std::nullopt};
      const std::string rest = m[3];
      if (std::regex_match(rest, a, arrow)) entry.arrow = SplitList(a[1], ',');
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

// The line that |path| belongs to: itself or the nearest folder above it.
const MapLine* Owner(const std::string& path) {
  const MapLine* best = nullptr;
  for (const MapLine& line : Map()) {
    if (path != line.path && !Under(path, line.path)) continue;
    if (best == nullptr || line.path.size() > best->path.size()) best = &line;
  }
  return best;
}

// What |name| in the arrow of |line| means: a line below it, beside it, beside what it is in, or of
// the root; null if nothing in the map is called so.
const MapLine* Target(const MapLine& line, const std::string& name) {
  for (std::string above = line.path + "/"; above.find('/') != std::string::npos;) {
    above.resize(above.rfind('/'));
    if (const MapLine* beside = Find(above + "/" + name)) return beside;
  }
  return Find(name);
}

// The lines that |line| reaches, itself included. |why|: a cycle that was found, or "".
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

TEST(ReadmeMap, NamesWhatExists) {
  ASSERT_GT(Map().size(), 10u) << "README.md has no map that can be read";
  for (const MapLine& line : Map()) {
    EXPECT_TRUE(Paths().contains(line.path)) << line.path << " is in README's map only";
    for (const std::string& name : line.arrow.value_or(std::vector<std::string>{})) {
      EXPECT_TRUE(name == "nothing" || name == "everything" || Target(line, name) != nullptr)
          << line.path << " -> " << name << ": no line of README's map";
    }
  }
}

TEST(ReadmeMap, NamesEveryFolder) {
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
    ADD_FAILURE() << folder << "/ is not in README's map: give it a line and an arrow";
}

TEST(ReadmeMap, ArrowsHaveNoCycle) {
  for (const MapLine& line : Map()) {
    std::string cycle;
    Reach(line, &cycle);
    EXPECT_EQ(cycle, "") << "from " << line.path;
  }
}

TEST(ReadmeMap, IncludesFollowTheArrows) {
  const std::string start = "#include \"";
  size_t checked = 0;
  for (const TextFile& file : Sources()) {
    if (!EndsWithAny(file.path, {".cc", ".h", ".def"})) continue;
    const MapLine* from = Owner(file.path);
    ASSERT_NE(from, nullptr) << file.path;
    ASSERT_TRUE(from->arrow) << from->path << " holds C++ and has no arrow in README's map";
    if (Everything(*from)) continue;
    std::string cycle;
    const std::set<const MapLine*> reach = Reach(*from, &cycle);
    for (const std::string& line : file.lines) {
      if (!line.starts_with(start)) continue;
      const std::string target =
          line.substr(start.size(), line.find('"', start.size()) - start.size());
      const MapLine* to = Owner(target);
      if (to == nullptr) continue;  // a system header in quotes, or one that the build makes
      ++checked;
      EXPECT_TRUE(reach.contains(to))
          << file.path << " includes " << target << "; README's map has no way from " << from->path
          << " to " << to->path;
    }
  }
  EXPECT_GT(checked, 500u) << "the includes were not found";
}

}  // namespace
}  // namespace tessera::test
