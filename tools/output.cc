// SPDX-License-Identifier: Apache-2.0
#include "tools/output.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"

namespace tessera::tools {

std::string Grouped(int64_t value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return value < 0 ? fmt::format("-{}", digits) : digits;
}

std::string Table(const std::vector<std::string>& header, const std::string& align,
                  std::vector<std::vector<std::string>> rows) {
  constexpr size_t kWidestCell = 200;
  TESSERA_CHECK(align.size() == header.size());
  std::vector<size_t> width;
  for (const std::string& cell : header) width.push_back(cell.size());
  for (auto& row : rows) {
    TESSERA_CHECK(row.size() == header.size());
    for (size_t c = 0; c < row.size(); ++c) {
      row[c] = Legible(row[c], kWidestCell);
      width[c] = std::max(width[c], row[c].size());
    }
  }
  std::string text;
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      line += c ? "  " : "";
      line += align[c] == 'r' ? fmt::format("{:>{}}", row[c], width[c])
                              : fmt::format("{:<{}}", row[c], width[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  print(header);
  std::vector<std::string> rule;
  for (size_t w : width) rule.emplace_back(w, '-');
  print(rule);
  for (const auto& row : rows) print(row);
  return text;
}

Status WriteJson(const std::string& path, const Json& json) {
  if (path.empty()) return {};
  constexpr auto kReplace = Json::error_handler_t::replace;  // for bytes that are not UTF-8
  const std::string text = json.dump(2, ' ', false, kReplace) + "\n";
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    return {};
  }
  return WriteFile(path, text);
}

Status CheckJson(const std::string& path) {
  return path.empty() || path == "-" ? Status{} : CheckWritable(path);
}

void Progress::Update(int64_t done, int64_t total) {
  const auto now = SteadyClock::now();
  if (now - start_ < std::chrono::seconds(2) || !isatty(STDERR_FILENO)) return;
  if (shown_ && now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left =
      done > 0 ? seconds * static_cast<double>(total - done) / static_cast<double>(done) : 0;
  std::fprintf(stderr, "\r\033[K%s: %lld of %lld, about %.0f s left", what_.c_str(),
               static_cast<long long>(done), static_cast<long long>(total), left);
  std::fflush(stderr);
}

Progress::~Progress() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

}  // namespace tessera::tools
