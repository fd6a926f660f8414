// SPDX-License-Identifier: Apache-2.0
#include "cluster/slurm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>

#include "base/number.h"

namespace tessera::cluster {

std::string ArrayText(std::span<const int64_t> numbers) {
  std::string text;
  for (size_t k = 0; k < numbers.size();) {
    size_t last = k;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[k]);
    if (last > k) text += fmt::format("-{}", numbers[last]);
    k = last + 1;
  }
  return text;
}

Result<int64_t> ParseSubmitted(const std::string& text) {
  const std::string_view line = std::string_view(text).substr(0, text.find_first_of(";\n"));
  if (const auto job = NumberIn<uint32_t>(line)) return *job;
  return Fail(Code::kDataLoss, "sbatch printed '{}', which begins with no number of a job",
              text.substr(0, 80));
}

std::set<std::pair<int64_t, int64_t>> ParseQueue(const std::string& text) {
  std::set<std::pair<int64_t, int64_t>> tasks;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line{part.begin(), part.end()};
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) continue;
    const auto job = NumberIn<uint32_t>(line.substr(0, space));
    const auto number = NumberIn<uint32_t>(line.substr(space + 1));
    if (job && number) tasks.emplace(*job, *number);
  }
  return tasks;
}

bool IsAway(const std::string& errors) {
  constexpr std::string_view kSigns[] = {
      "Unable to contact slurm controller", "Connection refused", "Socket timed out",
      "Zero Bytes were transmitted",        "slurm_persist_conn", "Slurm backup controller"};
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return errors.find(sign) != std::string::npos; });
}

}  // namespace tessera::cluster
