// SPDX-License-Identifier: Apache-2.0
//
// Decisions of a schedule: numbers, places and orders, and what each may be. A domain is a
// function of the steps before it. Depends on: compiler/ir. Used by: step.h, steps/decide.cc, the
// generators.
#ifndef TESSERA_COMPILER_SCHEDULE_DOMAIN_H_
#define TESSERA_COMPILER_SCHEDULE_DOMAIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace tessera::schedule {

// A number of at least 1, or the value that an earlier decision picked.
struct Amount {
  int64_t value = 1;
  std::string decision;  // "": |value| it is
  bool operator==(const Amount&) const = default;
};

// An upper limit: |number|, or as often as the product of |per| goes into the bytes of |room|.
struct Ceiling {
  int64_t number = 0;
  std::optional<ir::Scope> room;
  std::vector<Amount> per;
  bool operator==(const Ceiling&) const = default;
};

enum class DomainKind : uint8_t {
  kList,     // the values are given
  kFactors,  // divisors of a loop's iterations
  kTiles,    // ceil(iterations / k): the sizes of tiles of which no smaller one is as few
  kPlaces,   // where a stage may be computed: the root, loops that its readers are inside of
  kOrders,   // the orders of some loops of a stage, those of the choice
};

// The values among which a decision picks, as what the steps before it leave of them.
struct Domain {
  DomainKind kind = DomainKind::kList;
  std::vector<int64_t> values;  // kList
  std::string stage, axis;      // else; an axis of kFactors and kTiles
  std::optional<Ceiling> most;
  bool operator==(const Domain&) const = default;
};

// What a decision picks: a number, or the words of a place ("root", or a stage and its loop) or of
// an order (loops, outermost first).
struct Choice {
  int64_t number = 0;
  std::vector<std::string> words;  // none: |number| it is

  Choice() = default;
  Choice(int64_t n) : number(n) {}  // NOLINT: as good as a number
  explicit Choice(std::vector<std::string> w) : words(std::move(w)) {}
  bool operator==(const Choice&) const = default;
};

inline constexpr const char* kRootPlace = "root";

// An order ranges over so many loops: 24 orders.
inline constexpr size_t kMostOrdered = 4;

// What a decision came to.
struct Decision {
  std::string name;
  DomainKind kind = DomainKind::kList;
  std::vector<Choice> domain;  // what the steps before it left of it
  Choice value;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_DOMAIN_H_
