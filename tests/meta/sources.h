// SPDX-License-Identifier: Apache-2.0
//
// The text files of the checkout, read once, for the tests of tests/meta. Paths are from the root,
// with '/'. Build folders and hidden ones are left out, but for .ci.
#ifndef TESSERA_TESTS_META_SOURCES_H_
#define TESSERA_TESTS_META_SOURCES_H_

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

struct TextFile {
  std::string path;
  std::vector<std::string> lines;
};

// Programs and scripts: C++, tables, SystemVerilog, Python, shell, CMake.
const std::vector<TextFile>& Sources();

// Documents: *.md.
const std::vector<TextFile>& Documents();

// Every file and folder of the checkout, folders without a '/' at the end.
const std::set<std::string>& Paths();

bool EndsWithAny(const std::string& path, std::initializer_list<const char*> ends);

// Whether |path| is inside |folder|.
bool Under(std::string_view path, std::string_view folder);

// Splits at |separator| and drops blanks around the parts: "a, b" gives {"a", "b"}.
std::vector<std::string> SplitList(const std::string& text, char separator);

// A list of exceptions, each with a reason. Allow() marks an exception as used; ExpectAllUsed()
// fails for each unused one.
class Exceptions {
 public:
  struct Row {
    std::string name, reason;
  };
  Exceptions(std::string list, std::vector<Row> rows)
      : list_(std::move(list)), rows_(std::move(rows)) {}
  bool Allow(const std::string& name);
  void ExpectAllUsed() const;

 private:
  std::string list_;  // its name, for messages
  std::vector<Row> rows_;
  std::set<std::string> used_;
};

}  // namespace tessera::test

#endif  // TESSERA_TESTS_META_SOURCES_H_
