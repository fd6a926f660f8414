// SPDX-License-Identifier: Apache-2.0
//
// tests/docs/commands.txt: what the documents' command lines are filled with, what they end with,
// and which do not run here. Its head says what a line means. Used by commands_test.
#ifndef TESSERA_TESTS_DOCS_TABLE_H_
#define TESSERA_TESTS_DOCS_TABLE_H_

#include <string>
#include <vector>

namespace tessera::test {

struct TableRow {
  std::string kind;  // "fill"
  std::string what;  // in front of "=>"
  std::string then;  // behind it
  size_t line = 0;
  bool used = false;
};

class CommandTable {
 public:
  // Of the file; the test that calls it fails for a line of no such form.
  static CommandTable Read(const std::string& path);

  // The row of |kind| that matches |text|: its |what| is |text|, or ends with " ..." and |text|
  // begins with the part before. The longest match counts as used; null when no row matches.
  TableRow* Find(const std::string& kind, const std::string& text);
  // All rows of |kind| for |what|, in order; they count as used.
  std::vector<TableRow*> All(const std::string& kind, const std::string& what);

  // |command| with the words of every row "fill" replaced, longest first.
  std::string Fill(const std::string& command);

  // Fails for each row that nothing asked for.
  void ExpectAllUsed() const;

 private:
  std::string path_;
  std::vector<TableRow> rows_;
};

}  // namespace tessera::test

#endif  // TESSERA_TESTS_DOCS_TABLE_H_
