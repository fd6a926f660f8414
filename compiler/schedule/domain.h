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

#include "base/error.h"
#include "compiler/ir/ir.h"

namespace tessera::schedule {

// A number of at least 1, or the value that an earlier decision picked.
struct Amount {
  int64_t value = 1;
  std::string decision;  // "": |value| it is

  Amount() = default;
  Amount(int64_t n) : value(n) {}  // NOLINT: as good as a number
  static Amount Of(std::string decision) {
    Amount amount;
    amount.decision = std::move(decision);
    return amount;
  }
  bool operator==(const Amount&) const = default;
};

// Is all of |word| a number? Then |value| is it.
bool ParseNumber(const std::string& word, int64_t* value);
// A number, or $NAME.
//   errors  kInvalidArgument  it is neither
Result<Amount> ParseAmount(const std::string& word);

// A side of a box: |times| as much as |decision| picked, and |plus|. "": |plus| it is.
struct BoxSide {
  int64_t times = 0;
  std::string decision;
  int64_t plus = 1;
  bool operator==(const BoxSide&) const = default;
};

// Buffers that |memory| has room for beside each other, each as the product of its sides in bytes:
// "acc 64*$rows*(2*$columns+1)+256".
struct RoomNeed {
  ir::Scope memory = ir::Scope::kGlobal;
  std::vector<std::vector<BoxSide>> buffers;
  bool operator==(const RoomNeed&) const = default;
};
std::string Print(const RoomNeed& need);
// |need|'s buffers. errors: kInvalidArgument the word that is no side of a box
Status ParseBuffers(const std::string& text, RoomNeed* need);

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
  std::optional<int64_t> most;  // kFactors and kTiles
  std::vector<RoomNeed> room;   // ... where the decision's own name is the value
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
