// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/command_lines.h"

#include <algorithm>
#include <regex>

namespace tessera::test {
namespace {

std::vector<std::string> WordsIn(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : SplitList(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Whether |text| is a command. A path alone names a file; the name of a program alone is only a
// word.
bool IsCommand(const std::string& text) {
  static const std::regex assignment(R"([A-Z_]+=\S*)"), verb(R"(tessera [a-z]+.*)"),
      program(R"(build/bin/\w+ .+)"), script(R"((\./)?[\w/]+\.(sh|py) .+)"),
      here(R"(\./\w[\w.]*( .+)?)"),
      other("(cmake|ctest|simulated_board|python3|git|ssh|scp|ssh-copy-id|sed|cat|ls|source) .+");
  std::vector<std::string> words = WordsIn(text);
  while (!words.empty() && std::regex_match(words[0], assignment)) words.erase(words.begin());
  const std::string command = Joined(words);
  for (const std::regex* form : {&verb, &program, &script, &here, &other}) {
    if (std::regex_match(command, *form)) return true;
  }
  return false;
}

bool IsSynopsis(const std::string& text) {
  static const std::regex form(R"((\S* )*(\[.*|\S*[\w.]\|\w.*|\w+ \| \w.*))");
  return text.starts_with("tessera ") && std::regex_match(text, form);
}

// A line of a block without its comment; of a synopsis, also without the prose behind it.
std::string Typed(const std::string& line) {
  static const std::regex comment(R"(\s+#.*)"), prose(R"((tessera \w+ +\S.*?)   +.*)");
  std::string text = std::regex_replace(line, comment, "");
  std::smatch m;
  if (std::regex_match(text, m, prose)) text = m[1].str();
  return Joined(WordsIn(text));
}

// Whether |code| is a script that fills a table's cell alone: the table has a column of commands.
bool IsCell(const TextFile& document, const CodeText& code) {
  static const std::regex script(R"([\w/]+\.(sh|py))");
  return std::regex_match(code.text, script) &&
         document.lines[code.line - 1].find("| `" + code.text + "` |") != std::string::npos;
}

// The place in |text| of the bracket that closes the one at |begin|.
size_t Closing(const std::string& text, size_t begin) {
  int depth = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    depth += (text[at] == '[') - (text[at] == ']');
    if (depth == 0) return at;
  }
  return text.size();
}

}  // namespace

std::vector<CommandLine> CommandLinesOf(const TextFile& document) {
  std::vector<CommandLine> found;
  const std::vector<CodeText> all = CodeOf(document);
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    if (!all[begin].block) {
      const std::string text = Joined(WordsIn(all[begin].text));
      if (IsCommand(text) || IsCell(document, all[begin]))
        found.push_back({text, all[begin].line, false, IsSynopsis(text)});
      begin = end;
      continue;
    }
    while (end < all.size() && all[end].block && all[end].line == all[end - 1].line + 1) ++end;
    const bool shell = std::any_of(all.begin() + static_cast<ptrdiff_t>(begin),
                                   all.begin() + static_cast<ptrdiff_t>(end),
                                   [](const CodeText& code) { return IsCommand(code.text); });
    for (size_t n = begin; shell && n < end; ++n) {
      const std::string text = Typed(all[n].text);
      if (text.starts_with("[") && n > begin) {  // the synopsis continues
        found.back().text += " " + text;
      } else {
        found.push_back({text, all[n].line, true, IsSynopsis(text)});
      }
    }
    begin = end;
  }
  return found;
}

std::vector<std::string> FormsOf(const std::string& synopsis) {
  std::vector<std::vector<std::string>> parts;  // the forms of each part; the base form is first
  static const std::regex spaced(R"( \| )");
  const std::string text = std::regex_replace(synopsis, spaced, "|");
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '[') {
      const size_t end = Closing(text, at);
      parts.push_back({""});
      for (std::string& form : FormsOf(text.substr(at + 1, end - at - 1)))
        parts.back().push_back(std::move(form));
      at = end + 1;
      continue;
    }
    // Either blanks, or a word with its alternatives.
    const size_t word = std::min(text.find_first_not_of(' ', at), text.size());
    if (word > at) {
      parts.push_back({" "});
      at = word;
      continue;
    }
    const size_t end = std::min(text.find_first_of(" [", at), text.size());
    parts.push_back(SplitList(text.substr(at, end - at), '|'));
    at = end;
  }
  std::vector<std::string> forms;
  const auto add = [&](size_t changed, size_t choice) {
    std::string form;
    for (size_t p = 0; p < parts.size(); ++p) form += parts[p][p == changed ? choice : 0];
    forms.push_back(Joined(WordsIn(form)));
  };
  add(parts.size(), 0);
  for (size_t p = 0; p < parts.size(); ++p) {
    for (size_t choice = 1; choice < parts[p].size(); ++choice) add(p, choice);
  }
  return forms;
}

}  // namespace tessera::test
