// SPDX-License-Identifier: Apache-2.0
//
// What is tested: the rules of the tree that a compiler cannot check: which folder may include
// which, file length, licence lines, no operator name below compiler/te, no path of one machine.
// Space: every source file of the checkout. Exceptions are listed with a reason, and an exception
// that is no longer needed fails. Not tested here: style that clang-format sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct SourceFile {
  std::string path;  // from the root, with '/'
  std::vector<std::string> lines;
};

bool EndsWithAny(const std::string& path, std::initializer_list<const char*> ends) {
  return std::ranges::any_of(ends, [&](const char* end) { return path.ends_with(end); });
}

// Every text source below the root; build folders and hidden ones left out.
const std::vector<SourceFile>& Sources() {
  static const std::vector<SourceFile> files = [] {
    std::vector<SourceFile> found;
    for (auto it = fs::recursive_directory_iterator("."); it != fs::recursive_directory_iterator();
         ++it) {
      const std::string name = it->path().filename().string();
      const bool skipped = it->is_directory() &&
                           ((name.starts_with(".") && name != ".ci") || name.starts_with("build"));
      if (skipped) it.disable_recursion_pending();
      const std::string path = it->path().lexically_relative(".").generic_string();
      if (!it->is_regular_file() ||
          !EndsWithAny(path, {".cc", ".h", ".def", ".sv", ".svh", ".py", ".sh", ".cmake",
                              "CMakeLists.txt", ".ci/run"})) {
        continue;
      }
      SourceFile file{path, {}};
      std::ifstream in(it->path());
      for (std::string line; std::getline(in, line);) file.lines.push_back(line);
      found.push_back(std::move(file));
    }
    return found;
  }();
  return files;
}

bool Under(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/");
}

// What each folder may include, by folder prefix; the longest matching prefix decides.
const std::map<std::string, std::vector<std::string>> kArrows = {
    {"base", {}},
    {"isa", {"base"}},
    // runtime/device.h is the interface that simulators implement; it depends on isa alone.
    {"sim", {"base", "isa", "runtime/device.h"}},
    {"jit", {"base", "isa"}},
    {"runtime", {"base", "isa"}},
    {"runtime/drivers", {"base", "isa", "runtime", "sim"}},
    {"runtime/open_device.cc", {"base", "isa", "runtime", "sim"}},
    {"compiler", {"base", "isa", "jit", "runtime/tensor"}},
    {"compiler/driver", {"base", "isa", "jit", "runtime"}},
    {"tools", {"base", "isa", "sim", "jit", "compiler", "runtime"}},
};
const char* const kTopFolders[] = {"base",     "isa",     "hw",    "sim",   "jit",
                                   "compiler", "runtime", "tools", "bench", "tests"};

TEST(Tree, IncludesFollowTheArrows) {
  for (const SourceFile& file : Sources()) {
    const std::string top = file.path.substr(0, file.path.find('/'));
    const std::vector<std::string>* allowed = nullptr;
    size_t longest = 0;
    for (const auto& [prefix, list] : kArrows) {
      if ((file.path == prefix || Under(file.path, prefix)) && prefix.size() >= longest) {
        allowed = &list;
        longest = prefix.size();
      }
    }
    if (allowed == nullptr) continue;  // tests, hw, bench: may see everything
    for (const std::string& line : file.lines) {
      if (!line.starts_with("#include \"")) continue;
      const std::string target = line.substr(10, line.find('"', 10) - 10);
      const std::string target_top = target.substr(0, target.find('/'));
      if (std::ranges::find(kTopFolders, target_top) == std::end(kTopFolders) || target_top == top)
        continue;
      const bool fine = std::ranges::any_of(
          *allowed, [&](const std::string& a) { return target == a || Under(target, a); });
      EXPECT_TRUE(fine) << file.path << " includes " << target << ", which its folder may not";
    }
  }
}

// Files that may be longer than the limit, each with the reason.
const std::map<std::string, std::string> kLongFiles = {
    {"hw/rtl/gen/tsr_pkg.sv", "generated from the tables"},
};

TEST(Tree, FilesAreShort) {
  constexpr size_t kLimit = 400;
  std::set<std::string> unused;
  for (const auto& [path, reason] : kLongFiles) unused.insert(path);
  for (const SourceFile& file : Sources()) {
    if (file.lines.size() <= kLimit) continue;
    EXPECT_TRUE(kLongFiles.contains(file.path))
        << file.path << " has " << file.lines.size() << " lines, the limit is " << kLimit
        << ": split it by idea";
    unused.erase(file.path);
  }
  for (const std::string& path : unused)
    ADD_FAILURE() << path << " is short now: take it out of kLongFiles";
}

// clang-format breaks code at this width and leaves comments as they are.
TEST(Tree, CommentsKeepTheWidth) {
  constexpr size_t kWidth = 100;
  for (const SourceFile& file : Sources()) {
    if (!EndsWithAny(file.path, {".cc", ".h"})) continue;
    for (size_t n = 0; n < file.lines.size(); ++n) {
      const std::string& line = file.lines[n];
      const size_t text = line.find_first_not_of(' ');
      if (text == std::string::npos || line.compare(text, 2, "//") != 0) continue;
      EXPECT_LE(line.size(), kWidth) << file.path << ":" << n + 1;
    }
  }
}

TEST(Tree, SourcesNameTheirLicence) {
  for (const SourceFile& file : Sources()) {
    if (EndsWithAny(file.path, {"CMakeLists.txt", ".cmake"})) continue;
    const bool named = std::any_of(
        file.lines.begin(), file.lines.begin() + std::min<ptrdiff_t>(4, std::ssize(file.lines)),
        [](const std::string& l) {
          return l.find("SPDX-License-Identifier: Apache-2.0") != std::string::npos;
        });
    EXPECT_TRUE(named) << file.path << " does not name its licence in its first lines";
  }
}

// The identifiers of |line| in lower case, cut at underscores and at humps: "ConvBody" gives conv,
// body.
std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (char c : line) {
    if (!std::isalpha(static_cast<unsigned char>(c))) {
      flush();
      continue;
    }
    if (std::isupper(static_cast<unsigned char>(c)) && !word.empty() &&
        !std::isupper(static_cast<unsigned char>(word.back())))
      flush();
    word += c;
  }
  flush();
  for (std::string& w : words)
    std::ranges::transform(w, w.begin(), [](unsigned char c) { return std::tolower(c); });
  return words;
}

TEST(Tree, NoOperatorNamesBelowTensorExpressions) {
  const std::set<std::string> names = {"conv",    "conv2d",    "convolution", "pool", "pooling",
                                       "maxpool", "avgpool",   "dense",       "relu", "softmax",
                                       "matmul",  "batchnorm", "resnet"};
  const std::vector<std::string> below = {"jit",
                                          "compiler/ir",
                                          "compiler/te",
                                          "compiler/schedule",
                                          "compiler/lower",
                                          "compiler/codegen"};
  for (const SourceFile& file : Sources()) {
    if (Under(file.path, "compiler/te/ops")) continue;
    if (!std::ranges::any_of(below,
                             [&](const std::string& folder) { return Under(file.path, folder); }))
      continue;
    for (size_t n = 0; n < file.lines.size(); ++n) {
      for (const std::string& word : Words(file.lines[n])) {
        EXPECT_FALSE(names.contains(word))
            << file.path << ":" << n + 1 << " names an operator: " << word;
      }
    }
  }
}

TEST(Tree, NoPathOfOneMachine) {
  for (const SourceFile& file : Sources()) {
    for (size_t n = 0; n < file.lines.size(); ++n) {
      for (const char* part : {"/ho"
                               "me/",
                               "/ro"
                               "ot/",
                               "/wo"
                               "rk/"}) {
        EXPECT_EQ(file.lines[n].find(part), std::string::npos)
            << file.path << ":" << n + 1 << " names " << part;
      }
    }
  }
}

TEST(Tree, HostPathSharesNoRequantiseSourceWithTheMachine) {
  for (const SourceFile& file : Sources()) {
    if (!Under(file.path, "compiler")) continue;
    for (const std::string& line : file.lines) {
      EXPECT_EQ(line.find("#include \"isa/semantics"), std::string::npos)
          << file.path << ": " << line;
    }
  }
}

}  // namespace
