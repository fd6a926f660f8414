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

// |e| with every read of a compute stage replaced by the stage's body, but for stages with a
// reduction.
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

// a - b of int32, b no constant: the machine has it as a + b * -1.
bool IsDifference(const ir::Expr& e);
// |e| so written, as the step `rewrite` does.
ir::Expr SumsOfNegated(const ir::Expr& e);

// e = body + sum: takes integer constants off the top of |e|.
ir::Expr PeelConstant(ir::Expr e, int64_t* sum);

// The linear form of an index, with variables of extent 1 taken as their only value.
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

// An int8 element seen through casts, zero points and pads: value = cast(element) - zero, or
// pad - zero outside |condition|.
struct Source {
  ir::Expr element;  // a TensorRead
  std::optional<ir::Expr> condition;
  int64_t pad = 0;  // as an element
  int64_t zero = 0;
};
// |e| must be an int8 or int32 scalar; nothing when it is not such a thing.
std::optional<Source> MatchSource(const ir::Expr& e);

// Does |e| read a tensor somewhere?
bool ReadsTensor(const ir::Expr& e);

// What VECTOR lacks to make the value |e|, for which there is no step; |about| fills the sentence.
struct Lack {
  RefusalKind kind = RefusalKind::kOperation;
  std::string about = "";
};
Lack LackOf(const ir::Expr& e, const ConstantSet& constants);

// Covers the result's expression with instructions of VECTOR, the largest that match first. Fills
// region->steps.
Acceptance CoverEpilogue(const ConstantSet& constants, AnalyzedRegion* region);

// The anchor's roles. |stage| has a reduction. Fills region->anchor.
Acceptance MatchAnchor(const te::Tensor& stage, const ConstantSet& constants,
                       AnalyzedRegion* region);

}  // namespace tessera::schedule::accel

#endif  // TESSERA_COMPILER_SCHEDULE_ACCEL_MATCH_H_
