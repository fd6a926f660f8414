// SPDX-License-Identifier: Apache-2.0
//
// tests/docs/commands.txt: what replaces words of the documents' command lines, the commands' exit
// codes, and the commands that do not run here. The head of that file defines its lines. Used by
// commands_test.
#ifndef TESSERA_TESTS_DOCS_TABLE_H_
#define TESSERA_TESTS_DOCS_TABLE_H_

#include <string>
#include <vector>

namespace tessera::test {

struct TableRow {
  std::string kind;  // "fill"
  std::string what;  // in front of "=>"
  std::string then;  // behind "=>"
  size_t line = 0;
  bool used = false;
};

class CommandTable {
 public:
  // Reads the file |path|; a line of no known form fails the calling test.
  static CommandTable Read(const std::string& path);

  // The row of |kind| that matches |text|: its |what| is |text|, or ends with " ..." and |text|
  // begins with the part before. The longest match counts as used; null when no row matches.
  TableRow* Find(const std::string& kind, const std::string& text);
  // All rows of |kind| for |what|, in the order of the file; they count as used.
  std::vector<TableRow*> All(const std::string& kind, const std::string& what);

  // |command| with the words of every row "fill" replaced, longest first.
  std::string Fill(const std::string& command);

  // Fails for each row that no call used.
  void ExpectAllUsed() const;

 private:
  std::string path_;
  std::vector<TableRow> rows_;
};

}  // namespace tessera::test

#endif  // TESSERA_TESTS_DOCS_TABLE_H_
