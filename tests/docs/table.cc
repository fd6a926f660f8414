// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <string_view>

namespace tessera::test {
namespace {

constexpr std::string_view kBeginning = " ...";

// Whether text[at, at + size) is one or more whole words of a command line.
bool WholeWords(const std::string& text, size_t at, size_t size) {
  const auto outside = [](char c) { return c == ' ' || c == ',' || c == '=' || c == '/'; };
  return (at == 0 || outside(text[at - 1])) &&
         (at + size == text.size() || outside(text[at + size]));
}

}  // namespace

CommandTable CommandTable::Read(const std::string& path) {
  CommandTable table;
  table.path_ = path;
  static const std::regex form("(fill|given|rest|front|exit|shown|slow|not) +(.*?) +=>(?: (.*))?");
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::smatch m;
    if (!std::regex_match(line, m, form)) {
      ADD_FAILURE() << path << ":" << number << ": no line of the table: " << line;
      continue;
    }
    table.rows_.push_back({m[1], m[2], m[3], number, false});
  }
  return table;
}

TableRow* CommandTable::Find(const std::string& kind, const std::string& text) {
  TableRow* longest = nullptr;
  for (TableRow& row : rows_) {
    const bool beginning = row.what.ends_with(kBeginning);
    const std::string what =
        row.what.substr(0, row.what.size() - (beginning ? kBeginning.size() : 0));
    const bool fits = beginning ? (text + " ").starts_with(what + " ") : text == what;
    if (row.kind != kind || !fits) continue;
    if (longest == nullptr || row.what.size() > longest->what.size()) longest = &row;
  }
  if (longest != nullptr) longest->used = true;
  return longest;
}

std::vector<TableRow*> CommandTable::All(const std::string& kind, const std::string& what) {
  std::vector<TableRow*> found;
  for (TableRow& row : rows_) {
    if (row.kind != kind || row.what != what) continue;
    row.used = true;
    found.push_back(&row);
  }
  return found;
}

std::string CommandTable::Fill(const std::string& command) {
  std::vector<TableRow*> fills;
  for (TableRow& row : rows_) {
    if (row.kind == "fill") fills.push_back(&row);
  }
  std::ranges::stable_sort(fills, std::ranges::greater{},
                           [](const TableRow* row) { return row->what.size(); });
  // One pass from the left: text that a row fills in is not filled again.
  std::string text;
  for (size_t at = 0; at < command.size();) {
    const auto row = std::ranges::find_if(fills, [&](const TableRow* fill) {
      return command.compare(at, fill->what.size(), fill->what) == 0 &&
             WholeWords(command, at, fill->what.size());
    });
    if (row == fills.end()) {
      text += command[at++];
      continue;
    }
    (*row)->used = true;
    text += (*row)->then;
    at += (*row)->what.size();
  }
  return text;
}

void CommandTable::ExpectAllUsed() const {
  for (const TableRow& row : rows_) {
    EXPECT_TRUE(row.used) << path_ << ":" << row.line << ": no document has this: " << row.kind
                          << " " << row.what;
  }
}

}  // namespace tessera::test
