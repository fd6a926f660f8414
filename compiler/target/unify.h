// SPDX-License-Identifier: Apache-2.0
//
// Compares an expression with the expression of an intrinsic's behaviour (tensor_intrin.h), and
// finds the pieces that match the behaviour's reads and parameters. The lowering asks whether a
// stage is an instruction; the accelerator's generator asks which instructions compute a value.
// Depends on: compiler/ir. Used by: compiler/lower/match, compiler/schedule/accel/cover.
#ifndef TESSERA_COMPILER_TARGET_UNIFY_H_
#define TESSERA_COMPILER_TARGET_UNIFY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/visit.h"

namespace tessera::target {

// The operands to take, one after the other, from the top of an expression to a piece of it.
using Way = std::vector<size_t>;

// The value of |pattern|'s right operand, a parameter, that changes nothing; empty: no value does.
inline std::optional<int64_t> NeutralOf(const ir::Expr& pattern) {
  if (pattern->kind != ir::ExprKind::kBin || pattern->args[1]->kind != ir::ExprKind::kVar)
    return std::nullopt;
  switch (pattern->bin()) {
    case ir::BinOp::kAdd:
    case ir::BinOp::kSub:
    case ir::BinOp::kShl:
    case ir::BinOp::kShr:
      return 0;
    case ir::BinOp::kMul:
      return 1;
    default:
      return std::nullopt;
  }
}

// Whether |read|, of a behaviour, is at a place that values say: a table's entry.
inline bool LooksUp(const ir::Expr& read) {
  return std::ranges::any_of(read->args, [](const ir::Expr& index) {
    return ir::Contains(index,
                        [](const ir::Expr& e) { return e->kind == ir::ExprKind::kTensorRead; });
  });
}

// |State| holds the findings of a match: a copyable type with `ir::VarMap parameters`.
template <class State>
class Unifier {
 public:
  // Whether |read|, of the behaviour, can read the piece |e| at |way|; records it in |state|.
  using ReadHook =
      std::function<bool(const ir::Expr& read, const ir::Expr& e, const Way& way, State* state)>;
  // Whether |read|, an addend of the piece at |way|, may be missing; records it in |state|.
  using MissingHook = std::function<bool(const ir::Expr& read, const Way& way, State* state)>;

  explicit Unifier(ReadHook read, MissingHook missing = {})
      : read_(std::move(read)), missing_(std::move(missing)) {}

  // Whether |e| is |pattern|. The operands of a sum or product may be in either order. A parameter
  // that would change nothing may be missing. After a failed match |state| has no meaning.
  bool Match(const ir::Expr& pattern, const ir::Expr& e, State* state) {
    const std::optional<int64_t> same = NeutralOf(pattern);
    const bool addend = missing_ && pattern->kind == ir::ExprKind::kBin &&
                        pattern->bin() == ir::BinOp::kAdd &&
                        pattern->args[1]->kind == ir::ExprKind::kTensorRead;
    if (!same && !addend) return MatchNode(pattern, e, state);
    const State before = *state;
    if (MatchNode(pattern, e, state)) return true;
    *state = before;
    if (!Match(pattern->args[0], e, state)) return false;
    const ir::Expr& right = pattern->args[1];
    if (addend) return missing_(right, way_, state);
    return SetParameter(right, ir::Imm(right.dtype(), *same), state);
  }

 private:
  bool MatchOperand(size_t k, const ir::Expr& pattern, const ir::Expr& e, State* state) {
    way_.push_back(k);
    const bool is = Match(pattern, e->args[k], state);
    way_.pop_back();
    return is;
  }

  bool SetParameter(const ir::Expr& parameter, const ir::Expr& value, State* state) const {
    const auto [known, fresh] = state->parameters.emplace(parameter.get(), value);
    return fresh || ir::IsImmEqual(known->second, value->ivalue);
  }

  // Whether |e| has the value of |pattern|, x op parameter, by another operation: x + 3 is x -
  // (-3), and x * 4 is x << 2. Sets |number| to the parameter.
  static bool OtherWords(const ir::Expr& pattern, const ir::Expr& e, int64_t* number) {
    if (pattern->kind != ir::ExprKind::kBin || e->kind != ir::ExprKind::kBin) return false;
    if (pattern->args[1]->kind != ir::ExprKind::kVar || !ir::IsImm(e->args[1], number))
      return false;
    using enum ir::BinOp;
    const ir::BinOp want = pattern->bin(), have = e->bin();
    if ((want == kSub && have == kAdd) || (want == kAdd && have == kSub)) {
      *number = -*number;
      return true;
    }
    if (want != kShl || have != kMul || *number <= 0) return false;
    if (!IsPowerOfTwo(static_cast<uint64_t>(*number))) return false;
    *number = Log2Floor(static_cast<uint64_t>(*number));
    return true;
  }

  bool MatchNode(const ir::Expr& pattern, const ir::Expr& e, State* state) {
    if (pattern->kind == ir::ExprKind::kTensorRead) {
      if (!read_(pattern, e, way_, state)) return false;
      for (size_t k = 0; LooksUp(pattern) && k < pattern->args.size(); ++k) {
        if (!MatchOperand(k, pattern->args[k], e, state)) return false;
      }
      return true;
    }
    if (pattern->kind == ir::ExprKind::kVar) {  // a parameter
      return e->kind == ir::ExprKind::kImm && e.type() == pattern.type() &&
             SetParameter(pattern, e, state);
    }
    int64_t number = 0;
    if (OtherWords(pattern, e, &number)) {
      return MatchOperand(0, pattern->args[0], e, state) &&
             SetParameter(pattern->args[1], ir::Imm(e.dtype(), number), state);
    }
    if (pattern->kind != e->kind || pattern->op != e->op || pattern.type() != e.type() ||
        pattern->args.size() != e->args.size() || pattern->name != e->name) {
      return false;
    }
    if (pattern->kind == ir::ExprKind::kImm)
      return pattern->ivalue == e->ivalue && pattern->fvalue == e->fvalue;
    if (pattern->kind == ir::ExprKind::kLoad) return false;
    const auto in_order = [&](bool swapped) {
      for (size_t k = 0; k < e->args.size(); ++k) {
        if (!MatchOperand(swapped ? 1 - k : k, pattern->args[k], e, state)) return false;
      }
      return true;
    };
    const bool commutes = e->kind == ir::ExprKind::kBin &&
                          (e->bin() == ir::BinOp::kMul || e->bin() == ir::BinOp::kAdd);
    if (!commutes) return in_order(false);
    const State before = *state;
    if (in_order(false)) return true;
    *state = before;
    return in_order(true);
  }

  const ReadHook read_;
  const MissingHook missing_;
  Way way_;  // to the piece that is compared
};

}  // namespace tessera::target

#endif  // TESSERA_COMPILER_TARGET_UNIFY_H_
