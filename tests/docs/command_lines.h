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
  bool whole = false;     // stands in a block: typed as it is; else a sentence may only begin it
  bool synopsis = false;  // has alternatives or parts in brackets
};

// Every span and line of a block that is a command: what begins with `tessera`, a program of the
// build, a script with arguments, or a program that the documents name (cmake, ssh, ...). Where one
// line of a block is a command, all are.
std::vector<CommandLine> CommandLinesOf(const TextFile& document);

// What |synopsis| stands for, one change at a time: first without the parts in brackets and with
// the first of each alternative, then each other alternative and each part alone.
std::vector<std::string> FormsOf(const std::string& synopsis);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_DOCS_COMMAND_LINES_H_
