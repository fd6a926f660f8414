// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/space.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "base/hash.h"

namespace tessera::tune {
namespace {

using schedule::Choice;

constexpr int kDraws = 20;  // before Random and Mutated give up
constexpr int kWalks = 200;

uint64_t HashOfPicks(std::span<const Choice> picks) {
  uint64_t hash = 0;
  for (const Choice& pick : picks) hash = HashWith(hash, pick);
  return hash;
}

size_t IndexOf(const std::vector<Choice>& values, const Choice& value) {
  return static_cast<size_t>(std::ranges::find(values, value) - values.begin());
}

}  // namespace

uint64_t HashWith(uint64_t before, const Choice& pick) {
  uint64_t hash = Mix64(before ^ static_cast<uint64_t>(pick.number)) + 0x9e3779b97f4a7c15u;
  for (const std::string& word : pick.words)
    hash = Mix64(hash ^ Crc64({reinterpret_cast<const uint8_t*>(word.data()), word.size()})) + 1;
  return hash;
}

uint64_t HashOf(const Point& point) { return HashOfPicks(point.picks); }

const Choice& NearestOf(const std::vector<Choice>& values, const Choice& wanted) {
  const Choice* best = &values[0];
  for (const Choice& value : values) {
    if (value == wanted) return value;
    if (!wanted.words.empty() || !value.words.empty()) continue;
    if (std::abs(value.number - wanted.number) < std::abs(best->number - wanted.number))
      best = &value;
  }
  return *best;
}

bool Space::Replays(const Point& point) {
  const uint64_t hash = HashOf(point);
  const auto known = replays_.find(hash);
  if (known != replays_.end()) return known->second;
  const bool replays = IsLegal(point);
  replays_[hash] = replays;
  return replays;
}

const std::vector<Choice>* Space::ValuesAfter(const std::vector<Choice>& picks) {
  if (!keeps_domains_) {
    last_values_ = Domain(picks);
    return last_values_.empty() ? nullptr : &last_values_;
  }
  const uint64_t hash = HashOfPicks(picks);
  auto known = values_.find(hash);
  if (known == values_.end()) {
    known = values_.emplace(hash, Domain(picks)).first;
  }
  return known->second.empty() ? nullptr : &known->second;
}

std::optional<Point> Space::Build(const Chooser& choose) {
  Point point;
  while (point.picks.size() < knobs_.size()) {
    const std::vector<Choice>* values = ValuesAfter(point.picks);
    if (values == nullptr) break;
    point.picks.push_back(choose(point.picks, *values));
  }
  if (point.picks.size() == knobs_.size() && Replays(point)) return point;
  ++rejected_;
  return std::nullopt;
}

std::optional<Point> Space::Random(Rng& rng) {
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto point = Build([&](const std::vector<Choice>&, const std::vector<Choice>& values) {
      return values[static_cast<size_t>(rng.Range(0, std::ssize(values) - 1))];
    });
    if (point) return point;
  }
  return std::nullopt;
}

std::optional<Point> Space::Fitted(const Point& point) {
  return Build([&](const std::vector<Choice>& picks, const std::vector<Choice>& values) {
    return NearestOf(values, Wanted(point, picks));
  });
}

std::optional<Point> Space::Mutated(const Point& point, Rng& rng) {
  for (int draw = 0; draw < kDraws; ++draw) {
    if (knobs_.empty()) return std::nullopt;
    const auto at = static_cast<size_t>(rng.Range(0, std::ssize(knobs_) - 1));
    bool moved = false;
    const auto mutant =
        Build([&](const std::vector<Choice>& picks, const std::vector<Choice>& values) {
          if (picks.size() != at || values.size() < 2)
            return NearestOf(values, Wanted(point, picks));
          moved = true;
          std::vector<Choice> others = values;
          std::erase(others, point.picks[at]);
          return others[static_cast<size_t>(rng.Range(0, std::ssize(others) - 1))];
        });
    if (mutant && moved && *mutant != point) return mutant;
  }
  return std::nullopt;
}

std::optional<Point> Space::Crossed(const Point& a, const Point& b, Rng& rng) {
  return Build([&](const std::vector<Choice>& picks, const std::vector<Choice>& values) {
    return NearestOf(values, Wanted(rng.OneIn(2) ? a : b, picks));
  });
}

std::optional<Point> Space::Spliced(const Point& a, const Point& b, size_t count) {
  return Build([&](const std::vector<Choice>& picks, const std::vector<Choice>& values) {
    return NearestOf(values, Wanted(picks.size() < count ? a : b, picks));
  });
}

std::optional<Point> Space::Within(const std::vector<std::vector<Choice>>& allowed, Rng& rng) {
  for (int draw = 0; draw < kDraws; ++draw) {
    bool within = true;
    const auto point =
        Build([&](const std::vector<Choice>& picks, const std::vector<Choice>& values) {
          std::vector<Choice> both = values;
          if (const std::vector<Choice>& these = allowed[picks.size()]; !these.empty()) {
            std::erase_if(
                both, [&](const Choice& value) { return std::ranges::count(these, value) == 0; });
          }
          within = within && !both.empty();
          if (both.empty()) return values[0];
          return both[static_cast<size_t>(rng.Range(0, std::ssize(both) - 1))];
        });
    if (point && within) return point;
  }
  return std::nullopt;
}

std::optional<Point> Space::Moved(const Point& point, size_t knob, int by) {
  bool inside = true;
  const auto moved =
      Build([&](const std::vector<Choice>& picks, const std::vector<Choice>& values) {
        const Choice& wanted = Wanted(point, picks);
        if (picks.size() != knob) return NearestOf(values, wanted);
        const auto index = static_cast<int64_t>(IndexOf(values, wanted)) + by;
        inside = index >= 0 && index < std::ssize(values);
        return inside ? values[static_cast<size_t>(index)] : wanted;
      });
  return inside ? moved : std::nullopt;
}

std::optional<Point> Space::WithPicks(
    const std::function<const Choice*(const std::string&)>& pick) {
  Point wanted = given_;
  for (size_t k = 0; k < knobs_.size(); ++k) {
    if (const Choice* value = pick(knobs_[k].name)) wanted.picks[k] = *value;
  }
  return Fitted(wanted);
}

Space::Place Space::PlaceOf(const Point& point, size_t knob) {
  const std::span<const Choice> before = std::span(point.picks).first(knob);
  const auto known = values_.find(HashOfPicks(before));
  const std::vector<Choice>* values =
      known != values_.end() ? &known->second : ValuesAfter({before.begin(), before.end()});
  if (values == nullptr || values->empty()) return {};
  return {std::min(IndexOf(*values, point.picks[knob]), values->size() - 1), values->size()};
}

std::optional<Point> Space::NextFrom(std::vector<Choice> picks) {
  while (true) {
    // Down: take first values while the steps replay.
    bool dead = false;
    while (picks.size() < knobs_.size() && !dead) {
      const std::vector<Choice>* values = ValuesAfter(picks);
      dead = values == nullptr;
      if (!dead) picks.push_back((*values)[0]);
    }
    if (!dead && Replays({picks})) return Point{picks};
    ++rejected_;
    // Up: take the next value of the last knob that has one.
    while (!picks.empty()) {
      const Choice last = picks.back();
      picks.pop_back();
      const std::vector<Choice>& values = *ValuesAfter(picks);
      const size_t next = IndexOf(values, last) + 1;
      if (next >= values.size()) continue;
      picks.push_back(values[next]);
      dead = false;
      break;
    }
    if (picks.empty()) return std::nullopt;
  }
}

std::optional<Point> Space::First() { return NextFrom({}); }

std::optional<Point> Space::After(const Point& point) {
  std::vector<Choice> picks = point.picks;
  while (!picks.empty()) {
    const Choice last = picks.back();
    picks.pop_back();
    const std::vector<Choice>& values = *ValuesAfter(picks);
    const size_t next = IndexOf(values, last) + 1;
    if (next >= values.size()) continue;
    picks.push_back(values[next]);
    return NextFrom(std::move(picks));
  }
  return std::nullopt;
}

Space::Size Space::CountPoints(int64_t most) {
  // Count the leaves of the tree of domains, without replaying their traces.
  int64_t count = 0;
  std::vector<Choice> picks;
  const std::function<void()> walk = [&] {
    if (count > most) return;
    if (picks.size() == knobs_.size()) {
      ++count;
      return;
    }
    const std::vector<Choice>* known = ValuesAfter(picks);
    if (known == nullptr) return;
    const std::vector<Choice> values = *known;
    for (const Choice& value : values) {
      picks.push_back(value);
      walk();
      picks.pop_back();
    }
  };
  walk();
  if (count <= most) return {static_cast<double>(count), true};
  Rng rng(1);
  double sum = 0;
  for (int k = 0; k < kWalks; ++k) {
    double product = 1;
    for (picks.clear(); picks.size() < knobs_.size();) {
      const std::vector<Choice>* values = ValuesAfter(picks);
      if (values == nullptr) product = 0;
      if (values == nullptr) break;
      product *= static_cast<double>(values->size());
      picks.push_back((*values)[static_cast<size_t>(rng.Range(0, std::ssize(*values) - 1))]);
    }
    sum += product;
  }
  return {sum / kWalks, false};
}

}  // namespace tessera::tune
