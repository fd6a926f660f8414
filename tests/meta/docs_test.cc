// SPDX-License-Identifier: Apache-2.0
//
// What is tested: everything that a document names exists. Space: the code spans and code blocks of
// README.md, CONTRIBUTING.md and docs/. Paths are files or folders of the checkout (or end one:
// core/x.sv); identifiers are words of its sources, and of that very file where they follow a
// file's name; commands are verbs of `tessera` with options that their --help lists, scripts with
// options that they contain, CMake presets and targets, labels and tests of ctest. A page of
// docs/adding may use the names that the paragraph beginning with "Example:" introduces. A block
// marked as a quote of a file is in that file; the lines of a block marked as output of a command
// are in the output, in order, with "..." for any text. Not tested here: README's map (map_test),
// output of other commands (the tests beside them), blocks that are not commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/meta/markdown.h"
#include "tests/meta/sources.h"

namespace tessera::test::docs_test {
namespace {

// Names in documents that are not in the tree, each with the reason.
Exceptions& Elsewhere() {
  static Exceptions list("Elsewhere", {{"stage1_conv1_conv/Conv", "a node of models/fashion"}});
  return list;
}

std::string Output(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char chunk[4096];
  while (const size_t n = fread(chunk, 1, sizeof chunk, pipe)) output.append(chunk, n);
  pclose(pipe);
  return output;
}

std::set<std::string> WordsOf(const TextFile& file) {
  static const std::regex word(R"([A-Za-z_]\w*)");
  std::set<std::string> words;
  for (const std::string& line : file.lines) {
    for (std::sregex_iterator m(line.begin(), line.end(), word), end; m != end; ++m)
      words.insert(m->str());
  }
  return words;
}

// Path -> the identifiers in it, for every source but the tests of this folder.
const std::map<std::string, std::set<std::string>>& Words() {
  static const std::map<std::string, std::set<std::string>> words = [] {
    std::map<std::string, std::set<std::string>> found;
    for (const TextFile& file : Sources()) {
      if (!Under(file.path, "tests/meta")) found[file.path] = WordsOf(file);
    }
    return found;
  }();
  return words;
}

// Targets, tests and labels of the build; also those of the tests of a configuration (ctest -C).
struct BuildNames {
  std::set<std::string> targets, tests, labels;
};
const BuildNames& Build(const std::string& configuration = "Release");

bool IsWord(const std::string& word) {
  if (Build().targets.contains(word) || Build().tests.contains(word)) return true;
  return std::ranges::any_of(Words(), [&](const auto& file) { return file.second.contains(word); });
}

// The paths that |name| can mean: a path equal to it or ending in it; also without the extension.
std::vector<std::string> Meant(const std::string& name) {
  std::string pattern;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '*') {
      pattern += "[^/]*";
    } else if (name[i] == '<') {
      pattern += "[^/]+";
      i = std::min(name.find('>', i), name.size() - 1);
    } else {
      if (!std::isalnum(static_cast<unsigned char>(name[i])) && name[i] != '_') pattern += '\\';
      pattern += name[i];
    }
  }
  if (pattern.ends_with("\\/")) pattern.resize(pattern.size() - 2);
  const std::regex form("(.*/)?" + pattern + R"((\.\w+)?)");
  std::vector<std::string> meant;
  for (const std::string& path : Paths()) {
    if (std::regex_match(path, form)) meant.push_back(path);
  }
  return meant;
}

bool LooksLikePath(const std::string& text) {
  static const std::regex form(R"([\w.*<>/-]*[\w*>][\w.*<>/-]*)");
  static const std::regex extension(
      R"(.*\.(cc|h|def|sv|svh|py|sh|cmake|md|json|txt|fbs|onnx|tflite)$)");
  if (!std::regex_match(text, form)) return false;
  if (std::regex_match(text, extension)) return true;
  return text.find('/') != std::string::npos;
}

BuildNames AskBuild(const std::string& configuration) {
  BuildNames found;
  const std::string all =
      Output(TESSERA_CMAKE " --build " TESSERA_BUILD " --target help 2>/dev/null");
  static const std::regex target(R"(([\w./-]+): phony)");
  for (std::sregex_iterator m(all.begin(), all.end(), target), end; m != end; ++m)
    found.targets.insert((*m)[1]);
  // ctest writes its log even when it lists tests. It runs in a folder of its own here, so that the
  // log of the run that includes this test survives.
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "docs_ctest";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "CTestTestfile.cmake") << "subdirs(\"" TESSERA_BUILD "\")\n";
  const auto json = nlohmann::json::parse(Output(TESSERA_CTEST " --test-dir " + folder.string() +
                                                 " --show-only=json-v1 -C " + configuration),
                                          nullptr, false);
  if (!json.is_object()) return found;
  for (const auto& test : json["tests"]) {
    found.tests.insert(test["name"]);
    for (const auto& property : test["properties"]) {
      if (property["name"] != "LABELS") continue;
      for (const auto& label : property["value"]) found.labels.insert(label);
    }
  }
  return found;
}

const BuildNames& Build(const std::string& configuration) {
  static std::map<std::string, BuildNames> builds;
  const auto [at, fresh] = builds.try_emplace(configuration);
  if (fresh) at->second = AskBuild(configuration);
  return at->second;
}

const std::string& Help(const std::string& verb) {
  static std::map<std::string, std::string> pages;
  const auto [at, fresh] = pages.try_emplace(verb);
  if (fresh) at->second = Output(TESSERA_COMMAND " " + verb + " --help 2>&1");
  return at->second;
}
bool HasOption(const std::string& text, const std::string& option) {
  return std::regex_search(text, std::regex("(^|[^\\w-])" + option + "($|[^\\w-])"));
}
const std::set<std::string>& Verbs() {
  static const std::set<std::string> verbs = {
      "compile", "run",      "compare", "asm",    "disasm",  "check",  "config",
      "info",    "boards",   "flash",   "xclbin", "regress", "trace",  "debug",
      "devices", "quantize", "tune",    "place",  "serve",   "explore"};
  return verbs;
}

std::string Text(const std::string& path) {
  for (const TextFile& file : Sources()) {
    if (file.path != path) continue;
    std::string text;
    for (const std::string& line : file.lines) text += line + "\n";
    return text;
  }
  return "";
}

// What is wrong with "tessera VERB ..."; "" if nothing.
std::string VerbProblem(const std::vector<std::string>& words) {
  std::string verb;
  for (size_t i = 1; i < words.size(); ++i) {
    std::string word = words[i];
    if (word == "|" || word == "...") continue;
    if (word.starts_with("[")) word.erase(0, 1);
    while (word.ends_with("]") || word.ends_with(",")) word.pop_back();
    if (word.starts_with("-")) {
      if (!HasOption(Help(verb), word)) return "tessera " + verb + " has no option " + word;
    } else if (i == 1 || words[i - 1] == "|") {
      verb = word;
      if (verb != "VERB" && !Verbs().contains(verb)) return "tessera has no verb " + verb;
    }
  }
  return "";
}

std::string CmakeProblem(const std::vector<std::string>& words) {
  const auto given = std::ranges::find(words, "-C");
  const bool configured = given != words.end() && given + 1 != words.end();
  const BuildNames& build = configured ? Build(given[1]) : Build();
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& next = words[i + 1];
    const bool target = words[i] == "-t" || words[i] == "--target";
    if (target && !build.targets.contains(next)) return "there is no target " + next;
    if (words[i] == "--preset" &&
        Output("cat CMakePresets.json").find("\"name\": \"" + next + "\"") == std::string::npos)
      return "there is no preset " + next;
    if (words[i] == "-L" && !build.labels.contains(next)) return "no test has the label " + next;
    if (words[i] == "-R" && std::ranges::none_of(build.tests, [&](const std::string& test) {
          return std::regex_search(test, std::regex(next));
        }))
      return "no test's name matches " + next;
  }
  return "";
}

std::string ScriptProblem(const std::string& script, const std::vector<std::string>& words) {
  const std::string path = script.starts_with("./") ? script.substr(2) : script;
  if (Meant(path).empty()) return path + " does not exist";
  if (path == "run.sh" && words.size() > 1) return VerbProblem(words);
  if (path == "test.sh") return CmakeProblem(words);
  if (path == "sim/xrt/emulated.sh" && words.size() > 1)
    return VerbProblem({words.begin() + 1, words.end()});
  for (const std::string& word : words) {
    if (word.starts_with("--") && !HasOption(Text(Meant(path)[0]), word))
      return path + " has no option " + word;
  }
  return "";
}

// What is wrong with a command; nothing if |text| is no command that this test knows.
std::optional<std::string> CommandProblem(std::string text) {
  if (const size_t comment = text.find(" #"); comment != std::string::npos) text.resize(comment);
  if (const size_t second = text.find(" && "); second != std::string::npos) {
    const auto problem = CommandProblem(text.substr(second + 4));
    if (problem && !problem->empty()) return problem;
    text.resize(second);
  }
  std::vector<std::string> words = SplitList(text, ' ');
  static const std::regex variable(R"([A-Z_]+=.*)");
  while (!words.empty() && (words[0] == "python3" || std::regex_match(words[0], variable)))
    words.erase(words.begin());
  if (words.empty()) return std::nullopt;
  if (words[0] == "tessera" || words[0] == "build/bin/tessera") return VerbProblem(words);
  if (words[0] == "cmake" || words[0] == "ctest") return CmakeProblem(words);
  if (EndsWithAny(words[0], {".sh", ".py"}) && LooksLikePath(words[0]))
    return ScriptProblem(words[0], words);
  if (words[0].size() > 2 && words[0].starts_with("--") && words[0][2] != '-') {
    for (const std::string& verb : Verbs()) {
      if (HasOption(Help(verb), words[0])) return "";
    }
    return "no verb of tessera has the option " + words[0];
  }
  return std::nullopt;
}

// The identifiers in the spans of paragraphs that begin with "Example:".
std::set<std::string> ExampleNames(const TextFile& document) {
  std::set<std::string> names;
  const std::vector<CodeText> code = CodeOf(document);
  bool inside = false;
  for (size_t n = 0; n < document.lines.size(); ++n) {
    inside = document.lines[n].starts_with("Example:") || (inside && !document.lines[n].empty());
    for (const CodeText& span : code) {
      if (inside && span.line == n + 1) names.merge(WordsOf({"", {span.text}}));
    }
  }
  return names;
}

// What is wrong with a name in a span; "" if nothing. |file|: the file named just before it, or "".
// |own|: names that the sources may lack.
std::string NameProblem(std::string text, const std::string& file,
                        const std::set<std::string>& own) {
  static const std::regex string(R"("[^"]*")");
  static const std::regex word(R"([A-Za-z_]\w{2,})"), library(R"(lib(\w+)\.so)"),
      program(R"(build/bin/(\w+))");
  std::smatch m;
  if (std::regex_match(text, m, library) || std::regex_match(text, m, program))
    return Build().targets.contains(m[1]) ? "" : "there is no target " + m[1].str();
  if (LooksLikePath(text) && !text.starts_with("/"))
    return Meant(text).empty() ? "no such file or folder" : "";
  text = std::regex_replace(text, string, "");
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
    const std::string name = it->str();
    if (own.contains(name) || Elsewhere().Allow(name)) continue;
    if (!IsWord(name)) return "no source has the word " + name;
    if (file.empty() || it != std::sregex_iterator(text.begin(), text.end(), word)) continue;
    const std::string stem = file.substr(0, file.rfind('.'));
    const bool in_file = std::ranges::any_of(Words(), [&](const auto& source) {
      return source.first.substr(0, source.first.rfind('.')) == stem &&
             source.second.contains(name);
    });
    if (!in_file) return file + " does not have the word " + name;
  }
  return "";
}

struct MarkedBlock {
  std::string document, of, text;
};
// The blocks that follow a comment "|mark| WHAT", each with its WHAT.
std::vector<MarkedBlock> MarkedBlocks(const std::string& mark) {
  const std::regex form("<!-- " + mark + " ([^\n]+) -->\n```\n([^`]*)```\n");
  std::vector<MarkedBlock> found;
  for (const TextFile& document : Documents()) {
    std::string text;
    for (const std::string& line : document.lines) text += line + "\n";
    for (std::sregex_iterator m(text.begin(), text.end(), form), end; m != end; ++m)
      found.push_back({document.path, (*m)[1], (*m)[2]});
  }
  return found;
}

// Whether |line| has the pieces of |pattern|, separated by "...", in their order.
bool Has(const std::string& line, std::string pattern) {
  pattern.erase(0, pattern.find_first_not_of(' '));
  size_t at = 0;
  for (size_t from = 0; from <= pattern.size();) {
    const size_t end = std::min(pattern.find("...", from), pattern.size());
    const std::string piece = pattern.substr(from, end - from);
    at = line.find(piece, at);
    if (at == std::string::npos) return false;
    at += piece.size();
    from = end + 3;
  }
  return true;
}

TEST(Docs, QuoteFilesAsTheyAre) {
  const std::vector<MarkedBlock> quotes = MarkedBlocks("quoted from");
  for (const MarkedBlock& quote : quotes) {
    EXPECT_NE(Text(quote.of).find(quote.text), std::string::npos)
        << quote.document << ": " << quote.of << " does not have:\n"
        << quote.text;
  }
  EXPECT_GT(quotes.size(), 10u);
}

TEST(Docs, ShowLinesThatCommandsPrint) {
  const std::vector<MarkedBlock> blocks = MarkedBlocks("lines of");
  for (const MarkedBlock& block : blocks) {
    std::string command = block.of;
    ASSERT_TRUE(command.starts_with("tessera ")) << block.document;
    command.replace(0, 7, TESSERA_COMMAND);
    if (block.of.starts_with("tessera compile") || block.of.starts_with("tessera quantize"))
      command += " -o " + ::testing::TempDir() + "docs_lines.tsr";
    const std::vector<std::string> printed = SplitList(Output(command), '\n');
    size_t at = 0;
    for (const std::string& line : SplitList(block.text, '\n')) {
      while (at < printed.size() && !Has(printed[at], line)) ++at;
      ASSERT_LT(at++, printed.size())
          << block.document << ": " << block.of << " does not print, behind the lines before:\n"
          << line;
    }
  }
  EXPECT_GT(blocks.size(), 3u);
}

TEST(Docs, NameWhatExists) {
  ASSERT_GT(Build().targets.size(), 100u);
  ASSERT_GT(Build().tests.size(), 50u);
  size_t commands = 0, names = 0;
  for (const TextFile& document : Documents()) {
    const bool held = document.path == "README.md" || document.path == "CONTRIBUTING.md" ||
                      Under(document.path, "docs");
    if (!held) continue;
    const std::set<std::string> own =
        Under(document.path, "docs/adding") ? ExampleNames(document) : std::set<std::string>{};
    std::string file;  // the file that the preceding span named
    for (const CodeText& code : CodeOf(document)) {
      const std::string place = document.path + ":" + std::to_string(code.line) + ": `" + code.text;
      if (Elsewhere().Allow(code.text)) continue;
      if (const auto problem = CommandProblem(code.text)) {
        ++commands;
        EXPECT_EQ(*problem, "") << place << "`";
        continue;
      }
      if (code.block) continue;
      ++names;
      EXPECT_EQ(NameProblem(code.text, code.adjacent ? file : "", own), "") << place << "`";
      if (!code.adjacent || LooksLikePath(code.text)) {
        const auto meant = LooksLikePath(code.text) ? Meant(code.text) : std::vector<std::string>{};
        file = meant.size() == 1 && meant[0].find('.') != std::string::npos ? meant[0] : "";
      }
    }
  }
  EXPECT_GT(commands, 20u);
  EXPECT_GT(names, 200u);
  Elsewhere().ExpectAllUsed();
}

}  // namespace
}  // namespace tessera::test::docs_test
