// SPDX-License-Identifier: Apache-2.0
#include "tests/docs/page_changes.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

Result<std::string> TextOf(const std::string& path) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(path);
  if (!bytes) return std::unexpected(bytes.error());
  return std::string(bytes->begin(), bytes->end());
}

}  // namespace

Result<std::vector<PageChange>> PageChangesOf(const TextFile& page) {
  static const std::string mark = "<!-- change of ";
  std::vector<PageChange> changes;
  for (size_t n = 0; n < page.lines.size(); ++n) {
    const std::string& line = page.lines[n];
    if (!line.starts_with(mark)) continue;
    PageChange change{line.substr(mark.size(), line.rfind(" -->") - mark.size()), "", ""};
    if (++n == page.lines.size() || page.lines[n] != "```diff")
      return Fail(Code::kInvalidArgument, "{}:{}: no block follows the comment", page.path, n);
    for (++n; n < page.lines.size() && page.lines[n] != "```"; ++n) {
      const std::string& row = page.lines[n];
      const char sign = row.empty() ? '\0' : row[0];
      if (sign != ' ' && sign != '-' && sign != '+')
        return Fail(Code::kInvalidArgument, "{}:{}: a line of a change begins with ' ', '-' or '+'",
                    page.path, n + 1);
      if (sign != '+') change.before += row.substr(1) + "\n";
      if (sign != '-') change.after += row.substr(1) + "\n";
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<std::string> WithChange(const std::string& text, const PageChange& change) {
  // A line break before the text makes each line begin behind one.
  const std::string lines = "\n" + text, before = "\n" + change.before;
  const size_t at = lines.find(before);
  if (at == std::string::npos || lines.find(before, at + 1) != std::string::npos)
    return Fail(Code::kInvalidArgument, "{} has these lines {}:\n{}", change.file,
                at == std::string::npos ? "not" : "more than once", change.before);
  return text.substr(0, at) + change.after + text.substr(at + change.before.size());
}

Status CopyTree(const std::string& folder, const std::vector<PageChange>& changes,
                const std::set<std::string>& without) {
  for (const std::string& path : Paths()) {
    const fs::path copy = fs::path(folder) / path;
    if (fs::is_directory(path)) {
      fs::create_directories(copy);
      continue;
    }
    Result<std::string> text = TextOf(path);
    for (const PageChange& change : changes) {
      if (text && change.file == path && !without.contains(path)) text = WithChange(*text, change);
    }
    if (!text) return std::unexpected(text.error());
    if (const Result<std::string> old = TextOf(copy); old && *old == *text) continue;
    fs::create_directories(copy.parent_path());
    if (const Status status = WriteFile(copy, *text); !status) return status;
    fs::permissions(copy, fs::status(path).permissions());
  }
  return {};
}

}  // namespace tessera::test
