// SPDX-License-Identifier: Apache-2.0
//
// Small matchers over TE expressions that anchor and epilogue analysis share. Internal to
// compiler/schedule/accel.
#ifndef TESSERA_COMPILER_SCHEDULE_ACCEL_MATCH_H_
#define TESSERA_COMPILER_SCHEDULE_ACCEL_MATCH_H_

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/schedule/accel/refusal.h"
#include "compiler/schedule/accel/region.h"

namespace tessera::schedule::accel {

// |e| with every read of a compute stage replaced by the stage's body; stages with a reduction
// stay.
ir::Expr InlineStages(const ir::Expr& e);

inline bool IsBin(const ir::Expr& e, ir::BinOp op) {
  return e->kind == ir::ExprKind::kBin && e->bin() == op;
}
inline bool IsCast(const ir::Expr& e, DType to) {
  return e->kind == ir::ExprKind::kUn && e->un() == ir::UnOp::kCast && e.dtype() == to;
}
inline bool IsCall(const ir::Expr& e, const char* name) {
  return e->kind == ir::ExprKind::kCall && e->name == name;
}

// Whether |e| is a - b of int32 where b is no constant; the machine computes it as a + b * -1.
bool IsDifference(const ir::Expr& e);
// |e| with such differences as sums, as the step `rewrite` does.
ir::Expr SumsOfNegated(const ir::Expr& e);

// e = body + sum: takes integer constants off the top of |e| and returns the body.
ir::Expr PeelConstant(ir::Expr e, int64_t* sum);

// The linear form of an index; a variable of extent 1 counts as its only value.
class IndexForms {
 public:
  explicit IndexForms(const te::Tensor& stage);
  ir::Linear Of(const ir::Expr& e) const;
  const ir::Ranges& ranges() const { return ranges_; }

 private:
  ir::Ranges ranges_;
  std::vector<ir::Axis> single_;  // extent 1
};

inline bool SameForm(const ir::Linear& a, const ir::Linear& b) {
  const ir::Linear d = ir::Add(a, b, -1);
  return d.terms.empty() && d.constant == 0;
}

// An int8 element behind casts, zero points and pads: value = cast(element) - zero, or pad - zero
// outside |condition|.
struct Source {
  ir::Expr element;  // a TensorRead
  std::optional<ir::Expr> condition;
  int64_t pad = 0;  // an int8 element
  int64_t zero = 0;
};
// Matches the int8 or int32 scalar |e|; nothing if it has another form.
std::optional<Source> MatchSource(const ir::Expr& e);

// Whether |e| reads a tensor.
bool ReadsTensor(const ir::Expr& e);

// The reason why no instruction of VECTOR computes a value; |about| fills in the sentence.
struct Lack {
  RefusalKind kind = RefusalKind::kOperation;
  std::string about = "";
};
Lack LackOf(const ir::Expr& e, const ConstantSet& constants);

// Covers the result's expression with instructions of VECTOR, trying the largest first. Fills
// region->steps.
Acceptance CoverEpilogue(const ConstantSet& constants, AnalyzedRegion* region);

// Finds the roles of the axes of |stage|, which has a reduction. Fills region->anchor.
Acceptance MatchAnchor(const te::Tensor& stage, const ConstantSet& constants,
                       const isa::Config& config, AnalyzedRegion* region);

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_MATCH_H_
