// SPDX-License-Identifier: Apache-2.0
//
// The command lines of a document, as a reader would type them, and the forms that a synopsis
// ("run MODEL|net.tsr [--first N]") stands for. Depends on: tests/meta (Markdown). Used by
// commands_test.
#ifndef TESSERA_TESTS_DOCS_COMMAND_LINES_H_
#define TESSERA_TESTS_DOCS_COMMAND_LINES_H_

#include <string>
#include <vector>

#include "tests/meta/markdown.h"

namespace tessera::test {

struct CommandLine {
  std::string text;       // without its comment and the prose behind it; one space between words
  size_t line = 0;        // of the document, from 1
  bool whole = false;     // a line of a block; a sentence may give only its begin
  bool synopsis = false;  // has alternatives or parts in brackets
};

// Every command in a span or a line of a block: a text that begins with `tessera`, a program of the
// build, a script with arguments, or a program that the documents name (cmake, ssh, ...). If one
// line of a block is a command, all its lines are.
std::vector<CommandLine> CommandLinesOf(const TextFile& document);

// The forms of |synopsis|, one change at a time: first the base form, without the parts in brackets
// and with the first of each alternative, then each other alternative and each part alone.
std::vector<std::string> FormsOf(const std::string& synopsis);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_DOCS_COMMAND_LINES_H_
