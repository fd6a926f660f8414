// SPDX-License-Identifier: Apache-2.0
#include "tools/docs/schedule_versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/output.h"

namespace tessera::tools {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  size_t from = 0;
  for (size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1)
    lines.push_back(text.substr(from, end - from));
  return lines;
}

// The lines of |text|, indented as a block of Markdown.
std::string Block(const std::string& text) {
  std::string block;
  for (const std::string& line : LinesOf(text)) block += "    " + line + "\n";
  return block;
}

}  // namespace

std::string ChangedLines(const std::string& from, const std::string& to) {
  const std::vector<std::string> a = LinesOf(from), b = LinesOf(to);
  // common[i][j]: the most lines, in order, that a from i on and b from j on have in common.
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;)
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  }
  std::vector<std::string> all;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      all.push_back("  " + a[i]);
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      all.push_back("- " + a[i++]);
    } else {
      all.push_back("+ " + b[j++]);
    }
  }
  std::string text;
  const auto changed = [&](size_t k) { return k < all.size() && all[k][0] != ' '; };
  bool gap = false;
  for (size_t k = 0; k < all.size(); ++k) {
    if (!changed(k) && !changed(k + 1) && (k == 0 || !changed(k - 1))) {
      gap = true;
      continue;
    }
    if (gap && !text.empty()) text += "...\n";
    gap = false;
    text += all[k] + "\n";
  }
  return text;
}

Result<std::string> VersionsText(const ScheduleProblem& problem,
                                 const std::vector<Version>& versions, const isa::Config& config) {
  std::string table =
      "| version | cycles | estimated | of the array | bytes on the bus |\n"
      "|---|---:|---:|---:|---:|\n";
  std::string texts;
  for (size_t k = 0; k < versions.size(); ++k) {
    const Version& v = versions[k];
    const Result<RunReport> report = Measure(problem, v.steps, config);
    texts += fmt::format("### {}. {}\n\n{}\n\n", k + 1, v.title, v.says);
    if (v.refused) {
      if (report) return Fail(Code::kInvalidArgument, "{}: is run, not refused", v.title);
      if (report.error().code == Code::kDataLoss) return Within(v.title, report.error());
      table += fmt::format("| {}. {} | refused | | | |\n", k + 1, v.title);
      texts += Block(report.error().message + "\n") + "\n";
    } else {
      if (!report) return Within(v.title, report.error());
      TESSERA_ASSIGN(const double estimate, Estimate(problem, v.steps, config));
      table += fmt::format(
          "| {}. {} | {} | {} | {:.1f} % | {} |\n", k + 1, v.title,
          Grouped(static_cast<int64_t>(report->cycles)), Grouped(static_cast<int64_t>(estimate)),
          ArrayShare(problem.macs, *report, config),
          Grouped(static_cast<int64_t>(report->bytes_read + report->bytes_written)));
    }
    if (v.steps.empty()) continue;
    if (v.from == 0) {
      texts += Block(v.steps) + "\n";
    } else {
      texts += fmt::format("Version {} with these changes:\n\n", v.from) +
               Block(ChangedLines(versions[v.from - 1].steps, v.steps)) + "\n";
    }
  }
  return table + "\n" + texts;
}

}  // namespace tessera::tools
