// SPDX-License-Identifier: Apache-2.0
//
// Decisions of a schedule: numbers, places and orders, and the values that each allows. A domain is
// a function of the steps before it. Depends on: compiler/ir. Used by: step.h, steps/decide.cc, the
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

// A number of at least 1, or the value of an earlier decision: of an intrinsic NAME, NAME.lanes and
// so on (Editor::Value).
struct Amount {
  int64_t value = 1;
  std::string decision;  // "": |value| is the number

  Amount() = default;
  Amount(int64_t n) : value(n) {}  // NOLINT: as good as a number
  static Amount Of(std::string decision) {
    Amount amount;
    amount.decision = std::move(decision);
    return amount;
  }
  bool operator==(const Amount&) const = default;
};

// Parses a number, or $NAME.
//   errors  kInvalidArgument  |word| is neither
Result<Amount> ParseAmount(const std::string& word);

// A side of a box: |times| * the value of |decision| + |plus|; with "", |plus| alone.
struct BoxSide {
  int64_t times = 0;
  std::string decision;
  int64_t plus = 1;
  bool operator==(const BoxSide&) const = default;
};

// Buffers for which |memory| must have room at one time; the size of each in bytes is the product
// of its sides: "acc 64*$rows*(2*$columns+1)+256".
struct RoomNeed {
  ir::Scope memory = ir::Scope::kGlobal;
  std::vector<std::vector<BoxSide>> buffers;
  bool operator==(const RoomNeed&) const = default;
};
std::string Print(const RoomNeed& need);
// Parses |need|'s buffers. errors: kInvalidArgument the word that is not a side of a box
Status ParseBuffers(const std::string& text, RoomNeed* need);

enum class DomainKind : uint8_t {
  kList,        // the values are given
  kFactors,     // divisors of a loop's iterations
  kTiles,       // ceil(iterations / k): no smaller size gives as few tiles
  kPlaces,      // of a stage: the root, or a loop around all its readers
  kOrders,      // the orders of the loops of a stage that the choice names
  kLoops,       // none, or a loop of a stage that may be parallel
  kIntrinsics,  // those that sum the products of a stage, but not one whose lanes are more than
                // another's if those are enough for a loop
};

// The values of a decision that the steps before it allow.
struct Domain {
  DomainKind kind = DomainKind::kList;
  std::vector<int64_t> values;  // kList
  std::string stage, axis;      // other kinds; |axis|: kFactors, kTiles and kIntrinsics
  std::optional<Amount> most;   // kFactors and kTiles
  std::vector<RoomNeed> room;   // kFactors and kTiles; a side may name the decision itself
  bool operator==(const Domain&) const = default;
};

// A value of a decision: a number, the words of a place ("root", or a stage and its loop), those of
// an order (loops, outermost first), the word of a loop ("none", or its name) or of an intrinsic.
struct Choice {
  int64_t number = 0;
  std::vector<std::string> words;  // empty: |number| is the value

  Choice() = default;
  Choice(int64_t n) : number(n) {}  // NOLINT: as good as a number
  explicit Choice(std::vector<std::string> w) : words(std::move(w)) {}
  bool operator==(const Choice&) const = default;
};

inline constexpr const char* kRootPlace = "root";
inline constexpr const char* kNoLoop = "none";

// The most loops of an order: 24 orders.
inline constexpr size_t kMostOrdered = 4;

// A decision with its value.
struct Decision {
  std::string name;
  DomainKind kind = DomainKind::kList;
  std::vector<Choice> domain;  // the values that the steps before it allow
  Choice value;
};

}  // namespace tessera::schedule

#endif  // TESSERA_COMPILER_SCHEDULE_DOMAIN_H_
