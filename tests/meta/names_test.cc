// SPDX-License-Identifier: Apache-2.0
//
// What is tested: names. No two types of the product have the same qualified name, also across
// unnamed namespaces; no operator is named below the tensor expressions. Space: every struct,
// class, union, enum and alias that base, isa, sim, jit, compiler, runtime and tools define, in
// headers and sources, also inside classes and unnamed namespaces. Not tested here: names of
// functions and variables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <utility>

#include "tests/meta/sources.h"

namespace tessera::test::names_test {
namespace {

// |lines| as one text with comments, strings and characters blanked, line breaks kept.
std::string Code(const std::vector<std::string>& lines) {
  std::string code;
  for (const std::string& line : lines) {
    char quote = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote != 0) {
        if (c == '\\') ++i;
        if (c == quote) quote = 0;
      } else if (c == '/' && i + 1 < line.size() && line[i + 1] == '/') {
        break;
      } else if (c == '"' || (c == '\'' &&
                              (i == 0 || !std::isalnum(static_cast<unsigned char>(line[i - 1]))))) {
        quote = c;
      } else {
        code += c;
      }
    }
    code += '\n';
  }
  return code;
}

// The named namespaces and classes around each character of |code|, "tessera::schedule::Stage".
class Scopes {
 public:
  explicit Scopes(const std::string& code) {
    const std::regex space(R"(\bnamespace\s+([\w:]*)\s*$)");
    const std::regex type(
        R"(\b(?:struct|class|union)\s+(?:\[\[\w+\]\]\s*)?([A-Z]\w*)(?:\s+final)?\s*(?::[^:;{(][^;{(]*)?$)");
    std::vector<std::string> open;
    size_t from = 0;  // start of the words in front of a brace
    for (size_t at = 0; at < code.size(); ++at) {
      const char c = code[at];
      if (c != '{' && c != '}' && c != ';') continue;
      if (c == '{') {
        const std::string words = code.substr(from, at - from);
        std::smatch m;
        const bool named = std::regex_search(words, m, space) || std::regex_search(words, m, type);
        open.push_back(named ? m[1].str() : "");
      } else if (c == '}' && !open.empty()) {
        open.pop_back();
      }
      from = at + 1;
      std::string all;
      for (const std::string& name : open) all += name.empty() ? "" : name + "::";
      changes_[from] = all;
    }
  }
  std::string At(size_t place) const {
    const auto next = changes_.upper_bound(place);
    return next == changes_.begin() ? "" : std::prev(next)->second;
  }

 private:
  std::map<size_t, std::string> changes_;
};

// Where each type is defined: its qualified name -> "path:line".
std::map<std::string, std::vector<std::string>> Types() {
  const std::regex definition(
      R"(\b(?:(?:struct|class|union|enum|enum class)\s+(?:\[\[\w+\]\]\s*)?([A-Z]\w*)(?:\s+final)?\s*)"
      R"((?::[^:;{(][^;{(]*)?\{|using\s+([A-Z]\w*)\s*=))");
  std::map<std::string, std::vector<std::string>> types;
  for (const TextFile& file : Sources()) {
    if (!EndsWithAny(file.path, {".cc", ".h"})) continue;
    const bool product = std::ranges::any_of(
        std::initializer_list<const char*>{"base", "isa", "sim", "jit", "compiler", "runtime",
                                           "tools", "provider"},
        [&](const char* folder) { return Under(file.path, folder); });
    if (!product) continue;
    const std::string code = Code(file.lines);
    const Scopes scopes(code);
    for (std::sregex_iterator m(code.begin(), code.end(), definition), end; m != end; ++m) {
      const std::string name = (*m)[1].matched ? (*m)[1] : (*m)[2];
      const auto line = std::count(code.begin(), code.begin() + m->position(), '\n') + 1;
      types[scopes.At(static_cast<size_t>(m->position())) + name].push_back(file.path + ":" +
                                                                            std::to_string(line));
    }
  }
  return types;
}

TEST(Names, NoTwoTypesShareOne) {
  Exceptions shared(
      "NoTwoTypesShareOne",
      {{"WaveFile", "sim/rtl/machine.cc: one of two, by what the machine was built with"}});
  const auto types = Types();
  EXPECT_GT(types.size(), 200u) << "the definitions were not found";
  for (const auto& [name, places] : types) {
    if (places.size() < 2 || shared.Allow(name)) continue;
    std::string where;
    for (const std::string& place : places) where += " " + place;
    ADD_FAILURE() << name << " is the name of " << places.size() << " types:" << where;
  }
  shared.ExpectAllUsed();
}

// The identifiers of |line| in lower case, split at underscores and capitals: "ConvBody" gives
// conv, body.
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

TEST(Names, NoOperatorNamesBelowTensorExpressions) {
  const std::set<std::string> names = {"conv",    "conv2d",    "convolution", "pool", "pooling",
                                       "maxpool", "avgpool",   "dense",       "relu", "softmax",
                                       "matmul",  "batchnorm", "resnet"};
  const std::vector<std::string> below = {"jit",
                                          "compiler/ir",
                                          "compiler/te",
                                          "compiler/schedule",
                                          "compiler/lower",
                                          "compiler/codegen"};
  for (const TextFile& file : Sources()) {
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

}  // namespace
}  // namespace tessera::test::names_test
