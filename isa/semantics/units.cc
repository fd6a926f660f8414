// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/units.h"

#include <utility>

namespace tessera::isa {
namespace {

constexpr bool Has(uint8_t mask, int unit) { return (mask >> unit) & 1; }

}  // namespace

uint8_t Units::Missing(int unit) const {
  uint8_t missing = 0;
  for (int from = 0; from < kUnits; ++from) {
    const bool waits = !queue_[unit].empty() && Has(queue_[unit].front().fetched.pop, from) &&
                       tokens_[from][unit] == 0;
    missing |= static_cast<uint8_t>(waits << from);
  }
  return missing;
}

uint8_t Units::Full(int unit) const {
  uint8_t full = 0;
  for (int to = 0; to < kUnits; ++to) {
    const bool waits = running_[unit] && Has(running_[unit]->fetched.push, to) &&
                       tokens_[unit][to] == token_depth_;
    full |= static_cast<uint8_t>(waits << to);
  }
  return full;
}

bool Units::CanStart(int unit) const {
  return !running_[unit] && !queue_[unit].empty() && Missing(unit) == 0;
}

Issued& Units::Start(int unit) {
  running_[unit] = std::move(queue_[unit].front());
  queue_[unit].pop_front();
  for (int from = 0; from < kUnits; ++from) {
    if (Has(running_[unit]->fetched.pop, from)) --tokens_[from][unit];
  }
  return *running_[unit];
}

bool Units::CanRetire(int unit) const { return running_[unit] && Full(unit) == 0; }

Issued Units::Retire(int unit) {
  for (int to = 0; to < kUnits; ++to) {
    if (Has(running_[unit]->fetched.push, to)) ++tokens_[unit][to];
  }
  return std::move(*std::exchange(running_[unit], std::nullopt));
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

std::array<UnitStanding, kUnits> Units::Standing() const {
  std::array<UnitStanding, kUnits> standing{};
  for (int unit = 0; unit < kUnits; ++unit) {
    const Issued* issued = Waiting(unit);
    if (issued == nullptr) continue;
    UnitStanding& s = standing[unit];
    s.holds = true;
    s.insn = issued->number;
    s.full = Full(unit);
    s.missing = running_[unit] ? 0 : Missing(unit);
  }
  return standing;
}

}  // namespace tessera::isa
