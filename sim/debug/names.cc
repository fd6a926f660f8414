// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/number.h"

namespace tessera::sim {
namespace {

constexpr size_t kListed = 24;  // most names in a message

std::string List(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kListed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// The length of the common prefix of |a| and |b|.
size_t Alike(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

std::vector<std::string> SplitWords(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Result<uint64_t> NumberOf(std::string_view what, std::string_view word) {
  if (const auto number = NumberOrHexIn<uint64_t>(word)) return *number;
  return Fail(Code::kInvalidArgument, "{}: '{}' is no whole number", what, word);
}

Result<size_t> FindNamed(std::string_view kind, std::string_view name,
                         std::span<const std::string> names) {
  std::vector<size_t> found;
  std::vector<std::string> all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    if (names[i] == name) return i;
    all.push_back(names[i]);
    if (!name.empty() && names[i].find(name) != std::string::npos) found.push_back(i);
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    std::ranges::stable_sort(all, std::greater<>(),
                             [&](const std::string& other) { return Alike(other, name); });
    return Fail(Code::kNotFound, "no {} '{}'; {}s are: {}", kind, name, kind,
                all.empty() ? "none" : List(all));
  }
  std::vector<std::string> alike;
  for (const size_t i : found) alike.push_back(names[i]);
  return Fail(Code::kInvalidArgument, "'{}' is a part of {} {}s: {}; give more of the name", name,
              found.size(), kind, List(alike));
}

Result<IndexRange> RangeOf(std::string_view what, std::string_view word, int64_t size) {
  if (word == ":") return IndexRange{0, size};
  const size_t colon = word.find(':');
  TESSERA_ASSIGN(const uint64_t first, NumberOf(what, word.substr(0, colon)));
  uint64_t count = 1;
  if (colon != std::string_view::npos) {
    TESSERA_ASSIGN(count, NumberOf(what, word.substr(colon + 1)));
  }
  const auto limit = static_cast<uint64_t>(size);
  if (count == 0 || first >= limit || count > limit - first) {
    return Fail(Code::kOutOfRange, "{}: '{}' is not within 0 to {}; give FIRST or FIRST:COUNT",
                what, word, size - 1);
  }
  return IndexRange{static_cast<int64_t>(first), static_cast<int64_t>(count)};
}

}  // namespace tessera::sim
