// SPDX-License-Identifier: Apache-2.0
//
// The index analysis: quasi-affine forms sum(c_i * atom_i) + c, where an atom is a variable, a
// floor division or modulus by a constant, or an opaque expression; and interval bounds of any
// integer expression. Bound inference, guards, vector legality, box forming and instruction folding
// use it. Depends on ir.h. Indices are i64 and do not overflow; the analysis relies on that.
#ifndef TESSERA_COMPILER_IR_AFFINE_H_
#define TESSERA_COMPILER_IR_AFFINE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "compiler/ir/visit.h"

namespace tessera::ir {

// Both ends are included; kLowest and kHighest mean "unknown".
struct Interval {
  static constexpr int64_t kLowest = -(int64_t{1} << 60);
  static constexpr int64_t kHighest = int64_t{1} << 60;
  int64_t lo = kLowest;
  int64_t hi = kHighest;
  bool known() const { return lo > kLowest && hi < kHighest; }
  bool operator==(const Interval&) const = default;
};

// Known ranges of variables; a variable without an entry is unbounded.
class Ranges {
 public:
  void Set(const Expr& var, Interval range) { map_[var.get()] = range; }
  void Set(const Axis& axis) { Set(axis.var, {axis.min, axis.min + axis.extent - 1}); }
  void Erase(const Expr& var) { map_.erase(var.get()); }
  Interval Of(const Expr& var) const {
    auto it = map_.find(var.get());
    return it == map_.end() ? Interval{} : it->second;
  }

 private:
  FlatMap<const ExprNode*, Interval> map_;
};

// sum(coeff * atom) + constant. Atoms are structurally distinct and have non-zero coefficients.
struct Linear {
  struct Term {
    Expr atom;
    int64_t coeff = 0;
  };
  std::vector<Term> terms;
  int64_t constant = 0;

  bool IsConstant() const { return terms.empty(); }
  int64_t CoeffOf(const Expr& var) const;  // 0 if |var| is not an atom
  // Whether |vars| occur only as atoms of their own, not inside other atoms.
  bool IsAffineIn(const std::vector<Expr>& vars) const;
};

// The form of a scalar i64 expression; non-linear parts become atoms. Divisions and moduli are
// reduced as far as |ranges| allows.
Linear ToLinear(const Expr& e, const Ranges& ranges);
Expr FromLinear(const Linear& form);

// Forms of variables, which replace them. A map without a variable's form uses |others|', which
// must live as long.
struct FormMap : FlatMap<const ExprNode*, Linear> {
  using FlatMap::FlatMap;
  const FormMap* others = nullptr;

  const Linear* Of(const ExprNode* var) const;  // null: it has none
};
// The form of |e| with each variable of |values| replaced by its form, in which they stay.
Linear ToLinear(const Expr& e, const FormMap& values, const Ranges& ranges);
VarMap FromLinear(const FormMap& values);

Linear Add(Linear a, const Linear& b, int64_t factor = 1);  // a + factor * b
Linear Scale(Linear a, int64_t factor);
// a + b, without x / k * k + x % k, which is x.
Linear Sum(Linear a, const Linear& b, const Ranges& ranges);
// Adds |factor| * |var| to |sum|; a variable of |values| is replaced by its form.
void AddVar(Linear* sum, const Expr& var, int64_t factor, const FormMap& values,
            const Ranges& ranges);
// Whether |form| contains one of |vars|.
bool UsesVar(const Linear& form, const VarSet& vars);

// Bounds over all values of the variables within |ranges|. Sound, and exact for affine forms.
Interval BoundsOf(const Expr& e, const Ranges& ranges);
Interval BoundsOf(const Linear& form, const Ranges& ranges);

}  // namespace tessera::ir

#endif  // TESSERA_COMPILER_IR_AFFINE_H_
