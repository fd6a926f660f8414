// SPDX-License-Identifier: Apache-2.0
//
// The code in a Markdown document: spans between backticks and lines of code blocks. Used by
// docs_test.
#ifndef TESSERA_TESTS_META_MARKDOWN_H_
#define TESSERA_TESTS_META_MARKDOWN_H_

#include <string>
#include <vector>

#include "tests/meta/sources.h"

namespace tessera::test {

struct CodeText {
  std::string text;
  size_t line = 0;        // from 1
  bool block = false;     // a line of a block (fenced, or indented by four); else a span
  bool adjacent = false;  // only blanks are between this span and the one before
};

// In the order of the document. A span may continue on the next line.
std::vector<CodeText> CodeOf(const TextFile& document);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_META_MARKDOWN_H_
