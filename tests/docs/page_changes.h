// SPDX-License-Identifier: Apache-2.0
//
// The changes that a page shows, and a copy of the tree that has them. Depends on: tests/meta (the
// tree's files). Used by instruction_test.
#ifndef TESSERA_TESTS_DOCS_PAGE_CHANGES_H_
#define TESSERA_TESTS_DOCS_PAGE_CHANGES_H_

#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/meta/sources.h"

namespace tessera::test {

// A block behind "<!-- change of FILE -->": lines after ' ' stay, lines after '-' go, and lines
// after '+' come.
struct PageChange {
  std::string file;
  std::string before, after;  // whole lines
};

// In the order of |page|.
//   errors  kInvalidArgument  a comment without its block, or a line of a block without its sign
Result<std::vector<PageChange>> PageChangesOf(const TextFile& page);

// |text| with |change|.
//   errors  kInvalidArgument  the lines of |change.before| are not in |text|, or more than once
Result<std::string> WithChange(const std::string& text, const PageChange& change);

// Makes |folder| a copy of the checkout with |changes|, apart from those of |without|. A file that
// has its text already keeps its time, so a build in |folder| goes on from the one before.
//   errors  those of WithChange; a file that cannot be read or written
Status CopyTree(const std::string& folder, const std::vector<PageChange>& changes,
                const std::set<std::string>& without);

}  // namespace tessera::test

#endif  // TESSERA_TESTS_DOCS_PAGE_CHANGES_H_
