// SPDX-License-Identifier: Apache-2.0
#include "tests/meta/sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

// Files of the tree that end in one of |ends|, sorted by path.
std::vector<TextFile> ReadAll(std::initializer_list<const char*> ends) {
  std::vector<TextFile> files;
  for (const std::string& path : Paths()) {
    if (!EndsWithAny(path, ends) || !fs::is_regular_file(path)) continue;
    TextFile file{path, {}};
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) file.lines.push_back(line);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

const std::set<std::string>& Paths() {
  static const std::set<std::string> paths = [] {
    std::set<std::string> found;
    for (auto it = fs::recursive_directory_iterator("."); it != fs::end(it); ++it) {
      const std::string name = it->path().filename().string();
      const bool skipped =
          it->is_directory() && ((name.starts_with(".") && name != ".ci") ||
                                 name.starts_with("build") || name == "__pycache__");
      if (skipped) {
        it.disable_recursion_pending();
        continue;
      }
      found.insert(it->path().lexically_relative(".").generic_string());
    }
    return found;
  }();
  return paths;
}

const std::vector<TextFile>& Sources() {
  static const std::vector<TextFile> files = ReadAll(
      {".cc", ".h", ".def", ".sv", ".svh", ".py", ".sh", ".cmake", "CMakeLists.txt", ".ci/run"});
  return files;
}

const std::vector<TextFile>& Documents() {
  static const std::vector<TextFile> files = ReadAll({".md"});
  return files;
}

bool EndsWithAny(const std::string& path, std::initializer_list<const char*> ends) {
  return std::ranges::any_of(ends, [&](const char* end) { return path.ends_with(end); });
}

bool Under(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::vector<std::string> SplitList(const std::string& text, char separator) {
  std::vector<std::string> items;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, separator);) {
    const size_t begin = item.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    items.push_back(item.substr(begin, item.find_last_not_of(' ') - begin + 1));
  }
  return items;
}

bool Exceptions::Allow(const std::string& name) {
  const bool listed = std::ranges::find(rows_, name, &Row::name) != rows_.end();
  if (listed) used_.insert(name);
  return listed;
}

void Exceptions::ExpectAllUsed() const {
  for (const Row& row : rows_) {
    EXPECT_TRUE(used_.contains(row.name))
        << list_ << ": " << row.name << " is no longer needed (" << row.reason << "): take it out";
  }
}

}  // namespace tessera::test
