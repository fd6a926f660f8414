// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "base/number.h"
#include "compiler/schedule/domain.h"

namespace tessera::schedule {
namespace {

std::string Text(const BoxSide& side) {
  if (side.decision.empty()) return std::to_string(side.plus);
  std::string text = "$" + side.decision;
  if (side.times != 1) text = fmt::format("{}*{}", side.times, text);
  if (side.plus != 0) text += fmt::format("{:+}", side.plus);
  return side.times == 1 && side.plus == 0 ? text : "(" + text + ")";
}

// Reads the parts of "64*$rows*(2*$columns+1)+256" from left to right.
class BoxReader {
 public:
  explicit BoxReader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Side(BoxSide* side) {
    if (!Take('(')) return rest_.starts_with('$') ? Scaled(1, side) : Number(&side->plus);
    int64_t times = 1;
    if (!rest_.starts_with('$') && !(Number(&times) && Take('*'))) return false;
    return Scaled(times, side) && (Take(')') || (Signed(&side->plus) && Take(')')));
  }

 private:
  bool Scaled(int64_t times, BoxSide* side) {
    if (!Take('$')) return false;
    const std::string_view name = rest_.substr(0, rest_.find_first_of("*+-()"));
    *side = {times, std::string(name), 0};
    rest_.remove_prefix(name.size());
    return !name.empty();
  }
  bool Signed(int64_t* value) {
    const bool minus = rest_.starts_with('-');
    if (!(Take('+') || Take('-')) || !Number(value)) return false;
    if (minus) *value = -*value;
    return true;
  }
  bool Number(int64_t* value) {
    if (rest_.starts_with('-')) return false;
    const auto number = TakeNumber<int64_t>(rest_);
    if (number) *value = *number;
    return number.has_value();
  }

  std::string_view rest_;
};

}  // namespace

std::string Print(const RoomNeed& need) {
  std::vector<std::string> buffers;
  for (const std::vector<BoxSide>& sides : need.buffers) {
    std::vector<std::string> texts;
    for (const BoxSide& side : sides) texts.push_back(Text(side));
    buffers.push_back(fmt::format("{}", fmt::join(texts, "*")));
  }
  return fmt::format("{} {}", ir::ScopeName(need.memory), fmt::join(buffers, "+"));
}

Status ParseBuffers(const std::string& text, RoomNeed* need) {
  BoxReader reader(text);
  bool read = true;
  do {
    std::vector<BoxSide>& sides = need->buffers.emplace_back();
    do {
      read = reader.Side(&sides.emplace_back());
    } while (read && reader.Take('*'));
  } while (read && reader.Take('+'));
  if (read && reader.done()) return {};
  return Fail(Code::kInvalidArgument,
              "'{}': buffers are written 64*$rows*(2*$columns+1)+256: bytes, numbers and decisions",
              text);
}

}  // namespace tessera::schedule
