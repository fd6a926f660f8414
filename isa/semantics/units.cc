// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/units.h"

#include <utility>

namespace tessera::isa {
namespace {

constexpr bool Has(uint8_t mask, int unit) { return (mask >> unit) & 1; }

std::string_view Name(int unit) { return Text(static_cast<Unit>(unit)); }

}  // namespace

bool Units::CanStart(int unit) const {
  if (running_[unit] || queue_[unit].empty()) return false;
  for (int from = 0; from < kUnits; ++from) {
    if (Has(queue_[unit].front().fetched.pop, from) && tokens_[from][unit] == 0) return false;
  }
  return true;
}

Issued& Units::Start(int unit) {
  running_[unit] = std::move(queue_[unit].front());
  queue_[unit].pop_front();
  for (int from = 0; from < kUnits; ++from) {
    if (Has(running_[unit]->fetched.pop, from)) --tokens_[from][unit];
  }
  return *running_[unit];
}

bool Units::CanRetire(int unit) const {
  if (!running_[unit]) return false;
  for (int to = 0; to < kUnits; ++to) {
    if (Has(running_[unit]->fetched.push, to) && tokens_[unit][to] == token_depth_) return false;
  }
  return true;
}

void Units::Retire(int unit) {
  for (int to = 0; to < kUnits; ++to) {
    if (Has(running_[unit]->fetched.push, to)) ++tokens_[unit][to];
  }
  running_[unit].reset();
}

bool Units::Empty() const {
  for (int unit = 0; unit < kUnits; ++unit) {
    if (running_[unit] || !queue_[unit].empty()) return false;
  }
  return true;
}

bool Units::TokensLeft() const {
  for (const auto& row : tokens_) {
    for (int64_t count : row) {
      if (count != 0) return true;
    }
  }
  return false;
}

std::string Units::ExplainUnit(int unit) const {
  if (running_[unit]) {
    std::string text = fmt::format("{} waits to push to", Name(unit));
    for (int to = 0; to < kUnits; ++to) {
      if (Has(running_[unit]->fetched.push, to) && tokens_[unit][to] == token_depth_) {
        text += fmt::format(" {} (its counter is full with {} tokens)", Name(to), token_depth_);
      }
    }
    return text + fmt::format(" at instruction {} ({})", running_[unit]->number,
                              Describe(running_[unit]->fetched.insn));
  }
  if (queue_[unit].empty()) return fmt::format("{} has nothing to do", Name(unit));
  const Issued& head = queue_[unit].front();
  std::string text = fmt::format("{} waits for a token from", Name(unit));
  for (int from = 0; from < kUnits; ++from) {
    if (Has(head.fetched.pop, from) && tokens_[from][unit] == 0)
      text += fmt::format(" {}", Name(from));
  }
  return text + fmt::format(" at instruction {} ({})", head.number, Describe(head.fetched.insn));
}

std::string Units::Explain() const {
  std::string text;
  for (int unit = 0; unit < kUnits; ++unit) text += (unit == 0 ? "" : "; ") + ExplainUnit(unit);
  return text;
}

}  // namespace tessera::isa
